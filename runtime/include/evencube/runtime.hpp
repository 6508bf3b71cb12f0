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

/// The thread that plans a balancing round.
enum class balancer_mode {
  /// Means `thread` with two or more workers. With a single worker no thread plans, because there
  /// is no other worker to send tasks to.
  automatic,
  /// A separate thread plans when a worker's load crosses `runtime_options::threshold` and when
  /// `runtime_options::period` ends. In between, this thread sleeps. A worker that runs out of work
  /// also plans, as with `on_idle`.
  thread,
  /// Only a worker that ran out of work plans, because this worker has nothing else to do.
  on_idle,
  /// Rounds happen only when the program calls `runtime::balance` or `hold_guard::balance`. Idle
  /// workers still take tasks from other workers, unless `runtime_options::pulls` is off or the
  /// strategy keeps tasks in order.
  on_demand
};

/// The options of a runtime. The runtime's constructor checks them.
struct runtime_options {
  /// The largest allowed value of `workers`.
  static constexpr unsigned max_workers = 1024;
  /// The largest allowed value of `spare_workers`.
  static constexpr unsigned max_spare_workers = 256;
  /// The largest allowed value of `period`.
  static constexpr std::chrono::hours max_period{24};

  /// The number of workers, in [1, max_workers]. 0 means one worker for each allowed processing
  /// unit, but at most the CPU quota rounded down. The environment variable EVENCUBE_WORKERS
  /// overrides this default. If there are more workers than units, the workers share the units.
  unsigned workers = 0;
  /// The number of spare workers, in [0, max_spare_workers]. Each spare worker is a thread that
  /// sleeps until a task enters a `blocking` scope, and then works in place of that task's worker.
  /// So at most `spare_workers` blocked workers have a replacement at the same time.
  unsigned spare_workers = 0;
  /// The balancer: a type with its options, such as `balancers::oem{}`
  /// (<evencube/balancers/options.hpp>), or the name of a registered balancer. With
  /// `balancers::none`, tasks stay in the queues to which they were spawned. With
  /// `balancers::random_stealing`, an idle worker takes the oldest task of a worker drawn at random
  /// (for comparison).
  balancer_choice balancer = "oem";
  /// The options of a balancer that is given by its name. Must be empty if the balancer is given by
  /// its type.
  balancer_options options = {};
  /// The transmission, which carries out the plans: a value such as `transmission::direct`, or
  /// `transmissions::pipelined` with the size of its batches. As text, a transmission is "direct",
  /// "phased", "overlapped", "overlapped_rounds", "pipelined", or "pipelined:N" for batches of N
  /// quanta.
  transmission_choice transmission = "direct";
  /// The thread that plans the rounds.
  balancer_mode mode = balancer_mode::automatic;
  /// If true, an idle worker takes tasks from the worker with the largest load between two rounds.
  /// If false, only the balancer moves tasks, and event-driven strategies act only at workers that
  /// ran out of work or crossed `threshold`. Rescues (of tasks whose worker sleeps in a wait or
  /// blocks) still happen, because waits might not end without them. Must be true for
  /// "random_stealing", which moves tasks only by pulls.
  bool pulls = true;
  /// If true, a worker begins the largest tasks first, both its own tasks and tasks of other
  /// workers, so that the last tasks to end are small. The option applies to queues whose tasks
  /// have different costs (`spawn_options::cost`, or `measured_costs`) and take some microseconds.
  /// If false, a worker runs its newest tasks first and other workers take the oldest tasks,
  /// whatever the costs. The option has no effect if the strategy keeps tasks in order.
  bool largest_first = true;
  /// If true, each worker is bound to a part of the machine (`pin_to`). The thread that calls `run`
  /// is bound while it is worker 0 of several workers, and its affinity is restored afterwards.
  /// Threads that the caller makes meanwhile inherit the binding; see `unpin_current_thread`. False
  /// has the same effect as `pin_to = pinning::none`.
  bool pin = true;
  /// The part of the machine to which each worker is bound. A part larger than a unit gives the
  /// system's scheduler more choice. A smaller part keeps caches warm.
  pinning pin_to = pinning::unit;
  /// The name of the threads in ps, top and debuggers: NAME-0, NAME-1, ... for the workers,
  /// NAME-plan for the balancer's thread, NAME-s0, ... for the spare workers. NAME is shortened so
  /// that the whole name has at most 15 characters. The thread that calls `run` keeps its own name.
  /// Must not be empty.
  std::string name = "evencube";
  /// The interval at which the balancer's thread checks the loads, even if no worker wakes this
  /// thread (modes `thread` and `automatic`). In [0, max_period]; 0 means that there are no
  /// periodic checks.
  std::chrono::microseconds period{0};
  /// The load in quanta above which a worker wakes the balancer. Used in the modes `thread` and
  /// `automatic`, and by event-driven strategies in every mode except `on_demand`. The threshold
  /// has no effect if the balancer's options set marks (`balancer::marks`), such as `high` of
  /// `sender_initiated` and `low` of `receiver_initiated`. A worker then wakes the balancer when
  /// its load crosses a mark.
  std::uint64_t threshold = 256;
  /// The number of tasks from outside threads that may wait for a worker, in [1, 65534]. A thread
  /// that spawns more tasks blocks until there is room. Spawns in a `blocking` scope, or while all
  /// workers are in such scopes, never block and have no limit.
  unsigned injection_capacity = 4096;
  /// How long a worker without work stays awake. The runtime uses `never` while the CPU quota,
  /// which it reads repeatedly, allows no more processors than there are workers.
  evencube::hotness hotness = evencube::hotness::learned;
  /// If true, a worker that goes to sleep in a wait checks whether this wait depends, through tasks
  /// that have begun, on itself. Such a cycle of waits would never end, so the runtime writes the
  /// cycle to standard error and calls std::abort. Waits with a time limit, waits for any of
  /// several futures and waits for coroutines are not recognised as part of a cycle. The check
  /// takes O(s^2) time for s sleeping workers. If the option is empty, the check is on in a library
  /// that was built with assertions.
  std::optional<bool> check_waits = std::nullopt;
  /// If true, the cost of a task is the time that other tasks of the same function took. A quantum
  /// is then a microsecond, and `spawn_options::cost` is a factor. Some of the tasks are measured
  /// while they run. Until three tasks of a function have been measured, its tasks have the cost in
  /// their `spawn_options`. `statistics::task_costs` has the results. If false, the program decides
  /// what a quantum is, and a task costs one quantum unless the program gives a cost. Forks, pieces
  /// of loops and coroutines always cost one quantum.
  bool measured_costs = false;
  /// A machine in hwloc's synthetic language, such as "numa:2 core:4 pu:2"; empty means this
  /// machine. The workers are placed as if they ran on the described machine. The placement, the
  /// number of workers, the neighbours and the speeds for planners are also those of the described
  /// machine. The threads still run on this machine and are not bound.
  std::string synthetic_machine = {};
  /// Options that may change or be removed in any version.
  experimental_options experimental = {};
  /// The observer, or null. The observer is notified of the workers' events and, if it is a
  /// `task_observer`, of the tasks that the workers run.
  std::shared_ptr<evencube::observer> observer = nullptr;
};

