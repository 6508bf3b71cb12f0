#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/balancers/choice.hpp>
#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/balancing.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/error.hpp>
#include <evencube/experimental/options.hpp>
#include <evencube/future.hpp>
#include <evencube/hotness.hpp>
#include <evencube/machine.hpp>
#include <evencube/observer.hpp>
#include <evencube/recording.hpp>
#include <evencube/statistics.hpp>
#include <evencube/task_group.hpp>

namespace evencube {

/// Determines which thread plans balancing rounds.
enum class balancer_mode {
  /// Same as `thread` if there are two or more workers. With a single worker no thread plans
  /// rounds, because there is no other worker to send tasks to.
  automatic,
  /// A separate thread plans a round when a worker's load crosses `runtime_options::threshold` and
  /// whenever `runtime_options::period` has passed; otherwise this thread sleeps. A worker that
  /// runs out of work also plans a round, as with `on_idle`.
  thread,
  /// Only workers that have run out of work plan rounds, because they have nothing else to do.
  on_idle,
  /// Rounds happen only when the program calls `runtime::balance` or `hold_guard::balance`. Idle
  /// workers still take tasks from other workers, unless `runtime_options::pulls` is off or the
  /// strategy preserves the task order.
  on_demand
};

/// The options of a runtime. The runtime's constructor validates them.
struct runtime_options {
  /// The largest allowed value of `workers`.
  static constexpr unsigned max_workers = 1024;
  /// The largest allowed value of `spare_workers`.
  static constexpr unsigned max_spare_workers = 256;
  /// The largest allowed value of `period`.
  static constexpr std::chrono::hours max_period{24};

