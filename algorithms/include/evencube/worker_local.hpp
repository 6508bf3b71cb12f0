#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/detail/callable.hpp>
#include <evencube/error.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>

namespace evencube {

namespace rule {

/// The function that makes the values of a `worker_local` takes no arguments and returns a T.
template <typename F, typename T>
concept makes_the_value =
    std::copy_constructible<std::decay_t<F>> && requires(std::decay_t<F>& make) {
      requires std::is_same_v<decltype(make()), T> || std::convertible_to<decltype(make()), T>;
    };

/// The operation combines two values and does not change the second value.
template <typename Combine, typename T>
concept adds_a_value = std::copy_constructible<T> && replaceable_by_a_sum<T> &&
                       requires(Combine& combine, T a, const T& b) {
                         { std::invoke(combine, std::move(a), b) } -> std::convertible_to<T>;
                       };

/// The operation combines two values into one and consumes both.
template <typename Combine, typename T>
concept merges_two_values = replaceable_by_a_sum<T> && requires(Combine& combine, T a, T b) {
  { std::invoke(combine, std::move(a), std::move(b)) } -> std::convertible_to<T>;
};

}  // namespace rule

namespace detail {

/// The storage of one thread's value, on separate cache lines to prevent false sharing. The
/// alignment is a single expression, because g++ would use the last of two alignments instead of
/// the stricter one.
template <typename T>
struct alignas(alignof(T) > 128 ? alignof(T) : 128) local_place {
  local_place() noexcept {}
  local_place(const local_place&) = delete;
  local_place& operator=(const local_place&) = delete;
  ~local_place() { clear(); }

  void clear() noexcept {
    if (std::exchange(made, false)) value.~T();
  }

  union {
    T value;
  };
  bool made = false;
  bool being_made = false;
  std::thread::id outside{};  // the owning thread, if it is not a worker
};

}  // namespace detail

/// One value of type T for each worker of a runtime, and one value for every other thread that
/// calls `local`. Tasks collect results in these values without locks, and the program combines the
/// values afterwards. A value is made when its thread first calls `local`, and has at least 128
/// bytes of memory to itself.
///
/// Any number of threads may call `local` concurrently. All other members read or change the values
/// of all threads. Call these members only while no thread uses `local` or its result: before the
/// tasks that use `local` are spawned, or after a wait for these tasks. A worker_local may outlive
/// the runtime.
template <typename T>
  requires std::is_object_v<T> && std::destructible<T>
class worker_local {
  using place = detail::local_place<T>;

  template <typename Value>
  class basic_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = Value&;
    using pointer = Value*;

    basic_iterator() = default;
    reference operator*() const { return values_->at(index_).value; }
    pointer operator->() const { return std::addressof(**this); }
    basic_iterator& operator++() {
      ++index_;
      skip();
      return *this;
    }
    basic_iterator operator++(int) {
      const basic_iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const basic_iterator& a, const basic_iterator& b) {
      return a.index_ == b.index_;
    }

   private:
    friend worker_local;
    basic_iterator(const worker_local& values, std::size_t index)
        : values_(&values), index_(index) {
      skip();
    }
    void skip() {
      while (index_ < values_->places() && !values_->at(index_).made) ++index_;
    }

    const worker_local* values_ = nullptr;
    std::size_t index_ = 0;
  };

 public:
  using value_type = T;
  /// Forward iterators over the values that have been made: first the values of the workers in
  /// worker order, then the values of other threads in the order in which the threads first called
  /// `local`.
  using iterator = basic_iterator<T>;
  using const_iterator = basic_iterator<const T>;

  /// Makes a worker_local for `runtime`; each value is initialised to `T()`. O(workers). Throws
  /// std::bad_alloc.
  explicit worker_local(runtime& runtime)
    requires std::default_initializable<T>
      : worker_local(runtime, [] { return T(); }) {}

  /// Makes a worker_local for `runtime`; each value is initialised with a result of `make`. The
  /// thread that needs a value calls `make`, so several threads may call it concurrently. `make`
  /// must not use this `worker_local` itself, but may throw, like the constructors of T.
  template <rule::makes_the_value<T> F>
  worker_local(runtime& runtime, F&& make)
      : runtime_id_(detail::runtime_id_of(detail::workers_of(runtime))),
        workers_(runtime.workers() + runtime.spare_workers()),
        of_worker_(std::make_unique<place[]>(workers_)),
        make_(std::forward<F>(make)) {}

  worker_local(const worker_local&) = delete;
  worker_local& operator=(const worker_local&) = delete;
  ~worker_local() = default;

