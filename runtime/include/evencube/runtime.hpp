#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/registry.hpp>
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

/// Who plans a round.
enum class balancer_mode {
  /// `thread` where a processing unit is left for it, else `on_idle`.
  automatic,
  /// A thread of its own, asleep until a worker runs dry, crosses the threshold, or the period
  /// ends.
  thread,
  /// The worker that ran dry: it has nothing better to do.
  on_idle,
  /// Nobody: rounds happen only where the program calls for them (`runtime::balance`,
  /// `held::balance`). Idle workers still take tasks from others, unless `pulls` is off or the
  /// strategy keeps an order.
  on_demand
};

struct runtime_options {
  static constexpr unsigned max_workers = 1024;
  static constexpr unsigned max_spare_workers = 256;
  static constexpr std::chrono::hours max_period{24};

  /// 0: one per allowed processing unit, at most the CPU quota rounded up; the environment variable
  /// EVENCUBE_WORKERS overrides that. Else in [1, max_workers]; more workers than units take turns.
  unsigned workers = 0;
  /// How many tasks can be in a `blocking` scope at a time with another thread working in their
  /// place. At most max_spare_workers; each is a thread that sleeps until it is needed. 0: none.
  unsigned spare_workers = 0;
  /// A registered balancer; "none": tasks stay where they were put; "random_stealing": idle workers
  /// take the oldest task of a worker drawn at random (for comparison).
  std::string balancer = "oem";
  /// Options of the balancer, as text or by one of the structs of <evencube/balancers/options.hpp>.
  balancer_options options = {};
  /// "direct", "phased", "overlapped", "overlapped_rounds", "pipelined" or "pipelined:N" (batches).
  std::string transmission = "direct";
  balancer_mode mode = balancer_mode::automatic;
  /// Idle workers take tasks from the worker with the largest load between two rounds. Off: what
  /// moves is the balancer's alone, except rescues of tasks that nobody looks after, without which
  /// waits might not end; event-driven strategies act at those workers alone that ran dry or
  /// crossed the threshold. Must be on for "random_stealing", which has nothing else.
  bool pulls = true;
  /// Where the tasks in a queue count for different costs (`spawn_options::cost`, or
  /// `measured_costs`) and take some microseconds, workers begin the largest first, their own and
  /// those that they take from others, so that the last ones to end are small. Off: a worker runs
  /// its newest tasks first and others take the oldest, whatever they cost. Not where the strategy
  /// keeps an order.
  bool largest_first = true;
  /// Bind each worker. The thread that calls `run` is bound while it is worker 0 of several and
  /// gets its affinity back; threads that it makes meanwhile inherit the binding, see
  /// `unpin_current_thread`. Off: as `pin_to = pinning::none`.
  bool pin = true;
  /// To how much of the machine. What is wider than a unit leaves the system room where it has
  /// other things to run; what is narrower keeps caches warm.
  pinning pin_to = pinning::unit;
  /// What the threads are called in ps, top and debuggers: NAME-0, NAME-1, ..., NAME-plan and, the
  /// spare ones, NAME-s0, ...; cut so that 15 characters remain. Not the thread that calls `run`.
  /// Must not be empty.
  std::string name = "evencube";
  /// Look at the loads this often even if no worker runs dry (mode `thread`). Zero: never. At
  /// most max_period.
  std::chrono::microseconds period{0};
  /// A worker whose queue grows beyond this many quanta wakes the balancer (mode `thread`; for
  /// event-driven strategies in every mode but `on_demand`).
  std::uint64_t threshold = 256;
  /// Tasks from outside threads that may wait for a worker; then their spawners block. Spawns in a
  /// `blocking` scope, or while all workers are in one, never block and have no bound. In [1,
  /// 65534].
  unsigned injection_capacity = 4096;
  /// How long workers without work stay awake. Always `never` if there are as many workers as the
  /// CPU quota allows processors, or more.
  evencube::hotness hotness = evencube::hotness::learned;
  /// A worker that goes to sleep in a wait looks whether that waits, through tasks which have
  /// begun, for itself: then nothing would ever end it, so the circle is written to standard error,
  /// and the program ends by std::abort. Waits with a limit, for any of several and for coroutines
  /// count as none of a circle. Costs at most the square of the workers asleep. Empty: where the
  /// library was built with assertions.
  std::optional<bool> check_waits = std::nullopt;
  /// Tasks count for the time that others of the same function took: a quantum is a microsecond,
  /// and `spawn_options::cost` a factor. Some of the tasks are measured as they run; until three of
  /// a function have been, its tasks count for what `cost` says. What was found is in
  /// `statistics::task_costs`. Off: a quantum is what the program makes of it, one a task if it
  /// says nothing. Forks, the pieces of loops and coroutines always count one.
  bool measured_costs = false;
  experimental_options experimental = {};
  /// Is told what the workers do, and what tasks they run if it is a `task_observer`; none if
  /// empty.
  std::shared_ptr<evencube::observer> observer = nullptr;
};