  /// The number of workers, in [1, max_workers]. 0 means one worker per allowed processing unit,
  /// but no more than the CPU quota (rounded down). The environment variable EVENCUBE_WORKERS
  /// overrides this default. If there are more workers than units, the workers share the units.
  unsigned workers = 0;
  /// The number of spare workers, in [0, max_spare_workers]. Each spare worker is a thread that
  /// sleeps until a task enters a `blocking` scope, and then stands in for that task's worker. So
  /// at most `spare_workers` blocked workers are replaced at any time.
  unsigned spare_workers = 0;
  /// The balancer, given either as an object that holds its options, such as `balancers::oem{}`
  /// (<evencube/balancers/options.hpp>), or as the name of a registered balancer. With
  /// `balancers::none`, tasks stay in the queues to which they were spawned. With
  /// `balancers::random_stealing`, which exists for comparison, an idle worker takes the oldest
  /// task from a randomly chosen worker.
  balancer_choice balancer = "oem";
  /// The options of a balancer that is given by name. Must be empty if the balancer is given as an
  /// object.
  balancer_options options = {};
  /// The way in which plans are carried out: a value such as `transmission::direct`, or
  /// `transmissions::pipelined` with a batch size. It can also be given as a string: "direct",
  /// "phased", "overlapped", "overlapped_rounds", "pipelined", or "pipelined:N" for batches of N
  /// quanta.
  transmission_choice transmission = "direct";
  /// Determines which thread plans the rounds.
  balancer_mode mode = balancer_mode::automatic;
  /// If true, idle workers also take tasks between rounds, from the worker with the largest load.
  /// If false, only the balancer moves tasks, and event-driven strategies act only for workers that
  /// have run out of work or whose load has crossed `threshold`. Tasks whose worker sleeps in a
  /// wait or blocks are still rescued, because some waits might otherwise never end. Must be true
  /// for "random_stealing", which moves tasks only by pulls.
  bool pulls = true;
  /// If true, workers begin the largest tasks first, whether they take them from their own queues
  /// or from other workers, so that the last tasks to end are small. The option applies to queues
  /// whose tasks have different costs (`spawn_options::cost` or `measured_costs`) and take several
  /// microseconds. If false, a worker runs its newest tasks first and other workers take the oldest
  /// tasks, regardless of cost. The option has no effect if the strategy preserves the task order.
  bool largest_first = true;
  /// If true, each worker is bound to a part of the machine (`pin_to`). If there are several
  /// workers, a thread that calls `run` is bound while it is worker 0; its affinity is restored
  /// afterwards. Threads that it creates in the meantime inherit the binding; see
  /// `unpin_current_thread`. Setting this to false has the same effect as `pin_to = pinning::none`.
  bool pin = true;
  /// The part of the machine to which each worker is bound. A larger part gives the operating
  /// system's scheduler more choice; a smaller part keeps caches warm.
  pinning pin_to = pinning::unit;
  /// The prefix NAME of the thread names that ps, top and debuggers show: NAME-0, NAME-1, ... for
  /// the workers, NAME-plan for the balancer's thread, and NAME-s0, ... for the spare workers. NAME
  /// is shortened so that each thread name has at most 15 characters. The thread that calls `run`
  /// keeps its own name. Must not be empty.
  std::string name = "evencube";
  /// The interval at which the balancer's thread checks the loads, even if no worker wakes it
  /// (modes `thread` and `automatic`). In [0, max_period]; 0 disables periodic checks.
  std::chrono::microseconds period{0};
  /// The load in quanta above which a worker wakes the balancer. Used in the modes `thread` and
  /// `automatic`, and by event-driven strategies in every mode except `on_demand`. The threshold
  /// has no effect if the balancer's options set marks (`balancer::marks`), such as `high` of
  /// `sender_initiated` and `low` of `receiver_initiated`. In that case, a worker wakes the
  /// balancer when its load crosses a mark.
  std::uint64_t threshold = 256;
  /// The maximum number of tasks from outside threads that may wait for a worker, in [1, 65534],
  /// rounded up to a power of two. An outside thread that spawns more tasks blocks until half of
  /// the room is free. Spawns inside a `blocking` scope, or while all workers are in such scopes,
  /// never block and are not limited.
  unsigned injection_capacity = 4096;
  /// Determines how long a worker without work stays awake. The runtime rereads the CPU quota
  /// repeatedly, and uses `never` while the quota allows no more processors than there are workers.
  evencube::hotness hotness = evencube::hotness::learned;
  /// If true, a worker that is about to sleep in a wait checks whether this wait depends on itself,
  /// through tasks that have begun. Such a cycle of waits would be a deadlock, so the runtime
  /// writes the cycle to standard error and calls std::abort. Waits with a time limit, waits for
  /// any of several futures and waits for coroutines are not recognised as part of a cycle. The
  /// check takes O(s^2) time for s sleeping workers. If this option is empty, the check is enabled
  /// only if the library was built with assertions.
  std::optional<bool> check_waits = std::nullopt;
  /// If true, a task's cost is the time that other tasks with the same function took. A quantum is
  /// then a microsecond, and `spawn_options::cost` is a factor. Only a sample of the tasks is
  /// measured. Until three tasks with a given function have been measured, tasks with this function
  /// have the cost in their `spawn_options`. `statistics::task_costs` reports the results. If
  /// false, the program defines what a quantum is, and a task costs one quantum unless the program
  /// specifies a cost. Forks, loop pieces and coroutines always cost one quantum.
  bool measured_costs = false;
  /// The description of another machine in hwloc's synthetic format, such as "numa:2 core:4 pu:2";
  /// empty means this machine. The described machine determines the placement, the number of
  /// workers, the neighbours and the speeds that planners use. The threads still run on this
  /// machine and are not bound.
  std::string synthetic_machine = {};
  /// Options that may change or be removed in any version.
  experimental_options experimental = {};
  /// The observer, or null. It is notified of worker events and, if it is a `task_observer`, of the
  /// tasks that the workers run.
  std::shared_ptr<evencube::observer> observer = nullptr;
};

/// The options of a single call of `runtime::run` or `arena::run` from an outside thread.
struct run_options {
  /// If true, the calling thread is bound while it is worker 0, provided that the runtime binds its
  /// workers. If false, the thread is moved to worker 0's unit only if it is running on another
  /// worker's unit, and its affinity is restored immediately. Use false for many short calls:
  /// binding and unbinding a thread takes three system calls, each of which may delay the thread by
  /// milliseconds if other programs keep the processors busy.
  bool pin = true;
  /// Determines what happens if the calling thread cannot become worker 0 immediately, or if the
  /// arena has no free place. If true, `run` throws evencube::error and does not call f. If false,
  /// another worker calls f, or `run` waits for a free place.
  bool here_only = false;
};

class hold_guard;
class runtime_scheduler;
class schedule_sender;

/// A cube of workers. The constructor creates a thread for each worker except worker 0, and for
/// each spare worker. Worker 0's thread is created when the first task is spawned from outside. The
/// destructor joins all threads. Workers without work sleep. Any thread may call any member at any
/// time, unless the member's description says otherwise.
class runtime {
 public:
  /// Creates the workers and their threads. Throws std::invalid_argument if an option is invalid;
  /// the message names the option and its allowed values. Throws std::system_error if the system
  /// cannot create a thread; the message names this thread, and the threads created before it have
  /// been joined.
  EVENCUBE_EXPORT explicit runtime(runtime_options options = {});
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  /// Runs all tasks that `async` has queued, then joins all threads. After `stop` the destructor
  /// has nothing left to do. When the destructor is called, every group must have been waited for,
  /// and no `run` may be in progress.
  ///
  /// In a forked child the destructor returns immediately, because the threads belong to the
  /// parent. It also returns immediately on a thread of this runtime and on a thread that holds the
  /// runtime. For example, a task may call `std::exit`, which destroys static runtimes; the threads
  /// then end with the process. The destructor also returns soon in a task of another runtime if
  /// running tasks of this runtime may be waiting for that task.
  EVENCUBE_EXPORT ~runtime();

