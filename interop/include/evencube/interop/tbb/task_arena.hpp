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

/// `f` as the function of a task that nobody waits for: if it throws, the program ends.
template <typename F>
auto unwatched(F&& f) {
  return [kept = std::decay_t<F>(std::forward<F>(f))]() mutable noexcept { kept(); };
}

}  // namespace detail

/// A limit for what runs inside: at most max_concurrency() workers at the same moment, whichever
/// they are. It is made when it is first used, of the runtime of the task that uses it, or of the
/// default one, and must be ended before that.
///
/// All but `terminate` and the destructor may be called by any thread at once; these two not while
/// anything is called inside by `execute`. What was enqueued goes on after them.
class task_arena {
 public:
  static constexpr int automatic = -1;
  static constexpr int not_initialized = -2;
  /// Of what is enqueued: whether it begins before or after what others have queued. What is
  /// executed has none.
  enum class priority { low, normal, high };

  /// No places are kept for threads from outside, whatever is reserved for them: an executing
  /// thread takes one that is free. When it is used it throws std::invalid_argument for a
  /// concurrency that is neither `automatic` nor at least 1.
  // NOLINTNEXTLINE(google-explicit-constructor): as oneTBB's
  task_arena(int max_concurrency = automatic, [[maybe_unused]] unsigned reserved = 1,
             priority level = priority::normal)
      : limit_(max_concurrency), level_(level) {
    detail::the_defaults();  // where both are static this one goes first
  }
  /// Its settings, not its work.
  task_arena(const task_arena& other) : task_arena(other.limit_, 1, other.level_) {}
  task_arena& operator=(const task_arena&) = delete;
  ~task_arena() { terminate(); }

  /// Makes it now; does nothing if it is made.
  void initialize() { static_cast<void>(made()); }
  void initialize(int max_concurrency, [[maybe_unused]] unsigned reserved = 1,
                  priority level = priority::normal) {
    const std::lock_guard lock(mutex_);
    if (is_active()) return;
    limit_ = max_concurrency;
    level_ = level;
    make();
  }
  /// Until it is used again it is as if it had not been.
  void terminate() {
    ready_.store(nullptr, std::memory_order_relaxed);
    arena_.reset();
  }
  [[nodiscard]] bool is_active() const noexcept {
    return ready_.load(std::memory_order_acquire) != nullptr;  // pairs with `make`
  }

  /// As it was asked for, or the workers of the runtime.
  [[nodiscard]] int max_concurrency() const {
    if (limit_ != automatic) return limit_;
    return static_cast<int>(
        (this_task::runtime() != nullptr ? *this_task::runtime() : default_runtime()).workers());
  }

  /// Calls f() inside, and gives or throws what it does: at once where there is a place, else as a
  /// task that is waited for.
  template <typename F>
  auto execute(F&& f) -> decltype(f()) {
    return made().run(f, {.pin = false});
  }
  /// Queues f() to be called inside, and waits for nothing. The program ends if it throws.
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
  /// With the lock.
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

/// The number of the worker that the calling thread is, in whatever arena: below this function's
/// neighbour `max_concurrency`, which may be more than the arena's.
[[nodiscard]] inline int current_thread_index() noexcept {
  const auto worker = this_task::worker();
  return worker ? static_cast<int>(*worker) : not_initialized;
}
/// How many values `current_thread_index` can have: the workers of the runtime.
[[nodiscard]] inline int max_concurrency() {
  runtime* const here = this_task::runtime();
  const runtime& of = here != nullptr ? *here : default_runtime();
  return static_cast<int>(of.workers() + of.spare_workers());
}
/// A wait in EvenCube runs nothing but what it waits for, isolated or not.
template <typename F>
auto isolate(F&& f) -> decltype(f()) {
  return f();
}
/// Queues f() in the arena of the calling task, if it is in one, and waits for nothing. The program
/// ends if it throws.
template <typename F>
void enqueue(F&& f) {
  runtime* const here = this_task::runtime();
  static_cast<void>(
      (here != nullptr ? *here : default_runtime()).async(detail::unwatched(std::forward<F>(f))));
}

}  // namespace this_task_arena

}  // namespace evencube::tbb