/// The options of one call of `runtime::run` or `arena::run` from an outside thread.
struct run_options {
  /// If true, the calling thread is bound while it is worker 0, provided that the runtime binds its
  /// workers. If false, the thread is moved to worker 0's unit only if it runs on another worker's
  /// unit, and its affinity is restored immediately. Choose false for many short calls, because
  /// binding and releasing a thread takes three system calls. If other programs keep the processors
  /// busy, each of these system calls may delay the thread by milliseconds.
  bool pin = true;
  /// Says what happens if the calling thread cannot be worker 0 now, or no place of the arena is
  /// free. If true, `run` throws evencube::error and does not call f. If false, another worker
  /// calls f, or `run` waits for a place.
  bool here_only = false;
};

class hold_guard;
class runtime_scheduler;
class schedule_sender;

/// A cube of workers. The constructor makes a thread for each worker except worker 0, and for each
/// spare worker. The first task from outside makes a thread for worker 0. The destructor joins all
/// threads. Workers without work sleep. Any thread may call any member at any time, unless the
/// member's description says otherwise.
class runtime {
 public:
  /// Makes the workers and their threads. Throws std::invalid_argument, whose message names the
  /// option and its allowed values. Throws std::system_error if the system refuses a thread. The
  /// message names this thread, and the threads made before it have been joined.
  EVENCUBE_EXPORT explicit runtime(runtime_options options = {});
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  /// Runs the tasks that `async` queued to their end, then joins all threads. After `stop` the
  /// destructor has nothing to do. Before the call every group must have been waited for, and no
  /// `run` may be in progress.
  ///
  /// In a forked child the destructor returns immediately, because the threads belong to the
  /// parent. It also returns immediately on a thread of this runtime and on a thread that holds the
  /// runtime. An example is a task that calls `std::exit`, which destroys a static runtime; the
  /// threads then end with the process. The destructor also returns soon in a task of another
  /// runtime if running tasks of this runtime may wait for that task.
  EVENCUBE_EXPORT ~runtime();

