#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evencube::programs {

// A program as data: the actions of its threads and tasks with some runtimes, groups and futures.
// It is drawn by generate.hpp, run and checked by interpret.hpp, printed as C++ by print.hpp, and
// made smaller by shrink.hpp.

/// The action of a step. "Shared" groups and futures belong to the whole program, "local" ones to
/// the block that holds the step.
enum class action : std::uint8_t {
  work,         ///< busy for `amount` microseconds
  pause,        ///< asleep for `amount` microseconds; 0: gives way once
  spawn,        ///< inner[0] as a task of group `target`
  scope,        ///< a local group named `target`; inner[0] while it lives; its end: group_end; with
                ///< inner[1], a wait, its stop is withdrawn, and all that once more with inner[1]
  wait_group,   ///< waits for group `target`
  stop_group,   ///< stops group `target`
  ask_stop,     ///< asks whether the step's task is to stop
  async,        ///< inner[0] as the task of shared future `target`
  wait_future,  ///< waits for future `target`, if it has been made
  get_future,   ///< takes future `target`, if it has been made; at most one step for each future
  poll_future,  ///< asks future `target`, if it has been made, until it is ready
  local_async,  ///< inner[0] as the task of a local future; inner[1] before its end: future_end
  need,         ///< a future that another future is made from, with inner[0] as its task
  then_future,  ///< inner[0] continues shared future `target`, if it has been made; makes `result`
  run,          ///< inner[0] inside of run(); with `variant` other than without_limit and without a
                ///< coroutine, inside of run_for or run_until
  fork,         ///< fork_join of inner[0] and inner[1]
  loop,         ///< parallel_for, `amount` times inner[0]
  reduce,       ///< parallel_reduce, `amount` times inner[0]
  invoke,       ///< parallel_invoke of all of inner
  compute,      ///< an algorithm of `amount` elements: computation; element `failing` throws
  graph,        ///< a task_graph of inner, with `edges`, `amount` runs; a node throws at its call
                ///< number `failing`
  pipeline,  ///< parallel_pipeline with `grain` tokens: `amount` values, which inner[0] gives, go
             ///< through the others; number `failing` makes one throw that throws
  await_future,  ///< awaits future `target`, if it has been made, and takes it; this and the next
                 ///< three stand in coroutines alone
  await_made,    ///< awaits a future with inner[0] as its task
  await_all,     ///< awaits the coroutines of inner, at the same time if there are several; with
                 ///< `variant` as_race, by when_any
  visit,         ///< goes to runtime `of` for inner[0], a part of the coroutine, and comes back
  hold,          ///< inner[0] while all workers stand still
  balance,       ///< one round of balancing now
  strategy,      ///< use_balancer(`name`, {`low`, `high`}, `transmission`)
  record,        ///< inner[0] while a recording is under way
  look,     ///< stats(), describe(); with `variant` 1: reset_stats(); 2: only that a forked child
            ///< makes a runtime, uses it and ends; 3: that a forked child calls std::exit while
            ///< a runtime of static storage is at work, after `amount` microseconds; child_exit
  outlive,  ///< `amount` tasks of a group, and as many nodes of a graph, of a runtime of `variant`
            ///< workers that ends before the group and the graph do
  thread_end,    ///< a thread runs `amount` tasks in runtime `of` from the destructor of a
                 ///< thread_local object, as it ends
  burst,         ///< `amount` tasks from outside in runtime `of`, each worker of which has a task
                 ///< that spawns itself again until they all have ended
  stream,        ///< tasks from outside, until a task in a blocking scope sees that a task which
                 ///< it has queued has begun; in a runtime of `variant` workers and a spare one, in
                 ///< which workers pull if `amount` is 1
  hop,           ///< `amount` coroutines go to and fro between two runtimes, `grain` times; one has
                 ///< `variant` workers, the other 4 - `variant`, and each starts half of them
  flood,         ///< a task of runtime `of` spawns `amount` tasks within a blocking scope
  in_scope,      ///< inner[0] in a blocking scope
  meet,          ///< `amount` tasks of a group that block: meeting
  stop_runtime,  ///< stop() of runtime `of`, by a thread outside
  raise_flag,    ///< raises flag `target`
  await_flag     ///< busy until flag `target` is raised
};

/// How a local group ends, in step::variant.
enum group_end : std::uint8_t { by_wait, by_destructor, by_exception };

/// How a local group can be stopped, in step::stops: never, by a request, by a token, or by a token
/// that may have been stopped before.
enum stop_way : std::uint8_t { never, by_request, by_token, by_token_before };

/// The form of a loop, in step::form: index by index; over blocks; with a step; over items of a
/// list or of a vector, where each item of the first half feeds one of the second half; as a
/// balanced loop, which is run or, if it has a grain, repeated; as a search for the first element
/// or for any element, which is number `failing`; or as a transformation.
enum loop_form : std::uint8_t {
  by_index,
  by_block,
  by_stride,
  by_feeding,
  by_balance,
  by_feeding_a_vector,
  by_search,
  by_any,
  by_transform
};

