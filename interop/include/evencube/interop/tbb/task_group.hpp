#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>

#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/detail/call.hpp>
#include <evencube/interop/tbb/task_group_context.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>
#include <evencube/this_task.hpp>

namespace evencube::tbb {

enum task_group_status { not_complete, complete, canceled };

/// Thrown by a group that is destroyed before its tasks have been waited for.
class missing_wait : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override {
    return "a task_group was destroyed before it was waited for";
  }
};

class task_group;

namespace detail {

/// Calls the function as const if possible, as oneTBB does.
template <typename F>
void call_as_const(F& f) {
  if constexpr (std::is_invocable_v<const F&>) {
    static_cast<void>(std::as_const(f)());
  } else {
    static_cast<void>(f());
  }
}

/// A task that `task_group::defer` made and that has not run yet.
struct deferred_task {
  explicit deferred_task(task_group& group) noexcept : of(group) {}
  deferred_task(const deferred_task&) = delete;
  deferred_task& operator=(const deferred_task&) = delete;
  virtual ~deferred_task() = default;
  virtual void run() = 0;

  task_group& of;
};
template <typename F>
struct deferred_function final : deferred_task {
  template <typename G>
  deferred_function(task_group& group, G&& g)
      : deferred_task(group), function(std::forward<G>(g)) {}
  void run() override { detail::call_as_const(function); }

  F function;
};

struct handle_access;

}  // namespace detail

/// A handle to a task that `task_group::defer` made and that has not been passed to `run`.
class task_handle {
 public:
  task_handle() noexcept = default;
  explicit operator bool() const noexcept { return task_ != nullptr; }
  friend bool operator==(const task_handle& handle, std::nullptr_t) noexcept { return !handle; }

 private:
  friend struct detail::handle_access;

  std::unique_ptr<detail::deferred_task> task_;
};

namespace detail {

struct handle_access {
  static task_handle made_of(std::unique_ptr<deferred_task> task) noexcept {
    task_handle made;
    made.task_ = std::move(task);
    return made;
  }
  /// Releases the handle's task. Throws std::invalid_argument for an empty handle.
  static std::unique_ptr<deferred_task> take(task_handle& from) {
    if (from.task_ == nullptr) throw std::invalid_argument("task_handle: it holds no task");
    return std::move(from.task_);
  }
  /// Runs the task in its group.
  static void run(task_handle&& handle);
};

}  // namespace detail

/// A group of tasks. A task that makes a group must wait for it. Any thread may use a group that
/// was made outside of tasks. A waiting thread outside of tasks takes part in the work if it can
/// become a worker.
class task_group {
 public:
  task_group() : task_group(nullptr) {}
  /// Makes a group that is cancelled together with the context `of`, which must outlive the group.
  explicit task_group(task_group_context& of) : task_group(&of) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// If tasks have not been waited for, cancels the group, waits, drops the tasks' exceptions, and
  /// throws missing_wait unless another exception is being thrown.
  ~task_group() noexcept(false) {
    if (!has_tasks()) return;
    const bool unwinding = std::uncaught_exceptions() != 0;
    cancel();
    try {
      wait();
    } catch (...) {  // of a task
    }
    if (!unwinding) throw missing_wait();
  }

  /// Runs f() as a task of the group.
  template <typename F>
    requires(!std::is_same_v<std::decay_t<F>, task_handle>)
  void run(F&& f) {
    spawn([origin = origin(*this), kept = std::decay_t<F>(std::forward<F>(f))]() mutable {
      origin.of.perform(origin, [&] { detail::call_as_const(kept); });
    });
  }
  /// Runs a task that `defer` made. Throws std::invalid_argument for an empty handle and for a
  /// handle of another group.
  void run(task_handle&& handle) {
    std::shared_ptr<detail::deferred_task> task = detail::handle_access::take(handle);
    if (&task->of != this) throw std::invalid_argument("task_group: a handle of another group");
    run([task = std::move(task)] { task->run(); });
  }
  /// Makes a task in the group and returns its handle; the task begins when the handle is passed to
  /// `run`.
  template <typename F>
  [[nodiscard]] task_handle defer(F&& f) {
    return detail::handle_access::made_of(
        std::make_unique<detail::deferred_function<std::decay_t<F>>>(*this, std::forward<F>(f)));
  }
  /// Waits for the tasks. Throws the first exception that a task threw and that thus cancelled the
  /// group. Afterwards the group can be used again.
  task_group_status wait() {
    struct renewal {
      task_group& of;
      ~renewal() {
        evencube::detail::task_group_access::withdraw_stop(of.group_);
        of.context().reset();
        of.waited_.store(true, std::memory_order_relaxed);
      }
    } const after{*this};
    wait_status status = wait_status::completed;
    std::exception_ptr failure;
    if (outside_) run_kept(failure);
    if (this_task::runtime() != nullptr || !outside_) {
      status = group_.wait();
    } else {
      wait_and_help(status, failure);
    }
    if (failure != nullptr) std::rethrow_exception(failure);
    return status == wait_status::stopped || context().is_group_execution_cancelled() ? canceled
                                                                                      : complete;
  }
  /// Runs f() and waits for the group. Returns the result of `wait` and throws its exceptions.
  template <typename F>
    requires(!std::is_same_v<std::decay_t<F>, task_handle>)
  task_group_status run_and_wait(const F& f) {
    run([&f] { f(); });
    return wait();
  }
  task_group_status run_and_wait(task_handle&& handle) {
    run(std::move(handle));
    return wait();
  }
  /// Cancels the group: tasks that have not begun are skipped.
  void cancel() noexcept {
    context().cancel_group_execution();
    group_.request_stop();
  }