/// Of one call of `runtime::run` or `arena::run` by a thread from outside.
struct run_options {
  /// Bind the calling thread while it is worker 0, where the runtime binds its workers at all. Off:
  /// it is only brought to worker 0's unit if it stands on another worker's, and then as free as
  /// before. For calls that are many and short: binding and giving back are three system calls, and
  /// where other programs keep the processors busy each of them can cost the thread its turn, which
  /// is milliseconds.
  bool pin = true;
};

class hold_guard;
class runtime_scheduler;
class schedule_sender;

/// A cube of workers. The constructor makes a thread for each but worker 0, and for each spare one,
/// the first task from outside one for worker 0, and the destructor joins them. Between two tasks,
/// and while nothing runs, they sleep. All members may be called from any thread unless said
/// otherwise.
class runtime {
 public:
  /// Throws std::invalid_argument naming the option and what is allowed, std::system_error, saying
  /// whose, if a thread cannot be made: then none is left.
  EVENCUBE_EXPORT explicit runtime(runtime_options options = {});
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  /// Runs what `async` queued to its end, then joins all threads, unless `stop` has done that.
  /// Every group must have been waited for, and no `run` be under way. In a forked child it returns
  /// at once: the threads are the parent's. So it does on a thread of its own or one that holds it,
  /// as where `std::exit` in a task destroys a static runtime: its threads end with the process;
  /// and soon, if its tasks are under way, in a task of another runtime that they may wait for.
  EVENCUBE_EXPORT ~runtime();

  /// Calls f() as a task: the calling thread becomes worker 0 until f returns (if another thread is
  /// worker 0 already, or the caller is a worker of another runtime, f runs as a task on some
  /// worker). Returns or throws what f does. Inside a task of this runtime it is a plain call.
  /// Threads that f makes inherit the binding to worker 0's unit: `unpin_current_thread`.
  /// Throws evencube::error in a forked child, and for a thread that holds this runtime.
  template <rule::callable_in_place F>
  auto run(F&& f, const run_options& how = {}) -> detail::call_result_t<F> {
    using result = detail::call_result_t<F>;
    std::optional<detail::kept<result>> value;
    const auto call = [&] { value.emplace(detail::call_to_keep(f)); };
    run_erased([](void* c) { (*static_cast<decltype(call)*>(c))(); },
               const_cast<void*>(static_cast<const void*>(&call)), how);
    return detail::give_back<result>(*value);
  }

  /// Queues f() as a task of its own. As with `task_group::spawn`, a task whose worker has more
  /// than 65536 tasks queued already runs one of normal priority at once. Throws as that does.
  template <rule::callable_without_arguments F>
    requires rule::movable_into_a_task<F> &&
             rule::keepable_result<detail::call_result_t<std::decay_t<F>>>
  auto async(F&& f, const spawn_options& options = {})
      -> future<detail::call_result_t<std::decay_t<F>>> {
    return detail::make_future<detail::call_result_t<std::decay_t<F>>>(detail::workers_of(*this),
                                                                       std::forward<F>(f), options);
  }

  /// For coroutines, with <evencube/coroutine.hpp>: `co_await rt.schedule()` goes on on a worker of
  /// this runtime. In which order: `schedule_sender`. The scheduler can be copied, and gives the
  /// same. Throws std::invalid_argument for a value that is no priority.
  [[nodiscard]] EVENCUBE_EXPORT schedule_sender schedule(priority level = priority::normal);
  [[nodiscard]] EVENCUBE_EXPORT runtime_scheduler get_scheduler() noexcept;

  [[nodiscard]] EVENCUBE_EXPORT unsigned workers() const noexcept;
  /// How many more hold the places of those that block (<evencube/blocking.hpp>).
  [[nodiscard]] EVENCUBE_EXPORT unsigned spare_workers() const noexcept;
  /// One line: why there are so many workers, and which of them the system refused to bind.
  [[nodiscard]] EVENCUBE_EXPORT std::string reason() const;
  /// The cube of workers.
  [[nodiscard]] EVENCUBE_EXPORT const evencube::topology& topology() const noexcept;
  /// The processing unit of worker k, as an index into hardware().units.
  [[nodiscard]] EVENCUBE_EXPORT const std::vector<unsigned>& placement() const noexcept;
  /// The machine it found.
  [[nodiscard]] EVENCUBE_EXPORT const machine& hardware() const noexcept;

  /// Plans and carries out one round now, while tasks run; true if any were moved. False also if
  /// another round is under way, or somebody holds the runtime. Throws what the balancer throws.
  EVENCUBE_EXPORT bool balance();

  /// Changes the strategy while tasks run: rounds from now on follow this one. The names are those
  /// of `runtime_options`; throws as the constructor does, and then changes nothing.
  EVENCUBE_EXPORT void use_balancer(const std::string& balancer,
                                    const balancer_options& options = {},
                                    const std::string& transmission = "direct");

  [[nodiscard]] EVENCUBE_EXPORT statistics stats() const;
  EVENCUBE_EXPORT void reset_stats();

