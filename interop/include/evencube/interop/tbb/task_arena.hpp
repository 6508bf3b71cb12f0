#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <evencube/arena.hpp>
#include <evencube/detail/callable.hpp>
#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/detail/floating_point.hpp>
#include <evencube/interop/tbb/global_control.hpp>
#include <evencube/interop/tbb/info.hpp>
#include <evencube/interop/tbb/task_group.hpp>
#include <evencube/interop/tbb/task_group_context.hpp>
#include <evencube/interop/tbb/task_scheduler_observer.hpp>
#include <evencube/priority.hpp>
#include <evencube/runtime.hpp>
#include <evencube/this_task.hpp>

namespace evencube::tbb {

namespace detail {

/// The arena that task_arena objects refer to. Attached objects share this state with the object
/// that made it.
class arena_state : public std::enable_shared_from_this<arena_state> {
 public:
  static constexpr int automatic = -1;

  arena_state(int limit, evencube::priority level) : limit_(limit), level_(level) {}

  void set(int limit, evencube::priority level) {
    limit_ = limit;
    level_ = level;
  }
  [[nodiscard]] int limit() const noexcept { return limit_; }
  [[nodiscard]] evencube::priority level() const noexcept { return level_; }
  [[nodiscard]] bool active() const noexcept {
    return ready_.load(std::memory_order_acquire) != nullptr;  // pairs with `make`
  }
  /// Returns the settings of the thread that made the arena. Call after `made`.
  [[nodiscard]] const floating_point_settings& settings() const noexcept { return settings_; }
  /// Makes the arena with new settings unless it exists.
  void make_with(int limit, evencube::priority level) {
    const std::lock_guard lock(mutex_);
    if (active()) return;
    set(limit, level);
    make();
  }
  arena& made() {
    if (arena* const there = ready_.load(std::memory_order_acquire)) return *there;  // as above
    const std::lock_guard lock(mutex_);
    if (arena_ == nullptr) make();
    return *arena_;
  }
  void end() {
    ready_.store(nullptr, std::memory_order_relaxed);
    arena_.reset();
    counted_.reset();
  }

 private:
  /// Call this with the lock held.
  void make() {
    if (limit_ != automatic && limit_ < 1) {
      throw std::invalid_argument("task_arena: max_concurrency " + std::to_string(limit_) +
                                  " is not allowed; at least 1, or task_arena::automatic");
    }
    counted_.emplace();
    runtime& of = detail::home_runtime();
    const unsigned workers = limit_ == automatic ? of.workers() : static_cast<unsigned>(limit_);
    arena_ = std::make_unique<arena>(of, arena_options{.workers = workers});
    settings_ = floating_point_settings::of_this_thread();
    ready_.store(arena_.get(), std::memory_order_release);  // pairs with `made` and `active`
  }

  int limit_;
  evencube::priority level_;
  floating_point_settings settings_;
  std::mutex mutex_;  // held while the arena is made
  std::optional<reference_to_defaults> counted_;
  std::unique_ptr<arena> arena_;
  std::atomic<arena*> ready_{nullptr};
};

/// Sets the context of code that runs in an arena, and notifies the arena's observers at the
/// beginning and at the end.
class arena_scope {
 public:
  explicit arena_scope(const arena_state& of)
      : of_(of),
        entered_(here.arena != &of),
        inside_({entered_ ? nullptr : here.context, &of}),
        calculating_(of.settings()) {
    notice_observers();
  }
  arena_scope(const arena_scope&) = delete;
  arena_scope& operator=(const arena_scope&) = delete;
  ~arena_scope() {
    if (entered_) leave_observers(&of_, false);
  }