 private:
  explicit task_group(task_group_context* of) : given_(of), group_(made_here()) {
    if (of != nullptr) {
      use_.emplace(*of);
    } else {
      detail::context_access::link_new(own_, detail::here.context);
    }
  }

  /// The group, arena, thread and settings that a task was made with.
  struct origin {
    explicit origin(task_group& group) noexcept : of(group) {}

    task_group& of;
    const void* arena = detail::here.arena;
    const detail::surroundings* thread = &detail::here;
    detail::floating_point_settings settings = detail::floating_point_settings::of_this_thread();
  };

  evencube::task_group made_here() {
    home_ = this_task::runtime();
    outside_ = home_ == nullptr;
    if (!outside_) return evencube::task_group(*home_);
    counted_.emplace();
    const detail::outside_place place = detail::place_for_outside();
    home_ = &place.of;
    part_ = place.part;
    if (part_ != nullptr) return evencube::task_group(*part_);
    return evencube::task_group(place.of);
  }
  [[nodiscard]] task_group_context& context() noexcept {
    return given_ != nullptr ? *given_ : own_;
  }

  /// A task made by an outside thread. Either a worker or the waiting thread runs it, whichever
  /// claims it first.
  struct offered {
    explicit offered(std::function<void()> what) : function(std::move(what)) {}
    /// Returns true for the first caller. The exchange is relaxed, because the list's lock or the
    /// queue has already synchronised the function.
    bool claim() noexcept { return !claimed.exchange(true, std::memory_order_relaxed); }
    void run() {
      const std::function<void()> once = std::move(function);
      once();
    }

    std::function<void()> function;
    std::chrono::steady_clock::time_point made = std::chrono::steady_clock::now();
    std::atomic<bool> claimed{false};
  };

  [[nodiscard]] bool has_tasks() {
    if (waited_.load(std::memory_order_relaxed)) return false;
    if (outside_) {
      const std::lock_guard lock(lock_);
      if (!kept_.empty()) return true;
    }
    try {
      return !group_.wait_for(std::chrono::seconds(0));
    } catch (...) {  // all tasks have ended, one of them with this exception
      return false;
    }
  }