  /// Calls f() as a task and returns its result, or throws its exception. The calling thread is
  /// worker 0 until f returns. If another thread is worker 0 already, or the caller is a worker of
  /// another runtime, f runs as a task on any worker. Inside a task of this runtime, `run` calls f
  /// directly.
  ///
  /// Threads that f makes inherit the binding to worker 0's unit; see `unpin_current_thread`.
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

  /// Queues f() as a task and returns a future of its result. If the calling task's worker has more
  /// than 65536 tasks queued, a new task of normal priority runs immediately, as in
  /// `task_group::spawn`. Throws the exceptions of `task_group::spawn`.
  template <rule::callable_without_arguments F>
    requires rule::movable_into_a_task<F> &&
             rule::keepable_result<detail::call_result_t<std::decay_t<F>>>
  auto async(F&& f, const spawn_options& options = {})
      -> future<detail::call_result_t<std::decay_t<F>>> {
    return detail::make_future<detail::call_result_t<std::decay_t<F>>>(detail::workers_of(*this),
                                                                       std::forward<F>(f), options);
  }

  /// Starts the coroutine `body` as a task and returns the future of its result, as `start` does.
  /// Needs <evencube/coroutine.hpp>.
  template <typename T>
  future<T> async(task<T> body, const spawn_options& options = {});

  /// Returns a sender with the given priority. In a coroutine, `co_await rt.schedule()` continues
  /// on a worker of this runtime. `schedule_sender` describes the order. Needs
  /// <evencube/coroutine.hpp>. Throws std::invalid_argument for a value that is not a priority.
  [[nodiscard]] EVENCUBE_EXPORT schedule_sender schedule(priority level = priority::normal);
  /// Returns a scheduler of this runtime. The scheduler can be copied and makes equal senders.
  /// Needs
  /// <evencube/coroutine.hpp>.
  [[nodiscard]] EVENCUBE_EXPORT runtime_scheduler get_scheduler() noexcept;

  /// Returns the number of workers, without spare workers; at least 1.
  [[nodiscard]] EVENCUBE_EXPORT unsigned workers() const noexcept;
  /// Returns the number of spare workers, which hold the places of workers in `blocking` scopes
  /// (<evencube/blocking.hpp>).
  [[nodiscard]] EVENCUBE_EXPORT unsigned spare_workers() const noexcept;
  /// Returns one line that says why the runtime has its number of workers, and which workers the
  /// system refused to bind.
  [[nodiscard]] EVENCUBE_EXPORT std::string reason() const;
  /// Returns the topology of the workers, a cube.
  [[nodiscard]] EVENCUBE_EXPORT const evencube::topology& topology() const noexcept;
  /// Returns the processing units of the workers: element k is the unit of worker k, as an index
  /// into hardware().units.
  [[nodiscard]] EVENCUBE_EXPORT const std::vector<unsigned>& placement() const noexcept;
  /// Returns the description of the machine that the runtime found.
  [[nodiscard]] EVENCUBE_EXPORT const machine& hardware() const noexcept;

