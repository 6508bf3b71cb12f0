#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <evencube/arena.hpp>
#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/priority.hpp>
#include <evencube/runtime.hpp>
#include <evencube/this_task.hpp>

namespace evencube::tbb {

namespace detail {

/// Returns `f` as the function of a task for which no thread waits; if it throws, the program ends.
template <typename F>
auto unwatched(F&& f) {
  return [kept = std::decay_t<F>(std::forward<F>(f))]() mutable noexcept { kept(); };
}

}  // namespace detail

/// A limit for what runs inside: at most max_concurrency() workers run it at the same moment, and
/// these may be any workers. The arena is made when it is first used. It belongs to the runtime of
/// the task that uses it, or to the default one, and must be ended before that runtime.
///
/// Any threads may call all members at once, except `terminate` and the destructor. These two must
/// not be called while `execute` runs a call inside. Enqueued calls go on after them.
class task_arena {
 public:
  static constexpr int automatic = -1;
  static constexpr int not_initialized = -2;
  /// The priority of enqueued calls: whether they begin before or after what others have queued.
  /// Executed calls have none.
  enum class priority { low, normal, high };

  /// Sets the limit of the arena. `reserved` has no effect: no places are kept for threads from
  /// outside, and an executing thread takes a free one. The first use throws std::invalid_argument
  /// for a `max_concurrency` that is neither `automatic` nor at least 1.
  // NOLINTNEXTLINE(google-explicit-constructor): as oneTBB's
  task_arena(int max_concurrency = automatic, [[maybe_unused]] unsigned reserved = 1,
             priority level = priority::normal)
      : limit_(max_concurrency), level_(level) {
    detail::the_defaults();  // if both are static, this arena is destroyed first
  }
  /// Copies the settings, not the work.
  task_arena(const task_arena& other) : task_arena(other.limit_, 1, other.level_) {}
  task_arena& operator=(const task_arena&) = delete;
  ~task_arena() { terminate(); }

  /// Makes the arena now; does nothing if it is made.
  void initialize() { static_cast<void>(made()); }
  void initialize(int max_concurrency, [[maybe_unused]] unsigned reserved = 1,
                  priority level = priority::normal) {
    const std::lock_guard lock(mutex_);
    if (is_active()) return;
    limit_ = max_concurrency;
    level_ = level;
    make();
  }
  /// Ends the arena. It is unused until the next use makes it again.
  void terminate() {
    ready_.store(nullptr, std::memory_order_relaxed);
    arena_.reset();
  }
  /// Returns true if the arena is made.
  [[nodiscard]] bool is_active() const noexcept {
    return ready_.load(std::memory_order_acquire) != nullptr;  // pairs with `make`
  }

  /// Returns the limit that was given, or the number of workers of the runtime.
  [[nodiscard]] int max_concurrency() const {
    if (limit_ != automatic) return limit_;
    return static_cast<int>(
        (this_task::runtime() != nullptr ? *this_task::runtime() : default_runtime()).workers());
  }

  /// Calls f() inside, and returns its result or throws its exception. The call happens at once if
  /// there is a place, otherwise as a task for which this waits.
  template <typename F>
  auto execute(F&& f) -> decltype(f()) {
    return made().run(f, {.pin = false});
  }
  /// Queues f() to be called inside, and does not wait. The program ends if f throws.
  template <typename F>
  void enqueue(F&& f) {
    static_cast<void>(
        made().async(detail::unwatched(std::forward<F>(f)),
                     {.priority = level_ == priority::low    ? evencube::priority::low
                                  : level_ == priority::high ? evencube::priority::high
                                                             : evencube::priority::normal}));
  }

 private:
  arena& made() {
    if (arena* const there = ready_.load(std::memory_order_acquire)) return *there;  // as above
    const std::lock_guard lock(mutex_);
    if (arena_ == nullptr) make();
    return *arena_;
  }
  /// Call with the lock held.
  void make() {
    if (limit_ != automatic && limit_ < 1) {
      throw std::invalid_argument("task_arena: max_concurrency " + std::to_string(limit_) +
                                  " is not allowed; at least 1, or task_arena::automatic");
    }
    runtime* const here = this_task::runtime();
    runtime& of = here != nullptr ? *here : default_runtime();
    const unsigned workers = limit_ == automatic ? of.workers() : static_cast<unsigned>(limit_);
    arena_ = std::make_unique<arena>(of, arena_options{.workers = workers});
    ready_.store(arena_.get(), std::memory_order_release);  // pairs with `made` and `is_active`
  }

  int limit_;
  priority level_;
  std::mutex mutex_;  // guards the making
  std::unique_ptr<arena> arena_;
  std::atomic<arena*> ready_{nullptr};
};

namespace this_task_arena {

inline constexpr int not_initialized = task_arena::not_initialized;

/// Returns the number of the worker that the calling thread is, in any arena. It is below
/// `max_concurrency` of this namespace, which may be more than the limit of the arena.
[[nodiscard]] inline int current_thread_index() noexcept {
  const auto worker = this_task::worker();
  return worker ? static_cast<int>(*worker) : not_initialized;
}
/// Returns the number of values that `current_thread_index` can have: the workers of the runtime.
[[nodiscard]] inline int max_concurrency() {
  runtime* const here = this_task::runtime();
  const runtime& of = here != nullptr ? *here : default_runtime();
  return static_cast<int>(of.workers() + of.spare_workers());
}
/// Calls f(). A wait in EvenCube runs nothing except what it waits for, so every call is isolated.
template <typename F>
auto isolate(F&& f) -> decltype(f()) {
  return f();
}
/// Queues f() in the arena of the calling task, if it is in one, and does not wait. The program
/// ends if f throws.
template <typename F>
void enqueue(F&& f) {
  runtime* const here = this_task::runtime();
  static_cast<void>(
      (here != nullptr ? *here : default_runtime()).async(detail::unwatched(std::forward<F>(f))));
}

}  // namespace this_task_arena

}  // namespace evencube::tbb