  template <typename Task>
  void spawn(Task&& task) {
    waited_.store(false, std::memory_order_relaxed);
    if (!outside_ || (this_task::runtime() != nullptr && detail::calls_alone == 0)) {
      group_.spawn(std::forward<Task>(task));
      return;
    }
    auto kept = std::make_shared<std::decay_t<Task>>(std::forward<Task>(task));
    const auto made = std::make_shared<offered>([kept] { (*kept)(); });
    const bool alone = detail::limited_to_one();
    {
      const std::lock_guard lock(lock_);
      while (!offered_.empty() && offered_.front()->claimed.load(std::memory_order_relaxed)) {
        offered_.pop_front();
      }
      (alone ? kept_ : offered_).push_back(made);
    }
    if (!alone) {
      group_.spawn([made] {
        if (made->claim()) made->run();
      });
    }
  }
  /// Runs f() as a task of the group, unless the group is cancelled. An exception of f cancels the
  /// group.
  template <typename F>
  void perform(const origin& from, const F& f) {
    if (detail::context_access::cancelled_inside(context())) return;
    const detail::surroundings_scope now({&context(), from.arena});
    const auto& captured = detail::context_access::settings(context());
    detail::notice_observers();
    try {
      if (captured) {
        const detail::floating_point_scope calculating(*captured);
        f();
      } else if (from.thread != &detail::here) {
        const detail::floating_point_scope calculating(from.settings);
        f();
      } else {  // the thread that made the task already has the settings
        f();
      }
    } catch (...) {
      detail::terminate_if_asked();
      cancel();
      throw;
    }
  }
  /// Runs a task on this thread and keeps the first exception.
  static void run_here(offered& task, std::exception_ptr& failure) {
    try {
      detail::inside([&] { task.run(); });
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
  }
  /// Runs the tasks that were kept because the limit was one thread, newest first.
  void run_kept(std::exception_ptr& failure) {
    for (;;) {
      std::shared_ptr<offered> newest;
      {
        const std::lock_guard lock(lock_);
        if (kept_.empty()) return;
        newest = std::move(kept_.back());
        kept_.pop_back();
      }
      run_here(*newest, failure);
    }
  }
  /// Runs the tasks that no worker has begun in time, then waits for the group.
  void wait_and_help(wait_status& status, std::exception_ptr& failure) {
    using std::chrono::microseconds;
    detail::defaults& all = detail::the_defaults();
    const detail::program_thread_scope inside_now(all);
    // If a worker without other work comes in time, it should begin a task that has parallel parts.
    constexpr microseconds patience{100};
    // Under a limit, the tasks that hold all places may need a task that has no place, so that task
    // finally runs in addition to them.
    const microseconds alone_after = part_ == nullptr ? patience : microseconds{100'000};
    while (const std::shared_ptr<offered> task = oldest_offered()) {
      const auto age = std::chrono::steady_clock::now() - task->made;
      if (age < patience) {
        std::this_thread::sleep_for(patience - age);
      } else if (run_as_worker(*task, failure)) {
        continue;
      } else if (age < alone_after) {
        std::this_thread::sleep_for(patience);
      } else if (task->claim()) {
        detail::call_alone(all, [&] { run_here(*task, failure); });
      }
    }
    status = group_.wait();
  }
  /// Runs the task as worker 0, in a place of the arena that a limit requires, unless a worker has
  /// begun the task. Returns false if another thread is worker 0, or no place is free.
  bool run_as_worker(offered& task, std::exception_ptr& failure) {
    bool begun = false;
    const auto call = [&] {
      begun = true;
      if (task.claim()) run_here(task, failure);
    };
    constexpr run_options here_only{.pin = false, .here_only = true};
    try {
      if (part_ != nullptr) {
        part_->run(call, here_only);
      } else {
        home_->run(call, here_only);
      }
    } catch (const error&) {
      if (begun) throw;
    }
    return begun;
  }
  std::shared_ptr<offered> oldest_offered() {
    const std::lock_guard lock(lock_);
    while (!offered_.empty() && offered_.front()->claimed.load(std::memory_order_relaxed)) {
      offered_.pop_front();
    }
    return offered_.empty() ? nullptr : offered_.front();
  }

  task_group_context own_;
  task_group_context* given_;
  std::optional<detail::context_use> use_;
  std::optional<detail::reference_to_defaults> counted_;
  runtime* home_ = nullptr;
  arena* part_ = nullptr;  // arena of a group made outside of tasks under a limit
  bool outside_ = false;
  std::atomic<bool> waited_{true};                // false if there may be tasks; a hint
  std::mutex lock_;                               // guards both lists
  std::deque<std::shared_ptr<offered>> kept_;     // not known to workers
  std::deque<std::shared_ptr<offered>> offered_;  // also known to workers
  evencube::task_group
      group_;  // the last member: its destructor waits for tasks that use the other members
};

namespace detail {
inline void handle_access::run(task_handle&& handle) {
  if (handle.task_ == nullptr) throw std::invalid_argument("task_handle: it holds no task");
  task_group& group = handle.task_->of;
  group.run(std::move(handle));
}
}  // namespace detail

/// Another name for task_group: in EvenCube, every wait runs only the tasks that it waits for, so
/// all groups are isolated.
class isolated_task_group : public task_group {
 public:
  using task_group::task_group;
};

/// Returns true if the calling task's group, or the algorithm whose body makes this call, has been
/// cancelled.
[[nodiscard]] inline bool is_current_task_group_canceling() noexcept {
  const task_group_context* const context = detail::here.context;
  return (context != nullptr && detail::context_access::cancelled_inside(*context)) ||
         this_task::stop_requested();
}

}  // namespace evencube::tbb