  /// Plans and carries out one round now, while tasks run. Returns true if tasks were moved.
  /// Returns false if no tasks were moved, if another round is in progress, or if a thread holds
  /// the runtime. Throws the balancer's exceptions.
  EVENCUBE_EXPORT bool balance();

  /// Changes the strategy, also while tasks run; later rounds use the new strategy. The arguments
  /// are those of `runtime_options`. Throws the exceptions of the constructor; the strategy is then
  /// unchanged.
  EVENCUBE_EXPORT void use_balancer(const balancer_choice& balancer,
                                    const balancer_options& options = {},
                                    const transmission_choice& transmission = "direct");
  /// Changes the strategy, like the function above, without a separate argument for options. The
  /// function is a template, so that a braced list as second argument means options.
  template <std::convertible_to<transmission_choice> Transmission>
  void use_balancer(const balancer_choice& balancer, const Transmission& transmission) {
    use_balancer(balancer, {}, transmission);
  }

  /// Returns a snapshot of the counters since the last `reset_stats`. While tasks run, the snapshot
  /// is slightly out of date.
  [[nodiscard]] EVENCUBE_EXPORT statistics stats() const;
  /// Resets the counters of `stats` to zero, except `statistics::task_costs`.
  EVENCUBE_EXPORT void reset_stats();

  /// Records what every task and every round does from now on, until `stop_recording`. Tasks that
  /// were spawned before this call are left out, and tasks that they spawn have no parent. While
  /// the runtime records, other workers can take every task and every fork as soon as it is
  /// spawned. The call stops the workers for a moment as `hold` does, with the rules and exceptions
  /// of `hold`. If the recording's memory is used up, the recording ends and the program continues.
  ///
  /// Throws evencube::error if a recording is in progress, and std::invalid_argument if
  /// `options.memory` is too small.
  EVENCUBE_EXPORT void start_recording(const recording_options& options = {});
  /// Ends the recording and returns it. Tasks that have not ended are left out. The call stops the
  /// workers for a moment as `hold` does. Takes O(n log n) time for n events.
  /// Throws evencube::error if no recording is in progress. Throws std::bad_alloc if there is no
  /// memory for the result; the recording has then ended and is lost.
  [[nodiscard]] EVENCUBE_EXPORT recording stop_recording();
  /// Ends the recording like `stop_recording` and writes it to `file` as a trace for `evencube
  /// trace` and `whatif`. If the program links `EvenCube::pages`, `file` may also be a page for
  /// browsers (`.html`) or for Perfetto (`.json`). The file appears when it is complete. `about` is
  /// the program's name in the file; if empty, the name of the executable is used. Throws the
  /// exceptions of `stop_recording`. If the file cannot be written or a spare worker had a task,
  /// throws evencube::error, which names the file and the reason. If the call fails before the
  /// recording has ended, for example because the folder does not exist, the recording continues.
  EVENCUBE_EXPORT void save_trace(const std::string& file, const std::string& about = {});

  /// Returns one line for each worker, which shows what the worker does and which tasks it has. A
  /// watchdog can call this when a program seems stuck. Takes no locks.
  [[nodiscard]] EVENCUBE_EXPORT std::string describe() const;
  /// Writes the lines of `describe` to a file descriptor. May be called in a signal handler.
  EVENCUBE_EXPORT void describe_to(int descriptor) const noexcept;