 private:
  const arena_state& of_;
  bool entered_;
  surroundings_scope inside_;
  floating_point_scope calculating_;
};

/// Returns the state of the calling thread's current arena; null if there is none.
inline std::shared_ptr<arena_state> arena_here() {
  return here.arena == nullptr
             ? nullptr
             : const_cast<arena_state*>(static_cast<const arena_state*>(here.arena))
                   ->shared_from_this();
}

/// Wraps `f` for a task that no thread waits for; if `f` throws, the program ends. The task runs
/// `f` in an `arena_scope` unless the arena is null.
template <typename F>
auto unwatched(F&& f, std::shared_ptr<arena_state> in) {
  return [kept = std::decay_t<F>(std::forward<F>(f)), in = std::move(in)]() mutable noexcept {
    if (in != nullptr) {
      const arena_scope inside(*in);
      detail::call_as_const(kept);
    } else {
      detail::call_as_const(kept);
    }
  };
}

}  // namespace detail

/// A limit for code that runs inside the arena: at most max_concurrency() workers, no matter which,
/// run such code simultaneously. The arena is made on first use. It belongs to the runtime of the
/// task that uses it first, or to the default runtime, and must end before that runtime. Code
/// inside the arena has the floating-point settings of the thread that made the arena.
///
/// Several threads may call members simultaneously, except `terminate` and the destructor, which
/// must not be called while `execute` is running a call in the arena. Neither ends enqueued calls.
class task_arena {
 public:
  static constexpr int automatic = -1;
  static constexpr int not_initialized = -2;
  /// The priority of enqueued calls: whether they begin before or after other queued work. Calls
  /// made by `execute` have no priority.
  enum class priority { low, normal, high };
  using constraints = detail::constraints;
  using attach = evencube::tbb::attach;

  /// Sets the limit of the arena. `reserved` has no effect: no places are reserved for outside
  /// threads; a thread that calls `execute` takes a free place. The first use throws
  /// std::invalid_argument if `max_concurrency` is neither `automatic` nor at least 1.
  // NOLINTNEXTLINE(google-explicit-constructor): as oneTBB's
  task_arena(int max_concurrency = automatic, [[maybe_unused]] unsigned reserved = 1,
             priority level = priority::normal) {
    detail::the_defaults();  // made first, so static arenas are destroyed before the defaults
    own_ = std::make_shared<detail::arena_state>(max_concurrency, level_of(level));
    state_ = own_;
  }
  /// Limits the arena to the number of workers that fit the constraints. Any worker may enter.
  // NOLINTNEXTLINE(google-explicit-constructor): as oneTBB's
  task_arena(const constraints& wanted, unsigned reserved = 1, priority level = priority::normal)
      : task_arena(limit_of(wanted), reserved, level) {}
  /// Makes an object that refers to the calling thread's current arena or, if there is none, to a
  /// new one.
  explicit task_arena(attach /*tag*/) : task_arena() { initialize(attach()); }
  /// Copies only the settings of `other`.
  task_arena(const task_arena& other) : task_arena() {
    own_->set(other.state_->limit(), other.state_->level());
  }
  task_arena& operator=(const task_arena&) = delete;
  ~task_arena() { terminate(); }

  /// Makes the arena unless it already exists.
  void initialize() { static_cast<void>(state_->made()); }
  void initialize(int max_concurrency, [[maybe_unused]] unsigned reserved = 1,
                  priority level = priority::normal) {
    state_->make_with(max_concurrency, level_of(level));
  }
  void initialize(const constraints& wanted, unsigned reserved = 1,
                  priority level = priority::normal) {
    initialize(limit_of(wanted), reserved, level);
  }
  /// Makes this object refer to the calling thread's current arena, unless its own arena already
  /// exists.
  void initialize(attach /*tag*/) {
    if (is_active()) return;
    if (std::shared_ptr<detail::arena_state> there = detail::arena_here()) {
      state_ = std::move(there);
    } else if (this_task::runtime() != nullptr) {
      initialize();
    }
  }
  /// Ends the arena; the next use makes it again. An attached object only stops referring to its
  /// arena.
  void terminate() {
    own_->end();
    state_ = own_;
  }
  /// Returns true if the arena exists.
  [[nodiscard]] bool is_active() const noexcept { return state_->active(); }