  /// Calls f() as a task and returns its result, or rethrows its exception. The calling thread is
  /// worker 0 until f returns. If another thread is already worker 0, or the caller is a worker of
  /// another runtime, f instead runs as a task on any worker. Inside a task of this runtime, `run`
  /// calls f directly.
  ///
  /// Threads that f creates inherit the binding to worker 0's unit; see `unpin_current_thread`.
  /// Throws evencube::error in a forked child, and on a thread that holds this runtime.
  template <rule::callable_in_place F>
  auto run(F&& f, const run_options& options = {}) -> detail::call_result_t<F> {
    using result = detail::call_result_t<F>;
    std::optional<detail::kept<result>> value;
    const auto call = [&] { value.emplace(detail::call_to_keep(f)); };
    run_erased([](void* c) { (*static_cast<decltype(call)*>(c))(); },
               const_cast<void*>(static_cast<const void*>(&call)), options);
    return detail::give_back<result>(*value);
  }

  /// Queues f() as a task and returns a future for its result. If the calling task's worker already
  /// has more than 65536 tasks queued, a new task of normal priority runs immediately, as in
  /// `task_group::spawn`. Throws the same exceptions as `task_group::spawn`.
  template <rule::callable_without_arguments F>
    requires rule::movable_into_a_task<F> &&
             rule::keepable_result<detail::call_result_t<std::decay_t<F>>>
  auto async(F&& f, const spawn_options& options = {})
      -> future<detail::call_result_t<std::decay_t<F>>> {
    return detail::make_future<detail::call_result_t<std::decay_t<F>>>(detail::workers_of(*this),
                                                                       std::forward<F>(f), options);
  }

  /// Starts the coroutine `body` as a task and returns a future for its result, like `start`.
  /// Requires <evencube/coroutine.hpp>.
  template <typename T>
  future<T> async(task<T> body, const spawn_options& options = {});

  /// Returns a sender with the given priority. `co_await rt.schedule()` resumes the calling
  /// coroutine on a worker of this runtime; see `schedule_sender` for the order. Requires
  /// <evencube/coroutine.hpp>. Throws std::invalid_argument if `level` is not a valid priority.
  [[nodiscard]] EVENCUBE_EXPORT schedule_sender schedule(priority level = priority::normal);
  /// Returns a copyable scheduler for this runtime. Its `schedule` returns the same kind of sender
  /// as `runtime::schedule`. Requires <evencube/coroutine.hpp>.
  [[nodiscard]] EVENCUBE_EXPORT runtime_scheduler get_scheduler() noexcept;

