#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <evencube/interop/tbb/enumerable_thread_specific.hpp>

namespace evencube::tbb {

/// One value per thread that calls `local`, to be combined.
template <typename T>
class combinable {
 public:
  combinable() = default;
  /// Makes each value by calling make().
  template <typename Make>
    requires std::is_invocable_r_v<T, Make&>
  explicit combinable(Make make) : values_(std::move(make)) {}

  void clear() { values_.clear(); }
  T& local() { return values_.local(); }
  /// Also sets `exists` to whether the value already existed.
  T& local(bool& exists) { return values_.local(exists); }
  /// Returns all values combined, or a new value if none exist.
  template <typename F>
  T combine(F f) {
    return values_.combine(f);
  }
  template <typename F>
  void combine_each(F f) {
    values_.combine_each(f);
  }

 private:
  enumerable_thread_specific<T> values_;
};

}  // namespace evencube::tbb