  /// Returns the calling thread's value, which is made first if it does not exist. In a task of the
  /// runtime this is the worker's value. On any other thread, and in a task of another runtime, it
  /// is the thread's own value. A new thread that reuses the id of an ended thread gets that
  /// thread's value.
  ///
  /// The reference is valid until `clear`, and only this thread or worker uses the value. But if a
  /// task forks, waits or spawns, another task on its worker may use the value meanwhile. So finish
  /// changing the value before a fork, a wait or a spawn, and call `local` again afterwards.
  /// If making the value throws, `local` rethrows the exception and has no effect. Throws
  /// evencube::error if `local` is called while the thread's value is being made. In a task the
  /// call takes a few nanoseconds. On another thread the call takes a lock and O(number of such
  /// threads) time, and may throw std::bad_alloc.
  T& local() {
    // Compares runtime ids, because another runtime may have been made at the same address.
    const detail::worker* const caller = detail::current_worker;
    place& mine = caller != nullptr && caller->runtime_id() == runtime_id_
                      ? of_worker_[caller->index()]
                      : outside();
    if (!mine.made) [[unlikely]] {
      make_in(mine);
    }
    return mine.value;
  }

  /// Returns all values that have been made, combined from left to right in the order of iteration,
  /// as in `op(op(first, second), third)`. The values do not change. If there are no values,
  /// returns a new value. Throws the exceptions of `op` and of copying or making a value.
  template <rule::adds_a_value<T> Op>
  [[nodiscard]] T combine(Op&& op) const& {
    const_iterator i = begin();
    if (i == end()) return make_();
    T all(*i);
    while (++i != end()) all = std::invoke(op, std::move(all), *i);
    return all;
  }

  /// Returns all values that have been made, combined from left to right, and removes all of them,
  /// even if `op` throws. Call it as `std::move(values).combine(op)`. Also works for move-only
  /// values.
  template <rule::merges_two_values<T> Op>
  [[nodiscard]] T combine(Op&& op) && {
    struct clear_afterwards {
      worker_local& values;
      ~clear_afterwards() { values.clear(); }
    } const after{*this};
    iterator i = begin();
    if (i == end()) return make_();
    T all(std::move(*i));
    while (++i != end()) all = std::invoke(op, std::move(all), std::move(*i));
    return all;
  }

  /// Returns the number of values that have been made. O(workers).
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(std::distance(begin(), end()));
  }
  /// Returns true if no value has been made. O(workers).
  [[nodiscard]] bool empty() const noexcept { return begin() == end(); }

  [[nodiscard]] iterator begin() noexcept { return iterator(*this, 0); }
  [[nodiscard]] iterator end() noexcept { return iterator(*this, places()); }
  [[nodiscard]] const_iterator begin() const noexcept { return const_iterator(*this, 0); }
  [[nodiscard]] const_iterator end() const noexcept { return const_iterator(*this, places()); }

  /// Destroys all values. The next call of `local` makes a new value.
  void clear() noexcept {
    for (std::size_t k = 0; k < workers_; ++k) of_worker_[k].clear();
    of_others_.clear();
  }

 private:
  [[nodiscard]] std::size_t places() const noexcept { return workers_ + of_others_.size(); }
  [[nodiscard]] place& at(std::size_t index) const noexcept {
    return index < workers_ ? of_worker_[index] : *of_others_[index - workers_];
  }

  void make_in(place& mine) {
    if (mine.being_made) throw error("worker_local: local() was called while this value is made");
    struct end_of_making {
      bool& flag;
      ~end_of_making() { flag = false; }
    } const end{mine.being_made};
    mine.being_made = true;
    ::new (static_cast<void*>(std::addressof(mine.value))) T(make_());
    mine.made = true;
  }

  place& outside() {
    const std::thread::id self = std::this_thread::get_id();
    const std::lock_guard lock(lock_);
    for (const auto& p : of_others_) {
      if (p->outside == self) return *p;
    }
    of_others_.push_back(std::make_unique<place>());
    of_others_.back()->outside = self;
    return *of_others_.back();
  }

  std::uint64_t runtime_id_;
  std::size_t workers_;
  std::unique_ptr<place[]> of_worker_;
  std::function<T()> make_;
  std::mutex lock_;  // guards the list, not its contents
  std::vector<std::unique_ptr<place>> of_others_;
};

template <typename F>
worker_local(runtime&, F) -> worker_local<detail::call_result_t<F>>;

}  // namespace evencube
