#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "session.hpp"

namespace evencube::explorer {

/// What the protocols use of std::atomic, every operation a step of the explored schedule. Weak
/// compare-and-swaps do not fail for nothing.
template <typename T>
class atomic : location {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);

 public:
  atomic() noexcept : atomic(T{}) {}
  atomic(T initial) noexcept : location(bits(initial)) {}  // NOLINT(google-explicit-constructor)

  T load(std::memory_order order = std::memory_order_seq_cst,
         site at = {__builtin_FUNCTION(), __builtin_LINE()}) const {
    return value(session::current().load(*this, order, at));
  }
  void store(T next, std::memory_order order = std::memory_order_seq_cst,
             site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    session::current().store(*this, bits(next), order, at);
  }
  T exchange(T next, std::memory_order order = std::memory_order_seq_cst,
             site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return value(session::current().modify(*this, action::exchange, order, at,
                                           [&](std::uint64_t) { return bits(next); }));
  }
  bool compare_exchange_strong(T& expected, T next, std::memory_order success,
                               std::memory_order failure,
                               site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    std::uint64_t old = bits(expected);
    const bool done =
        session::current().compare_exchange(*this, old, bits(next), success, failure, at);
    expected = value(old);
    return done;
  }
  bool compare_exchange_weak(T& expected, T next, std::memory_order success,
                             std::memory_order failure,
                             site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return compare_exchange_strong(expected, next, success, failure, at);
  }
  T fetch_add(T amount, std::memory_order order = std::memory_order_seq_cst,
              site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return value(session::current().modify(
        *this, action::fetch_add, order, at,
        [&](std::uint64_t old) { return bits(static_cast<T>(value(old) + amount)); }));
  }
  T fetch_sub(T amount, std::memory_order order = std::memory_order_seq_cst,
              site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return fetch_add(static_cast<T>(T{0} - amount), order, at);
  }
  T fetch_or(T set, std::memory_order order = std::memory_order_seq_cst,
             site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return value(session::current().modify(*this, action::fetch_or, order, at,
                                           [&](std::uint64_t old) { return old | bits(set); }));
  }
  T fetch_and(T kept, std::memory_order order = std::memory_order_seq_cst,
              site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    return value(session::current().modify(*this, action::fetch_and, order, at,
                                           [&](std::uint64_t old) { return old & bits(kept); }));
  }

 private:
  friend struct explored;

  static std::uint64_t bits(T from) noexcept {
    std::uint64_t to = 0;
    std::memcpy(&to, &from, sizeof from);
    return to;
  }
  static T value(std::uint64_t from) noexcept {
    T to;
    std::memcpy(&to, &from, sizeof to);
    return to;
  }
};

/// A variable that is not atomic and that threads hand to each other.
template <typename T>
class plain : plain_location {
 public:
  plain() = default;
  plain(T initial) : value_(initial) {}  // NOLINT(google-explicit-constructor)
  plain(const plain&) = delete;
  ~plain() = default;
  plain& operator=(const plain&) = delete;
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

 private:
  T value_{};
};

/// Twin of boost::lockfree::spsc_queue, as far as the links use it, with the same orders: a ring of
/// which one side owns each index.
template <typename T, std::size_t Capacity>
class spsc_queue {
 public:
  [[nodiscard]] std::size_t write_available() const {
    return Capacity -
           (written_.load(std::memory_order_relaxed) - read_.load(std::memory_order_acquire));
  }
  bool push(const T& item) {
    const std::size_t at = written_.load(std::memory_order_relaxed);
    if (at - read_.load(std::memory_order_acquire) == Capacity) return false;
    ring_[at % Capacity].set(item);
    written_.store(at + 1, std::memory_order_release);
    return true;
  }
  template <typename Use>
  std::size_t consume_all(Use&& use) {
    const std::size_t end = written_.load(std::memory_order_acquire);
    const std::size_t begin = read_.load(std::memory_order_relaxed);
    for (std::size_t i = begin; i != end; ++i) use(ring_[i % Capacity].get());
    if (begin != end) read_.store(end, std::memory_order_release);
    return end - begin;
  }

 private:
  std::array<plain<T>, Capacity> ring_;
  atomic<std::size_t> written_{0};
  atomic<std::size_t> read_{0};
};

/// The policy that protocols take in tests, as `detail::std_atomics` in the library.
struct explored {
  template <typename T>
  using atomic = explorer::atomic<T>;
  template <typename T>
  using plain = explorer::plain<T>;

  static void wait(atomic<std::uint32_t>& word, std::uint32_t expected,
                   site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    session::current().wait(word, expected, at);
  }
  /// Time passes at once.
  static void wait_for(atomic<std::uint32_t>&, std::uint32_t, std::int64_t) {}
  static void wake(atomic<std::uint32_t>& word, int how_many,
                   site at = {__builtin_FUNCTION(), __builtin_LINE()}) {
    session::current().wake(word, how_many, at);
  }
  static bool heeds(std::string_view check) { return session::current().heeds(check); }
};

}  // namespace evencube::explorer
