#pragma once

#include <type_traits>

#include "location.hpp"

namespace evencube::explorer {

/// A variable that is not atomic and that threads hand to each other: a number, a pointer or a
/// small struct. Stands for a T in expressions; members of a struct are reached through `get`.
template <typename T>
class plain : plain_location {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  plain() = default;
  plain(T initial) : value_(initial) {}  // NOLINT(google-explicit-constructor)
  plain(const plain& other) : plain_location(), value_(other.get()) {}
  ~plain() = default;
  plain& operator=(const plain& other) {
    set(other.get());
    return *this;
  }
  plain& operator=(T next) {
    set(next);
    return *this;
  }
  operator T() const { return get(); }  // NOLINT(google-explicit-constructor)

  [[nodiscard]] T get() const {
    reading();
    return value_;
  }
  void set(T next) {
    writing();
    value_ = next;
  }

  T operator->() const
    requires std::is_pointer_v<T>
  {
    return get();
  }
  template <typename U>
  plain& operator+=(U by) {
    set(static_cast<T>(get() + by));
    return *this;
  }
  template <typename U>
  plain& operator-=(U by) {
    set(static_cast<T>(get() - by));
    return *this;
  }
  template <typename U>
  plain& operator|=(U bits) {
    set(static_cast<T>(get() | bits));
    return *this;
  }
  template <typename U>
  plain& operator&=(U bits) {
    set(static_cast<T>(get() & bits));
    return *this;
  }
  plain& operator++() {
    T next = get();
    set(++next);
    return *this;
  }
  plain& operator--() {
    T next = get();
    set(--next);
    return *this;
  }
  T operator++(int) {
    const T old = get();
    set(static_cast<T>(old + 1));
    return old;
  }
  T operator--(int) {
    const T old = get();
    set(static_cast<T>(old - 1));
    return old;
  }

 private:
  T value_{};
};

}  // namespace evencube::explorer
