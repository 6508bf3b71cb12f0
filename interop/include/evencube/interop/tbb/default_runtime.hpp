#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>  // on POSIX systems, declares the functions for thread attributes
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/arena.hpp>
#include <evencube/error.hpp>
#include <evencube/interop/tbb/detail/floating_point.hpp>
#include <evencube/interop/tbb/task_scheduler_observer.hpp>
#include <evencube/machine.hpp>
#include <evencube/observer.hpp>
#include <evencube/runtime.hpp>
#include <evencube/this_task.hpp>

namespace evencube::tbb {

namespace detail {

/// Notifies the program's observers when a worker goes to sleep or ends.
class exit_notifier : public evencube::observer {
 public:
  void worker_stopped(unsigned /*worker*/) override { leave(); }
  void worker_parks(unsigned /*worker*/) override {
    // A worker that sleeps in a wait is still in the arena.
    if (here.context == nullptr && here.arena == nullptr) leave();
  }

 private:
  static void leave() {
    if (!program_thread_inside) leave_observers(nullptr, true);
  }
};

/// The limits that `global_control` objects set, the default runtime if it exists, and other state
/// for calls from outside of tasks.
struct defaults {
  std::mutex lock;  // guards everything below except the atomics
  std::vector<std::size_t> limits;
  std::vector<std::size_t> stack_sizes;
  std::unique_ptr<runtime> made;
  // The runtime's arenas by number of places, for limits below its number of workers.
  std::map<unsigned, std::unique_ptr<arena>> narrower;
  // Former default runtimes, which had fewer workers than a later limit allows, with their arenas.
  // The program's arenas and groups may still refer to them.
  std::vector<std::unique_ptr<runtime>> former;
  std::vector<std::unique_ptr<arena>> former_arenas;
  // Unused runtimes with one worker each.
  std::vector<std::unique_ptr<runtime>> lone;
  unsigned handles = 0;  // task_scheduler_handle objects that are set
  // The number of calls from outside in progress, plus the number of arenas and groups that refer
  // to the default runtime. Seq_cst: compared with zero before the runtime is ended.
  std::atomic<std::size_t> users{0};
  // True while a call from outside is worker 0, so that other calls do not try to become worker 0.
  std::atomic<bool> seat_taken{false};
  // How long a call from outside waits for a worker, in microseconds. Relaxed: a hint.
  std::atomic<unsigned> patience{20000};
};
/// Returns the state. Throws evencube::error if the default runtime has already ended with the
/// program, as in destructors of static variables made before the runtime.
inline defaults& the_defaults() {
  static constinit std::atomic<bool> ended{false};
  struct ending : defaults {
    ~ending() { ended.store(true, std::memory_order_relaxed); }
  };
  static ending all;
  if (ended.load(std::memory_order_relaxed)) {
    throw error(
        "default_runtime: it has ended with the program; a static variable whose destructor "
        "uses it has to use it, or make it, in its constructor");
  }
  return all;
}

/// The number of `global_control` objects that turn on `terminate_on_exception`. Relaxed: they are
/// made before the calls that they apply to.
inline constinit std::atomic<unsigned> terminating_controls{0};

/// Ends the program if a `global_control` object requires it. Called in handlers for exceptions
/// from bodies and tasks.
inline void terminate_if_asked() noexcept {
  if (terminating_controls.load(std::memory_order_relaxed) != 0) std::terminate();
}

/// Returns the smallest limit; empty if there is no limit. Call with the lock held.
inline std::optional<unsigned> lowest_limit(const defaults& all) {
  const auto fewest = std::min_element(all.limits.begin(), all.limits.end());
  if (fewest == all.limits.end()) return std::nullopt;
  return static_cast<unsigned>(*fewest);
}

/// Sets the stack size for threads made while this object lives.
class stack_size_scope {
 public:
  explicit stack_size_scope(const std::vector<std::size_t>& wanted) {
#ifdef __GLIBC__
    if (wanted.empty()) return;
    pthread_attr_t attributes;
    if (pthread_getattr_default_np(&attributes) != 0) return;
    pthread_attr_getstacksize(&attributes, &before_);
    set_ = pthread_attr_setstacksize(&attributes,
                                     *std::max_element(wanted.begin(), wanted.end())) == 0 &&
           pthread_setattr_default_np(&attributes) == 0;
    pthread_attr_destroy(&attributes);
#else
    static_cast<void>(wanted);
#endif
  }
  stack_size_scope(const stack_size_scope&) = delete;
  stack_size_scope& operator=(const stack_size_scope&) = delete;
  ~stack_size_scope() {
#ifdef __GLIBC__
    pthread_attr_t attributes;
    if (!set_ || pthread_getattr_default_np(&attributes) != 0) return;
    pthread_attr_setstacksize(&attributes, before_);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
#endif
  }