  /// Ends the runtime for good, and returns when all running tasks have ended and all threads are
  /// joined. Tasks that have begun run to their end, with their forks and loops; they may check
  /// `this_task::stop_requested`. No other task begins. Tasks that have not begun are dropped:
  /// their functions are destroyed and not called. A wait for the group of such a task ends and
  /// returns `wait_status::stopped`. The future of such a task throws evencube::error, and so does
  /// a `run` whose function had not begun. From this call on, spawn, async, run, hold and
  /// start_recording throw evencube::error on threads outside the runtime's tasks. Tasks that the
  /// running tasks spawn are dropped. Statistics remain available.
  ///
  /// Any threads may call `stop` concurrently; each call returns when all tasks have ended. Further
  /// calls do nothing, and the destructor has nothing left to do. The call waits for running tasks,
  /// so no running task may depend on the caller. Every millisecond, the call checks whether the
  /// tasks have ended.
  /// Throws evencube::error inside a task or a balancer of this runtime, on a thread that holds
  /// this runtime, and in a forked child. Also throws evencube::error in a task of another runtime
  /// if tasks of this runtime may wait for that task. Throws std::system_error if a runtime with
  /// one worker needs a thread to drop the remaining tasks and cannot make one; `stop` may then be
  /// called again.
  EVENCUBE_EXPORT void stop();
  /// Returns true if `stop` has been called and has not thrown evencube::error.
  [[nodiscard]] EVENCUBE_EXPORT bool stopped() const noexcept;

  /// Stops every worker at its next fork, spawn or end of a task. When all workers stand still,
  /// returns a guard, whose destructor lets them continue. The call waits for running tasks, so no
  /// running task may depend on the caller. If another thread holds the runtime, the call waits for
  /// the end of that hold first. Throws evencube::error inside a task of this runtime, and on a
  /// thread that already holds the runtime.
  [[nodiscard]] EVENCUBE_EXPORT hold_guard hold();

 private:
  friend detail::all_workers& detail::workers_of(runtime& runtime);

  EVENCUBE_EXPORT void run_erased(void (*call)(void*), void* context, const run_options& options);

  detail::engine* const engine_;
};

/// Holds a runtime while this object lives: all workers stand still between two tasks, so the
/// queues can be read and balanced exactly. Only the thread that called `runtime::hold` may use and
/// destroy the guard. This thread may spawn tasks meanwhile, but it must not wait for tasks or
/// destroy a group that has tasks.
class [[nodiscard]] hold_guard {
 public:
  /// Holds `runtime`, with the rules and exceptions of `runtime::hold`.
  EVENCUBE_EXPORT explicit hold_guard(runtime& runtime);
  hold_guard(const hold_guard&) = delete;
  hold_guard& operator=(const hold_guard&) = delete;
  /// Lets the workers continue.
  EVENCUBE_EXPORT ~hold_guard();

  /// Returns the exact number of quanta in the queue of each worker.
  [[nodiscard]] EVENCUBE_EXPORT std::vector<load_type> loads() const;
  /// Plans one round for the current loads with the runtime's balancer, carries it out with the
  /// runtime's transmission, and returns what the balancer saw and decided. If all tasks have the
  /// same cost, the queues afterwards hold exactly what the plan says. Otherwise every queue
  /// differs from the plan by less than the cost of the largest task. With `initiator`, an
  /// event-driven strategy plans only the activation of that worker. Throws std::invalid_argument
  /// if there is no worker `initiator`.
  EVENCUBE_EXPORT balancing_round balance(std::optional<unsigned> initiator = std::nullopt);

  /// Returns the queued tasks of each worker, newest first, as opaque addresses. Equal addresses
  /// mean the same task as long as it has not run.
  [[nodiscard]] EVENCUBE_EXPORT std::vector<std::vector<const void*>> tasks() const;

 private:
  detail::engine* engine_;
};

/// Writes the lines of `runtime::describe` for every runtime of the process to a file descriptor.
/// May be called in a signal handler, so that a program that seems stuck can be inspected from
/// outside.
EVENCUBE_EXPORT void describe_runtimes(int descriptor) noexcept;

/// Returns the index of the worker that runs the calling task. The index is below workers(), or in
/// [workers(), workers() + spare_workers()) for a spare worker. Throws evencube::error outside of
/// tasks.
[[nodiscard]] EVENCUBE_EXPORT unsigned this_worker();

}  // namespace evencube
