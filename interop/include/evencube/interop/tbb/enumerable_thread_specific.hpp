#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/worker_local.hpp>

namespace evencube::tbb {

/// One value for each worker of the default runtime, and one for every other thread that asks.
template <typename T>
class enumerable_thread_specific {
 public:
  using iterator = typename worker_local<T>::iterator;
  using const_iterator = typename worker_local<T>::const_iterator;
  using value_type = T;

  enumerable_thread_specific()
    requires std::default_initializable<T>
      : values_(default_runtime()) {}
  explicit enumerable_thread_specific(const T& exemplar)
    requires std::copy_constructible<T>
      : values_(default_runtime(), [exemplar] { return exemplar; }) {}
  template <typename Make>
    requires std::is_invocable_r_v<T, Make&> && (!std::same_as<Make, T>)
  explicit enumerable_thread_specific(Make make) : values_(default_runtime(), std::move(make)) {}

  /// Returns the value of the calling thread or worker, and makes it if it does not exist.
  T& local() { return values_.local(); }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  iterator begin() { return values_.begin(); }
  iterator end() { return values_.end(); }
  const_iterator begin() const { return values_.begin(); }
  const_iterator end() const { return values_.end(); }
  template <typename F>
  T combine(const F& f) {
    return std::as_const(values_).combine([&](T a, const T& b) { return f(a, b); });
  }
  template <typename F>
  void combine_each(const F& f) {
    for (T& value : *this) f(value);
  }
  void clear() { values_.clear(); }

 private:
  worker_local<T> values_;
};

}  // namespace evencube::tbb