/// How the workers of a loop hold its body, in step::body: as the usual function, which is copied;
/// as copies of a function whose captures have changed since the loop before; by reference, because
/// it is too large; or by reference, because it cannot be copied.
enum loop_body : std::uint8_t { as_usual, copied, too_large, not_copied };

/// The computation, in step::variant.
enum computation : std::uint8_t { a_scan, a_sort, a_stable_sort, a_search, an_exclusive_scan };

/// How a graph runs several times, in step::variant: one run after another, at the same time in
/// halves of forks, or by threads outside.
enum graph_runs : std::uint8_t { one_by_one, at_once, from_threads };

/// What goes along an edge of a graph: nothing, or a value that `to` reads or takes.
enum class passing : std::uint8_t { nothing, to_look_at, to_take };

/// An edge from one node of a graph to another. An edge with a choice is followed only if `from`
/// makes that choice; no value goes along it.
struct edge {
  int from = 0;
  int to = 0;
  int choice = -1;
  passing value = passing::nothing;
};

/// The most values that go to one node.
inline constexpr std::size_t most_values = 2;

/// How a stage of a pipeline may be called.
enum class stage : std::uint8_t { in_parallel, in_order, one_at_a_time };

/// The number of pipeline shapes; step::variant names one of them.
inline constexpr int pipeline_shapes = 7;

/// What blocking tasks wait for, in step::variant: until all of them have begun; or each task for a
/// future, a group or a call of run() that it makes in its scope, with inner[0] as its task; or for
/// the later iterations of the loop of which it is the first iteration.
enum meeting : std::uint8_t { of_all, with_its_own, with_its_group, with_its_run, with_its_loop };

/// Where a child calls std::exit, in step::grain: in a task, in a task in a blocking scope, in a
/// half of a fork, or on a thread outside.
enum child_exit : std::uint8_t { in_a_task, in_a_scope, in_a_fork, outside_of_tasks };

/// How a local future ends, in step::variant.
enum future_end : std::uint8_t { by_get, by_wait_and_get, dropped, by_wait_for, by_wait_until };

/// How several coroutines are awaited, in step::variant.
enum gathering : std::uint8_t { for_all, as_race };

/// How a thread waits for a shared future or a group, and whether a call of run() has a limit, in
/// step::variant; the limit is step::limit.
enum wait_limit : std::uint8_t { without_limit, for_a_time, until_a_time };

/// The origin of the future of a task. If it is made from other futures, these are the steps of the
/// last block of step::inner, each an action::need. If it waits for any of them, `amount` 1 drops
/// the others. The value of a promise is set by the thread that makes it, or by a thread of its own
/// after `amount` microseconds.
enum source : std::uint8_t { nothing, a_value, a_promise, one, all_of_several, any_of_several };

/// In step::amount: the thread that makes a promise sets its value.
inline constexpr int set_at_once = -1;

/// A future that waits for any of several drops the others, by `amount` 1, or stops them and waits
/// for them, too.
inline constexpr int stops_others = 2;

/// The size of a task's function object, in step::size, or that the task is a coroutine.
enum closure : std::uint8_t { small, large, move_only, a_coroutine };

struct step;

/// The steps of a task, a half of a fork, an iteration or a thread. A block that throws does all
/// its steps before it throws. Of a loop's iterations only number step::variant throws.
struct block {
  int id = -1;
  std::vector<step> steps;
  bool throws = false;
};

struct step {
  action what{};
  int of = 0;  ///< the number of the runtime
  int target = -1;
  int result = -1;
  int amount = 0;
  int grain = 0;
  int limit = 0;  ///< limit of a wait, in microseconds
  /// The number of places of the step's arena; 0: it has no arena of its own. Runs, local groups,
  /// meetings and the tasks of futures that are made from no other future can have an arena.
  int places = 0;
  int cost = 1;
  int home = -1;  ///< a worker, or -1: no worker is preferred
  int level = 0;  ///< 1: high priority, -1: low; then no worker is preferred
  std::uint8_t variant = 0;
  closure size = small;
  source from = nothing;
  stop_way stops = never;
  loop_form form = by_index;  ///< of a reduction, by_block: with the same grouping in every run
  loop_body body = as_usual;
  int failing = -1;      ///< the element of a computation that throws or is found; -1: none
  int stopping = -1;     ///< the iteration that asks its loop's token to stop; -1: none
  bool by_call = false;  ///< a thread outside of tasks may call a graph or a pipeline
  std::vector<edge> edges = {};
  std::string name = {};
  std::string transmission = {};
  int low = -1;   ///< a mark of the strategy; -1: not set
  int high = -1;  ///< another
  std::vector<block> inner = {};
};

/// What a runtime reports to an observer.
enum class telling : std::uint8_t { nothing, of_workers, of_tasks };