  /// Returns the number of workers, not counting spare workers; at least 1.
  [[nodiscard]] EVENCUBE_EXPORT unsigned workers() const noexcept;
  /// Returns the number of spare workers, which stand in for workers in `blocking` scopes
  /// (<evencube/blocking.hpp>).
  [[nodiscard]] EVENCUBE_EXPORT unsigned spare_workers() const noexcept;
  /// Returns one line that explains how the number of workers was chosen and lists the workers that
  /// the system refused to bind.
  [[nodiscard]] EVENCUBE_EXPORT std::string reason() const;
  /// Returns the topology of the workers, which is a cube.
  [[nodiscard]] EVENCUBE_EXPORT const evencube::topology& topology() const noexcept;
  /// Returns the processing units of the workers: element k is worker k's unit, as an index into
  /// hardware().units.
  [[nodiscard]] EVENCUBE_EXPORT const std::vector<unsigned>& placement() const noexcept;
  /// Returns the runtime's description of the machine.
  [[nodiscard]] EVENCUBE_EXPORT const machine& hardware() const noexcept;

  /// Plans and carries out one round now; tasks keep running meanwhile. Returns true if tasks were
  /// moved. Returns false if no tasks were moved, if another round is in progress, or if a thread
  /// holds the runtime. Rethrows any exception thrown by the balancer.
  EVENCUBE_EXPORT bool balance();

  /// Changes the strategy, even while tasks are running; later rounds use the new strategy. The
  /// arguments mean the same as in `runtime_options`. Throws the same exceptions as the
  /// constructor; the strategy is then unchanged.
  EVENCUBE_EXPORT void use_balancer(const balancer_choice& balancer,
                                    const balancer_options& options = {},
                                    const transmission_choice& transmission = "direct");
  /// Changes the strategy, like the overload above, but without an `options` argument. It is a
  /// template, so that a braced list as the second argument is always taken as options.
  template <std::convertible_to<transmission_choice> Transmission>
  void use_balancer(const balancer_choice& balancer, const Transmission& transmission) {
    use_balancer(balancer, {}, transmission);
  }

  /// Returns a snapshot of the counters since the last `reset_stats`. While tasks are running, the
  /// snapshot is slightly out of date.
  [[nodiscard]] EVENCUBE_EXPORT statistics stats() const;
  /// Sets all counters reported by `stats` to zero, except `statistics::task_costs`.
  EVENCUBE_EXPORT void reset_stats();

  /// Records every task and every round from now on, until `stop_recording` is called. Tasks
  /// spawned before this call are not recorded, and tasks that they spawn have no parent. During a
  /// recording, other workers can take every task and every fork as soon as it is spawned. The call
  /// briefly pauses the workers like `hold`, and has the same rules and exceptions. If the
  /// recording's memory is used up, the recording ends and the program continues.
  ///
  /// Throws evencube::error if a recording is already in progress, and std::invalid_argument if
  /// `options.memory` is too small.
  EVENCUBE_EXPORT void start_recording(const recording_options& options = {});
  /// Ends the recording and returns it. Tasks that have not ended are left out. The call briefly
  /// pauses the workers like `hold`. Takes O(n log n) time for n events. Throws evencube::error if
  /// no recording is in progress. Throws std::bad_alloc if there is not enough memory for the
  /// result; the recording has then ended and is lost.
  [[nodiscard]] EVENCUBE_EXPORT recording stop_recording();
  /// Ends the recording like `stop_recording` and writes it to `file` as a trace for `evencube
  /// trace` and `whatif`. If the program links `EvenCube::pages`, the name may also end in `.html`
  /// (a web page) or `.json` (for Perfetto). The file appears only when it is complete. `about` is
  /// the program's name in the file; if empty, the name of the executable is used. Throws the same
  /// exceptions as `stop_recording`. If the file cannot be written or a spare worker had a task,
  /// throws evencube::error, whose message names the file and the reason. If the call fails before
  /// the recording has ended, for example because the folder does not exist, the recording
  /// continues.
  EVENCUBE_EXPORT void save_trace(const std::string& file, const std::string& about = {});

  /// Returns one line per worker that shows what the worker is doing and which tasks it has. A
  /// watchdog can call this function when a program seems stuck. The call takes no locks.
  [[nodiscard]] EVENCUBE_EXPORT std::string describe() const;
  /// Writes the output of `describe` to a file descriptor. May be called from a signal handler.
  EVENCUBE_EXPORT void describe_to(int descriptor) const noexcept;