 private:
  [[maybe_unused]] std::size_t before_ = 0;
  [[maybe_unused]] bool set_ = false;
};

inline std::size_t usual_stack_size() noexcept {
  std::size_t size = std::size_t{8} << 20;
#ifdef __GLIBC__
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
  }
#endif
  return size;
}

/// Returns the number of workers of a runtime made without a limit.
inline unsigned usual_workers() {
  static const unsigned number = [] {
    if (const char* const text = std::getenv("EVENCUBE_WORKERS"); text != nullptr) {
      const long asked = std::strtol(text, nullptr, 10);
      if (asked >= 1 && asked <= long{runtime_options::max_workers}) {
        return static_cast<unsigned>(asked);
      }
    }
    return discover_machine().default_workers;
  }();
  return number;
}

/// Returns the default runtime, which has at least as many workers as the limits allow. A limit of
/// 1 is ignored, because it does not need the default runtime. Call with the lock held.
inline runtime& made_default(defaults& all) {
  const std::optional<unsigned> limit = lowest_limit(all);
  const unsigned wanted = limit && *limit > 1 ? *limit : 0;
  const unsigned fewest = wanted == 0 ? usual_workers() : wanted;
  if (all.made != nullptr && all.made->workers() >= fewest) return *all.made;
  const stack_size_scope stacks(all.stack_sizes);
  runtime_options options;
  options.workers = wanted;
  options.observer = std::make_shared<exit_notifier>();
  auto bigger = std::make_unique<runtime>(std::move(options));
  if (all.made != nullptr) {
    all.former.push_back(std::move(all.made));
    for (auto& part : all.narrower) all.former_arenas.push_back(std::move(part.second));
    all.narrower.clear();
  }
  all.made = std::move(bigger);
  return *all.made;
}

}  // namespace detail

/// Returns the runtime for calls from outside of tasks. The runtime is made when first needed, with
/// one worker per core, or with as many workers as `global_control` objects allow at that time. A
/// limit of 1 is ignored here. If the limits change to allow more workers, later calls use another
/// runtime with more workers. The runtime ends with the program. Throws the exceptions of the
/// runtime's constructor.
inline runtime& default_runtime() {
  detail::defaults& all = detail::the_defaults();
  const std::lock_guard lock(all.lock);
  return detail::made_default(all);
}

namespace detail {

/// The number of calls on this thread's stack that run in a one-worker runtime.
inline thread_local unsigned calls_alone = 0;

/// Returns the runtime of the calling task, or the default runtime outside of tasks and in calls
/// made by `call_alone`.
inline runtime& home_runtime() {
  runtime* const here_now = this_task::runtime();
  return here_now != nullptr && calls_alone == 0 ? *here_now : default_runtime();
}

/// Returns true if the limit is one thread, so everything runs on the calling thread.
inline bool limited_to_one() {
  defaults& all = the_defaults();
  const std::lock_guard lock(all.lock);
  return lowest_limit(all) == 1U;
}

/// Where calls from outside run: the default runtime, or one of its arenas if a limit requires
/// this.
struct outside_place {
  runtime& of;
  arena* part;  // null: the whole runtime
};
/// Returns where calls from outside run. Call with the lock held.
inline outside_place place_with_lock(defaults& all) {
  runtime& of = made_default(all);
  // An earlier limit may have allowed more workers than usual.
  const unsigned limit = lowest_limit(all).value_or(detail::usual_workers());
  if (limit >= of.workers()) return {of, nullptr};
  std::unique_ptr<arena>& part = all.narrower[limit];
  if (part == nullptr) part = std::make_unique<arena>(of, arena_options{.workers = limit});
  return {of, part.get()};
}
inline outside_place place_for_outside() {
  defaults& all = the_defaults();
  const std::lock_guard lock(all.lock);
  return place_with_lock(all);
}

/// Calls f() on the calling thread as the only worker of a runtime.
template <typename F>
void call_alone(defaults& all, const F& f) {
  std::unique_ptr<runtime> mine;
  {
    const std::lock_guard lock(all.lock);
    if (!all.lone.empty()) {
      mine = std::move(all.lone.back());
      all.lone.pop_back();
    }
  }
  if (mine == nullptr) {
    mine = std::make_unique<runtime>(runtime_options{
        .workers = 1, .balancer = "none", .mode = balancer_mode::on_demand, .pin = false});
  }
  struct giving_back {
    defaults& to;
    std::unique_ptr<runtime>& what;
    ~giving_back() {
      --calls_alone;
      try {
        const std::lock_guard lock(to.lock);
        to.lone.push_back(std::move(what));
      } catch (...) {  // out of memory: the next call makes another runtime
      }
    }
  } const after{all, mine};
  ++calls_alone;
  mine->run(f, {.pin = false});
}

/// A call that an outside thread offers to the workers. Either the thread or a worker makes the
/// call, whichever begins first.
template <typename F>
class offered_call {
 public:
  explicit offered_call(const F& f) : function_(f) {}