/// The options of a runtime.
struct setting {
  unsigned workers = 1;
  std::string balancer = "oem";
  std::string transmission = "direct";
  int mode = 0;       ///< balancer_mode: 0 automatic, 1 thread, 2 on_idle, 3 on_demand
  bool pulls = true;  ///< never false with a strategy that moves tasks only by pulls
  bool largest_first = true;
  bool pin = true;
  int period = 0;  ///< microseconds
  unsigned threshold = 256;
  unsigned capacity = 4096;
  unsigned spares = 0;
  int hot = 1;            ///< a value of hotness
  bool checks = false;    ///< looks for cycles of waits; there are none
  bool measures = false;  ///< measures costs of tasks and speeds of workers
  telling tells = telling::nothing;
  bool lasting = false;  ///< has static storage: ends after main

  bool operator==(const setting&) const = default;
};

struct program {
  std::uint64_t seed = 0;
  std::vector<setting> runtimes;
  /// The runtime of each shared group.
  std::vector<int> groups;
  int futures = 0;
  int flags = 0;
  /// The steps of the first thread before it makes the other threads.
  block prologue;
  /// The steps of each thread. The first thread makes and ends everything.
  std::vector<block> threads;
  /// The number of threads, counted from the last one, that are joined after the runtimes are gone.
  int late_threads = 0;
  /// The runtimes are made for this program and destroyed at its end, with the tasks that are
  /// queued then.
  bool fresh = false;
  /// Asyncs may still be queued when the runtimes end; they have nothing to do with shared groups.
  bool queue_survives = false;
  /// Shared futures are asked for their results only after the runtimes are gone.
  bool futures_outlive = false;
  /// Threads stop runtimes: tasks that have not begun may then be dropped, and new tasks are
  /// refused.
  bool ends_early = false;
  /// The limit of a `hot_phase` of the first runtime, in microseconds; 0: there is none. The phase
  /// ends when the program has ended, and so outlives runtimes that are made for it.
  int hot_for = 0;
};

/// Calls `f(block&)` for every block of `p`, outer ones first.
template <typename Program, typename F>
void for_each_block(Program& p, const F& f) {
  const auto walk = [&f](const auto& self, auto& b) -> void {
    f(b);
    for (auto& s : b.steps) {
      for (auto& in : s.inner) self(self, in);
    }
  };
  walk(walk, p.prologue);
  for (auto& t : p.threads) walk(walk, t);
}

/// Numbers the blocks and returns their number. Drops steps that refer to nothing (a spawn into a
/// missing group, a wait for a flag that no thread raises) and steps that await outside of
/// coroutines.
int tidy(program& p);

/// How many times a block runs.
struct times {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

/// How often each block of a program has run, by its number, and how often it was dropped, as a
/// task of a stopped group or as a part that a graph or a pipeline left out.
struct counted {
  std::vector<std::int64_t> begun;
  std::vector<std::int64_t> dropped;
};

/// For every block by its number: how many times it runs in a correct execution in which the blocks
/// around it have run as often as in `counts`. A block that is left out when another block throws
/// has a `least` that is less than its `most`.
std::vector<times> expected_times(const program& p, const counted& counts);

/// The limits of more microseconds than this never pass.
inline constexpr int passes_never = 1'000'000'000;

/// Whether `s` is a call of run_for or run_until.
bool gives_up(const step& s);
/// True for a run in an arena that is tried with `run_options::here_only` first.
inline bool begins_here_first(const step& s) { return s.places % 2 != 0; }

/// Whether a step with this action is allowed only in coroutines.
bool awaits(action what);

/// Whether `in`, one of the blocks of `s`, is a coroutine or a part of one. `within`: whether the
/// block that holds `s` is.
bool is_coroutine(const step& s, const block& in, bool within);

/// The futures that the future of step `s` is made from; null if there are none.
const block* needs_of(const step& s);
block* needs_of(step& s);

/// The block that decides how the future of `s` ends: its task's block, or the block of a future
/// that it continues and that ends with an exception.
const block& outcome_of(const step& s);

/// Whether the form of loop `s` can have a token.
bool takes_a_token(const step& s);

/// Whether loop `s` may end before all its iterations have begun although none throws.
bool ends_early(const step& s);

/// Whether node `number` of graph `s` chooses one of the nodes after it.
bool chooses(const step& s, int number);

/// The choice of node `number` in run number `run`. If several runs go at once, all choose as in
/// the first run.
int choice_of(int number, int run);

/// Whether node `number` of graph `s` gives a value that is no choice.
bool gives_a_value(const step& s, int number);

/// The edges along which values go to node `number`, in the order of its arguments.
std::vector<const edge*> values_to(const step& s, int number);

/// Which nodes of graph `s` are called in run number `run`, if nothing throws or is stopped.
std::vector<bool> nodes_called(const step& s, int run);

/// The stages of pipeline `s`: one for each of its blocks except the first.
std::span<const stage> stages_of(const step& s);

/// The number of steps in a program.
int count_steps(const program& p);

}  // namespace evencube::programs