  /// Records from now on what every task and every round does, until `stop_recording`. Tasks that
  /// were spawned before are left out; what they spawn has no parent. While it records, every task
  /// and fork is open to other workers from its spawn on. Stops the workers for a moment as `hold`
  /// does, with its rules and errors. When the memory is used up the program goes on and the
  /// recording is cut there.
  /// Throws evencube::error if a recording is under way, std::invalid_argument for too little
  /// memory.
  EVENCUBE_EXPORT void start_recording(const recording_options& options = {});
  /// Ends the recording; tasks that have not ended are left out. Stops the workers for a moment, as
  /// `hold` does. O(n log n) for n events.
  /// Throws evencube::error if none is under way, std::bad_alloc if there is no memory to put it
  /// together: then it has ended and is lost.
  [[nodiscard]] EVENCUBE_EXPORT recording stop_recording();

  /// What every worker does and holds, one line each: for a watchdog that found a program stuck.
  /// Takes no locks.
  [[nodiscard]] EVENCUBE_EXPORT std::string describe() const;
  /// Writes the same to a file descriptor. May be called in a signal handler.
  EVENCUBE_EXPORT void describe_to(int descriptor) const noexcept;

  /// Ends the runtime for good. Of its tasks those that have begun go on to their ends, with their
  /// forks and loops, and may ask `this_task::stop_requested`; nothing else begins. Returns when
  /// they have ended and all threads are joined. What had not begun is dropped, its function
  /// destroyed and not called: waits for such groups end, and tell `stopped`; such futures, and a
  /// `run` whose function had not begun, throw evencube::error. From the call on spawn, async, run,
  /// hold and start_recording of threads that are not inside its tasks throw that, too; what its
  /// tasks spawn is dropped. What was gathered can still be asked for.
  ///
  /// Any thread, any number of them at once: each returns when all has ended. More often does
  /// nothing, and the destructor has nothing left to do. Waits for what has begun, so none of that
  /// may depend on the caller; looks every millisecond.
  /// Throws evencube::error inside a task or a balancer of this runtime, in a task of another one
  /// that this one's tasks may wait for, for a thread that holds the runtime, and in a forked
  /// child; std::system_error if a lone worker's thread is needed to drop what is left and cannot
  /// be made: then it can be called again.
  EVENCUBE_EXPORT void stop();
  /// Whether `stop` has been called, and has not thrown evencube::error.
  [[nodiscard]] EVENCUBE_EXPORT bool stopped() const noexcept;

  /// Stops every worker at its next fork, spawn or end of a task and returns when all stand still.
  /// Waits for what runs until then, so none of it may depend on the caller; another holder goes
  /// first. Throws evencube::error inside a task of this runtime, and for a thread that holds it
  /// already.
  [[nodiscard]] EVENCUBE_EXPORT hold_guard hold();

 private:
  friend detail::all_workers& detail::workers_of(runtime& of);

  EVENCUBE_EXPORT void run_erased(void (*call)(void*), void* context, const run_options& how);

  detail::engine* const engine_;
};

/// While it lives all workers of the runtime stand still between two tasks, and the queues can be
/// looked at and balanced exactly. Used and destroyed by the thread that called `hold`, which may
/// spawn meanwhile, but not wait for tasks nor destroy a group that has some.
class hold_guard {
 public:
  /// What `runtime::hold` does.
  EVENCUBE_EXPORT explicit hold_guard(runtime& of);
  hold_guard(const hold_guard&) = delete;
  hold_guard& operator=(const hold_guard&) = delete;
  /// Lets the workers go on.
  EVENCUBE_EXPORT ~hold_guard();

  /// Quanta in each worker's queue, exact.
  [[nodiscard]] EVENCUBE_EXPORT std::vector<load_type> loads() const;
  /// Plans one round for these loads with the runtime's balancer and carries it out with its
  /// transmission; returns what the
  /// balancer saw and decided. With tasks of one quantum each, the queues then hold exactly
  /// what the plan says; a dearer task moves where it fits. With `initiator`: only what that worker
  /// does when it is activated, for the event-driven strategies.
  /// Throws std::invalid_argument if there is no such worker.
  EVENCUBE_EXPORT balancing_round balance(std::optional<unsigned> initiator = std::nullopt);

  /// The queued tasks of each worker, newest first, as opaque addresses: equal ones name the same
  /// task as long as it has not run.
  [[nodiscard]] EVENCUBE_EXPORT std::vector<std::vector<const void*>> tasks() const;

 private:
  detail::engine* engine_;
};

/// Writes what `runtime::describe` says of every runtime of the process to a file descriptor. May
/// be called in a signal handler, so that a program which seems stuck can be asked from outside.
EVENCUBE_EXPORT void describe_runtimes(int descriptor) noexcept;

/// Index of the worker that runs the calling task, below workers(); a spare one's from there on,
/// below workers() + spare_workers(). Throws evencube::error outside of tasks.
[[nodiscard]] EVENCUBE_EXPORT unsigned this_worker();

}  // namespace evencube