  /// Returns the limit given to the constructor or, if none was given, the runtime's number of
  /// workers.
  [[nodiscard]] int max_concurrency() const {
    if (state_->limit() != automatic) return state_->limit();
    const runtime* const here_now = this_task::runtime();
    return here_now != nullptr && detail::calls_alone == 0
               ? static_cast<int>(here_now->workers())
               : static_cast<int>(detail::usual_workers());
  }

  /// Calls f() in the arena, and returns its result or throws its exception. The call runs
  /// immediately if the arena has a free place, otherwise in a task for which `execute` waits.
  template <typename F>
  auto execute(F&& f) -> decltype(f()) {
    const auto inside = [&]() -> decltype(f()) {
      const detail::arena_scope scope(*state_);
      return f();
    };
    evencube::arena& in = state_->made();
    if (detail::calls_alone != 0) return inside();
    if (this_task::runtime() != nullptr) return in.run(inside, {.pin = false});
    detail::defaults& all = detail::the_defaults();
    const detail::program_thread_scope counted(all);
    if (!detail::limited_to_one()) return in.run(inside, {.pin = false});
    using result = decltype(f());
    std::optional<evencube::detail::kept<result>> value;
    detail::call_alone(all, [&] { value.emplace(evencube::detail::call_to_keep(inside)); });
    return evencube::detail::give_back<result>(*value);
  }
  /// Queues a call of f() in the arena without waiting for it. The program ends if f throws.
  template <typename F>
    requires(!std::is_same_v<std::decay_t<F>, task_handle>)
  void enqueue(F&& f) {
    static_cast<void>(state_->made().async(detail::unwatched(std::forward<F>(f), state_),
                                           {.priority = state_->level()}));
  }
  /// Runs a task of a group in the arena where the group was made.
  void enqueue(task_handle&& handle) { detail::handle_access::run(std::move(handle)); }

 private:
  friend class task_scheduler_observer;

  static evencube::priority level_of(priority level) noexcept {
    return level == priority::low    ? evencube::priority::low
           : level == priority::high ? evencube::priority::high
                                     : evencube::priority::normal;
  }
  static int limit_of(const constraints& wanted) {
    return wanted.numa_id < 0 && wanted.core_type < 0 && wanted.max_threads_per_core < 0
               ? wanted.max_concurrency
               : info::default_concurrency(wanted);
  }

  std::shared_ptr<detail::arena_state> own_;
  std::shared_ptr<detail::arena_state> state_;
};

inline task_scheduler_observer::task_scheduler_observer(task_arena& of) : arena_(of.state_.get()) {}

namespace this_task_arena {

inline constexpr int not_initialized = task_arena::not_initialized;

/// Returns the index of the calling thread's worker, whichever arena the thread is in. The index is
/// below `this_task_arena::max_concurrency()`, but may exceed the arena's limit.
[[nodiscard]] inline int current_thread_index() noexcept {
  const auto worker = this_task::worker();
  return worker ? static_cast<int>(*worker) : not_initialized;
}
/// Returns the number of values that `current_thread_index` can return: the number of the runtime's
/// workers, including spare workers.
[[nodiscard]] inline int max_concurrency() {
  runtime* const here = this_task::runtime();
  const runtime& of = here != nullptr ? *here : default_runtime();
  return static_cast<int>(of.workers() + of.spare_workers());
}
/// Calls f(). A wait in EvenCube runs only the tasks that it waits for, so every call is isolated.
template <typename F>
auto isolate(F&& f) -> decltype(f()) {
  return f();
}
/// Queues a call of f() in the calling task's arena, if any, without waiting for it. The program
/// ends if f throws.
template <typename F>
  requires(!std::is_same_v<std::decay_t<F>, task_handle>)
void enqueue(F&& f) {
  static_cast<void>(
      detail::home_runtime().async(detail::unwatched(std::forward<F>(f), detail::arena_here())));
}
/// Runs a task of a group in the arena where the group was made.
inline void enqueue(task_handle&& handle) { detail::handle_access::run(std::move(handle)); }

}  // namespace this_task_arena

}  // namespace evencube::tbb