  /// Makes the call unless it was withdrawn. Called by a worker.
  void make() noexcept {
    {
      const std::lock_guard lock(lock_);
      if (state_ != state::offered) return;
      state_ = state::begun;
    }
    try {
      const surroundings_scope as_there(surroundings_);
      const floating_point_scope calculating(settings_);
      function_();
    } catch (...) {
      failure_ = std::current_exception();
    }
    // Notified with the lock held: afterwards the caller may have destroyed this object.
    const std::lock_guard lock(lock_);
    state_ = state::ended;
    changed_.notify_all();
  }
  /// Waits for a worker to begin the call. If no worker does so in time, withdraws the offer and
  /// returns false.
  bool await_begin(std::chrono::microseconds patience) {
    std::unique_lock lock(lock_);
    changed_.wait_for(lock, patience, [this] { return state_ != state::offered; });
    if (state_ != state::offered) return true;
    state_ = state::withdrawn;
    return false;
  }
  /// Waits until a call that has begun ends; throws its exception, if any.
  void await_end() {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [this] { return state_ == state::ended; });
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  enum class state { offered, begun, ended, withdrawn };

  const F& function_;
  const surroundings surroundings_ = here;
  const floating_point_settings settings_ = floating_point_settings::of_this_thread();
  std::mutex lock_;  // guards the state
  std::condition_variable changed_;
  state state_ = state::offered;
  std::exception_ptr failure_;
};

/// Calls f() on a worker, or on the calling thread alone if no worker begins the call in time. So
/// every call makes progress, even if more calls than there are workers wait for one another.
template <typename F>
void offer_call(defaults& all, const outside_place& place, const F& f) {
  constexpr unsigned longest = 20000;
  constexpr unsigned shortest = 50;
  const auto offer = std::make_shared<offered_call<F>>(f);
  const auto task = [offer] { offer->make(); };
  if (place.part != nullptr) {
    static_cast<void>(place.part->async(task));
  } else {
    static_cast<void>(place.of.async(task));
  }
  const unsigned patience = all.patience.load(std::memory_order_relaxed);
  const bool begun = offer->await_begin(std::chrono::microseconds(patience));
  // If the workers were too busy, they will probably be busy next time as well.
  all.patience.store(begun ? (std::min)(longest, 2 * patience) : (std::max)(shortest, patience / 2),
                     std::memory_order_relaxed);
  if (begun) {
    offer->await_end();
  } else {
    detail::call_alone(all, f);
  }
}

/// Counts one of the program's arenas or groups as referring to the default runtime.
class reference_to_defaults {
 public:
  reference_to_defaults() : of_(&the_defaults()) {
    of_->users.fetch_add(1, std::memory_order_seq_cst);
  }
  reference_to_defaults(const reference_to_defaults&) = delete;
  reference_to_defaults& operator=(const reference_to_defaults&) = delete;
  ~reference_to_defaults() { of_->users.fetch_sub(1, std::memory_order_seq_cst); }

 private:
  defaults* of_;
};

/// Counts a program thread as inside the runtime, and reports its exit to the observers.
class program_thread_scope {
 public:
  explicit program_thread_scope(defaults& all) noexcept : all_(all) {
    all_.users.fetch_add(1, std::memory_order_seq_cst);
    program_thread_inside = true;
  }
  program_thread_scope(const program_thread_scope&) = delete;
  program_thread_scope& operator=(const program_thread_scope&) = delete;
  ~program_thread_scope() {
    leave_observers(nullptr, true);
    program_thread_inside = before_;
    all_.users.fetch_sub(1, std::memory_order_seq_cst);
  }

 private:
  defaults& all_;
  bool before_ = program_thread_inside;
};

template <typename F>
void call_from_outside(const F& f) {
  defaults& all = the_defaults();
  const program_thread_scope inside_now(all);
  std::optional<outside_place> place;
  {
    const std::lock_guard lock(all.lock);
    if (lowest_limit(all) != 1U) place.emplace(place_with_lock(all));
  }
  if (!place) {
    detail::call_alone(all, f);
    return;
  }
  // Relaxed: a hint that spares other calls an exception.
  if (!all.seat_taken.exchange(true, std::memory_order_relaxed)) {
    struct leaving {
      std::atomic<bool>& flag;
      ~leaving() { flag.store(false, std::memory_order_relaxed); }
    };
    bool begun = false;
    const auto noted = [&] {
      begun = true;
      f();
    };
    const run_options free{.pin = false, .here_only = true};
    const leaving after{all.seat_taken};
    try {
      if (place->part != nullptr) {
        place->part->run(noted, free);
      } else {
        place->of.run(noted, free);
      }
      return;
    } catch (const error&) {
      if (begun) throw;
    }
  }
  detail::offer_call(all, *place, f);
}

/// Calls f() in the calling task, or in a task of the default runtime. As in oneTBB, the call does
/// not bind the calling thread to a core, because programs make thousands of such calls.
template <typename F>
void inside(const F& f) {
  static_assert(std::is_void_v<decltype(f())>);
  try {
    if (this_task::runtime() != nullptr) {
      f();
    } else {
      detail::call_from_outside(f);
    }
  } catch (...) {  // thrown not only by bodies, but also by functions such as comparisons
    detail::terminate_if_asked();
    throw;
  }
}

}  // namespace detail

}  // namespace evencube::tbb