  /// Shuts down the runtime permanently, and returns when all running tasks have ended and all
  /// threads are joined. Tasks that have begun run to their end, including their forks and loops;
  /// they may check `this_task::stop_requested`. No other task begins. Tasks that have not begun
  /// are dropped: their functions are destroyed without being called. A wait for the group of such
  /// a task ends and returns `wait_status::stopped`. The future of such a task throws
  /// evencube::error, and so does a `run` whose function had not begun. From this call on, spawn,
  /// async, run, hold and start_recording throw evencube::error on threads outside the runtime's
  /// tasks. New tasks spawned by running tasks are dropped. Statistics remain available.
  ///
  /// Several threads may call `stop` concurrently; each call returns when all tasks have ended.
  /// Later calls do nothing, and the destructor has nothing left to do. `stop` waits for running
  /// tasks, so no running task may depend on the caller. It checks every millisecond whether the
  /// tasks have ended. Throws evencube::error inside a task or a balancer of this runtime, on a
  /// thread that holds this runtime, and in a forked child. Also throws evencube::error in a task
  /// of another runtime if tasks of this runtime may be waiting for that task. Throws
  /// std::system_error if a runtime with one worker needs a thread to drop the remaining tasks and
  /// cannot create it; `stop` may then be called again.
  EVENCUBE_EXPORT void stop();
  /// Returns true if `stop` has been called and has not thrown evencube::error.
  [[nodiscard]] EVENCUBE_EXPORT bool stopped() const noexcept;

  /// Pauses every worker at its next fork, spawn or task end. Once all workers are paused, returns
  /// a guard whose destructor lets them continue. The call waits for running tasks, so no running
  /// task may depend on the caller. If another thread holds the runtime, the call first waits for
  /// that hold to end. Throws evencube::error inside a task of this runtime, and on a thread that
  /// already holds the runtime.
  [[nodiscard]] EVENCUBE_EXPORT hold_guard hold();

 private:
  friend detail::all_workers& detail::workers_of(runtime& runtime);

  EVENCUBE_EXPORT void run_erased(void (*call)(void*), void* context, const run_options& options);

  detail::engine* const engine_;
};

/// Holds a runtime while this object lives: all workers are paused between two tasks, so the queues
/// can be read and balanced exactly. Only the thread that called `runtime::hold` may use and
/// destroy the guard. Meanwhile this thread may spawn tasks, but it must not wait for tasks or
/// destroy a group that still has tasks.
class [[nodiscard]] hold_guard {
 public:
  /// Holds `runtime`, with the same rules and exceptions as `runtime::hold`.
  EVENCUBE_EXPORT explicit hold_guard(runtime& runtime);
  hold_guard(const hold_guard&) = delete;
  hold_guard& operator=(const hold_guard&) = delete;
  /// Lets the workers continue.
  EVENCUBE_EXPORT ~hold_guard();

  /// Returns the exact number of quanta in each worker's queue.
  [[nodiscard]] EVENCUBE_EXPORT std::vector<load_type> loads() const;
  /// Plans one round for the current loads with the runtime's balancer, carries it out with the
  /// runtime's transmission, and returns what the balancer saw and decided. If all tasks have the
  /// same cost, the queues afterwards match the plan exactly. Otherwise every queue differs from
  /// the plan by less than the cost of the largest task. If `initiator` is given, an event-driven
  /// strategy plans only for the activation of that worker. Throws std::invalid_argument if there
  /// is no such worker.
  EVENCUBE_EXPORT balancing_round balance(std::optional<unsigned> initiator = std::nullopt);

  /// Returns the queued tasks of each worker, newest first, as opaque addresses. Equal addresses
  /// identify the same task as long as it has not run.
  [[nodiscard]] EVENCUBE_EXPORT std::vector<std::vector<const void*>> tasks() const;

 private:
  detail::engine* engine_;
};

/// Writes the output of `runtime::describe` to a file descriptor, for every runtime of the process.
/// May be called from a signal handler, so that a program that seems stuck can be inspected from
/// outside.
EVENCUBE_EXPORT void describe_runtimes(int descriptor) noexcept;

/// Returns the index of the worker that runs the calling task. The index is in [0, workers()), or
/// in [workers(), workers() + spare_workers()) for a spare worker. Throws evencube::error outside
/// of tasks.
[[nodiscard]] EVENCUBE_EXPORT unsigned this_worker();

}  // namespace evencube
