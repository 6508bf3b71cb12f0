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

/// What makes the values of a `worker_local` is called without arguments and gives one.
template <typename F, typename T>
concept makes_the_value =
    std::copy_constructible<std::decay_t<F>> && requires(std::decay_t<F>& make) {
      requires std::is_same_v<decltype(make()), T> || std::convertible_to<decltype(make()), T>;
    };

/// A value is combined with one that stays where it is.
template <typename Combine, typename T>
concept adds_a_value = std::copy_constructible<T> && replaceable_by_a_sum<T> &&
                       requires(Combine& combine, T a, const T& b) {
                         { combine(std::move(a), b) } -> std::convertible_to<T>;
                       };

/// Two values are combined into one, and taken for it.
template <typename Combine, typename T>
concept merges_two_values = replaceable_by_a_sum<T> && requires(Combine& combine, T a, T b) {
  { combine(std::move(a), std::move(b)) } -> std::convertible_to<T>;
};

}  // namespace rule

namespace detail {

/// The place of one thread's value, on lines of its own so that threads do not disturb each other.
/// Of two alignments g++ would take the last instead of the stricter.
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
  std::thread::id outside{};  // of a place outside: whose
};

}  // namespace detail

/// One T for each worker of a runtime, and one for every other thread that asks: what tasks gather
/// without locks, put together afterwards. A value is made when its thread first asks for it, and
/// has 128 bytes or more to itself.
///
/// `local` may be called by any threads at once. All other members read or change the values of all
/// threads: call them when nobody uses `local` or what it gave, such as before the tasks that do
/// are spawned and after they have been waited for. It may outlive the runtime.
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
    reference operator*() const { return of_->at(index_).value; }
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
    basic_iterator(const worker_local& of, std::size_t index) : of_(&of), index_(index) { skip(); }
    void skip() {
      while (index_ < of_->places() && !of_->at(index_).made) ++index_;
    }

    const worker_local* of_ = nullptr;
    std::size_t index_ = 0;
  };

 public:
  using value_type = T;
  /// Forward iterators over the values that have been made: the workers' in their order, then those
  /// of other threads in the order in which they first asked.
  using iterator = basic_iterator<T>;
  using const_iterator = basic_iterator<const T>;

  /// Values begin as `T()`. O(workers). Throws std::bad_alloc.
  explicit worker_local(runtime& of)
    requires std::default_initializable<T>
      : worker_local(of, [] { return T(); }) {}

  /// Values begin as what `make` gives. It is called by the thread that needs one, so by several at
  /// once, and must not ask this `worker_local` itself; it may, like the constructors of T, throw.
  template <rule::makes_the_value<T> F>
  worker_local(runtime& of, F&& make)
      : runtime_id_(detail::runtime_id_of(detail::workers_of(of))),
        workers_(of.workers() + of.spare_workers()),
        of_worker_(std::make_unique<place[]>(workers_)),
        make_(std::forward<F>(make)) {}

  worker_local(const worker_local&) = delete;
  worker_local& operator=(const worker_local&) = delete;
  ~worker_local() = default;

  /// The calling thread's value, made now if it is not there: in a task of the runtime its
  /// worker's, on any other thread, and in a task of another runtime, that thread's own. A new
  /// thread that got the id of one that has ended goes on with its value.
  ///
  /// The reference is good until `clear` and nobody else's. But a task that forks, waits or spawns
  /// may come back and find that another one on its worker has used the value meanwhile: ask again
  /// then, and do not leave it half changed before.
  /// Throws what making the value throws, and is then as if it had not been called;
  /// evencube::error if it is called while this very value is made. In a task a few nanoseconds; on
  /// another thread it takes a lock, and O(such threads), and may throw std::bad_alloc.
  T& local() {
    // By number: another runtime may have been made where this one was.
    const detail::worker* const by = detail::current_worker;
    place& mine =
        by != nullptr && by->runtime_id() == runtime_id_ ? of_worker_[by->index()] : outside();
    if (!mine.made) [[unlikely]] {
      make_in(mine);
    }
    return mine.value;
  }

  /// All values that have been made, combined from left to right in the order of iteration, as in
  /// `combine(combine(first, second), third)`; they stay as they are. If there are none, a new one.
  /// Throws what copying, `op` or making one throws.
  template <rule::adds_a_value<T> Op>
  [[nodiscard]] T combine(Op&& op) const& {
    const_iterator i = begin();
    if (i == end()) return make_();
    T all(*i);
    while (++i != end()) all = op(std::move(all), *i);
    return all;
  }

  /// The same, and takes the values for it: none is left, even if it throws. For those that can
  /// only be moved, `std::move(values).combine(op)`.
  template <rule::merges_two_values<T> Op>
  [[nodiscard]] T combine(Op&& op) && {
    struct clear_afterwards {
      worker_local& of;
      ~clear_afterwards() { of.clear(); }
    } const after{*this};
    iterator i = begin();
    if (i == end()) return make_();
    T all(std::move(*i));
    while (++i != end()) all = op(std::move(all), std::move(*i));
    return all;
  }

  /// How many values have been made. O(workers).
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(std::distance(begin(), end()));
  }
  [[nodiscard]] bool empty() const noexcept { return begin() == end(); }

  [[nodiscard]] iterator begin() noexcept { return iterator(*this, 0); }
  [[nodiscard]] iterator end() noexcept { return iterator(*this, places()); }
  [[nodiscard]] const_iterator begin() const noexcept { return const_iterator(*this, 0); }
  [[nodiscard]] const_iterator end() const noexcept { return const_iterator(*this, places()); }

  /// Destroys all values; who asks again gets a new one.
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
  std::mutex lock_;  // guards the list, not what is in it
  std::vector<std::unique_ptr<place>> of_others_;
};

template <typename F>
worker_local(runtime&, F) -> worker_local<detail::call_result_t<F>>;

}  // namespace evencube
