#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evencube::programs {

// A program, as data: what its threads and tasks do with some runtimes, groups and futures. Drawn
// by generate.hpp, run and checked by interpret.hpp, printed as C++ by print.hpp, made smaller by
// shrink.hpp.

/// What a step does. "Shared" groups and futures belong to the whole program, "local" ones to the
/// block in which they stand.
enum class action : std::uint8_t {
  work,         ///< busy for `amount` microseconds
  pause,        ///< asleep for `amount` microseconds; 0: gives way once
  spawn,        ///< inner[0] as a task of group `target`
  scope,        ///< a local group named `target`; inner[0] while it lives; its end: group_end; with
                ///< inner[1], a wait, its stop is withdrawn, and all that once more with inner[1]
  wait_group,   ///< waits for group `target`
  stop_group,   ///< stops group `target`
  ask_stop,     ///< asks whether its task is to stop
  async,        ///< inner[0] as the task of shared future `target`
  wait_future,  ///< waits for future `target`, if it has been made
  get_future,   ///< takes future `target`, if it has been made; one step at most for each future
  poll_future,  ///< asks future `target`, if it has been made, until it is ready
  local_async,  ///< inner[0] as the task of a local future; inner[1] before its end: future_end
  need,         ///< a future that another one is made from, with inner[0] as its task
  then_future,  ///< inner[0] continues shared future `target`, if it has been made; makes `result`
  run,          ///< inner[0] inside of run()
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
  await_all,     ///< awaits the coroutines of inner, at the same time if there are several
  visit,         ///< goes to runtime `of` for inner[0], a part of the coroutine, and comes back
  hold,          ///< inner[0] while all workers stand still
  balance,       ///< one round now
  strategy,      ///< use_balancer(`name`, `transmission`)
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

/// How a local group can be stopped, in step::stops: not, by itself, or by a token, which may have
/// been stopped before.
enum stop_way : std::uint8_t { never, by_request, by_token, by_token_before };

/// How a loop goes, in step::form: index by index, over blocks, with a step, with items of a list
/// or of a vector of which the second half is fed by the first, as a balanced loop, as a search for
/// the first element or for any, which is number `failing`, or as a transformation.
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
/// as copies of one that is not the same before; by reference, for it is too large; or for it
/// cannot be copied.
enum loop_body : std::uint8_t { as_usual, copied, too_large, not_copied };

/// What is computed, in step::variant.
enum computation : std::uint8_t { a_scan, a_sort, a_stable_sort, a_search, an_exclusive_scan };

/// How a graph is run, in step::variant: once after the other, at the same time in halves of forks,
/// or by threads outside.
enum graph_runs : std::uint8_t { one_by_one, at_once, from_threads };

/// What goes along an edge of a graph: nothing, or a value that `to` looks at or takes.
enum class passing : std::uint8_t { nothing, to_look_at, to_take };

/// From one node of a graph to another; where a choice is asked for, `from` must make it. Then no
/// value goes along it.
struct edge {
  int from = 0;
  int to = 0;
  int choice = -1;
  passing value = passing::nothing;
};

/// So many values at most go to one node.
inline constexpr std::size_t most_values = 2;

/// How a stage of a pipeline may be called.
enum class stage : std::uint8_t { in_parallel, in_order, one_at_a_time };

/// How many rows of stages there are, of which step::variant names one.
inline constexpr int pipeline_shapes = 7;

/// What tasks that block wait for, in step::variant: until all of them have begun, or each for a
/// future, for a group, or for a call of run(), that it makes in its scope, with inner[0] as its
/// task, or for the later iterations of the loop of which it is the first.
enum meeting : std::uint8_t { of_all, with_its_own, with_its_group, with_its_run, with_its_loop };

/// Where a child calls std::exit, in step::grain: in a task, in a task that is in a blocking scope,
/// in a half of a fork, or on a thread outside.
enum child_exit : std::uint8_t { in_a_task, in_a_scope, in_a_fork, outside_of_tasks };

/// How a local future ends, in step::variant.
enum future_end : std::uint8_t { by_get, by_wait_and_get, dropped, by_wait_for, by_wait_until };

/// How a thread waits for a shared future, in step::variant; the limit is step::limit.
enum future_wait : std::uint8_t { without_limit, for_a_time, until_a_time };

/// What the future of a task is made from. Where it is made from others these are the steps of the
/// last of step::inner, each action::need; where one of any is ready `amount` 1 drops the others.
enum source : std::uint8_t { nothing, a_value, one, all_of_several, any_of_several };

/// How large a task's function object is, in step::size; or that the task is a coroutine.
enum closure : std::uint8_t { small, large, move_only, a_coroutine };

struct step;

/// What a task, a half of a fork, an iteration or a thread does. One that throws does all its steps
/// before; of a loop's iterations only the one numbered step::variant throws.
struct block {
  int id = -1;
  std::vector<step> steps;
  bool throws = false;
};

struct step {
  action what{};
  int of = 0;  ///< the runtime
  int target = -1;
  int result = -1;
  int amount = 0;
  int grain = 0;
  int limit = 0;  ///< of a wait, in microseconds
  /// Of a run, the task of a future that is made from none, a local group or a meeting: in an arena
  /// of so many; 0: in none of its own.
  int places = 0;
  int cost = 1;
  int home = -1;  ///< a worker, or -1: none preferred
  int level = 0;  ///< 1: of high priority, -1: of low; then no worker is preferred
  std::uint8_t variant = 0;
  closure size = small;
  source from = nothing;
  stop_way stops = never;
  loop_form form = by_index;  ///< of a fold, by_block: with the same grouping in every run
  loop_body body = as_usual;
  int failing = -1;      ///< the element of a computation that throws, or that is found; -1: none
  int stopping = -1;     ///< of a loop with a token: the iteration that asks it to stop; -1: none
  bool by_call = false;  ///< a graph or a pipeline: a thread that is no task may call it
  std::vector<edge> edges = {};
  std::string name = {};
  std::string transmission = {};
  std::vector<block> inner = {};
};

/// What a runtime tells an observer.
enum class telling : std::uint8_t { nothing, of_workers, of_tasks };

/// How a runtime is made.
struct setting {
  unsigned workers = 1;
  std::string balancer = "oem";
  std::string transmission = "direct";
  int mode = 0;       ///< of balancer_mode: 0 automatic, 1 thread, 2 on_idle, 3 on_demand
  bool pulls = true;  ///< never false with a strategy that has nothing but pulls
  bool largest_first = true;
  bool pin = true;
  int period = 0;  ///< microseconds
  unsigned threshold = 256;
  unsigned capacity = 4096;
  unsigned spares = 0;
  int hot = 1;            ///< a hotness
  bool checks = false;    ///< looks for circles of waits, of which there are none
  bool measures = false;  ///< what tasks cost and how fast workers are
  telling tells = telling::nothing;
  bool lasting = false;  ///< of static storage: it ends behind main

  bool operator==(const setting&) const = default;
};

struct program {
  std::uint64_t seed = 0;
  std::vector<setting> runtimes;
  /// Shared groups: the runtime of each.
  std::vector<int> groups;
  int futures = 0;
  int flags = 0;
  /// The first thread does this before it makes the others.
  block prologue;
  /// What each thread does; the first is the one that makes and ends everything.
  std::vector<block> threads;
  /// Of these, the last ones, so many are joined when the runtimes are gone already.
  int late_threads = 0;
  /// The runtimes are made for this program and destroyed at its end, with what is still queued.
  bool fresh = false;
  /// Asyncs may still be queued when the runtimes end; they have nothing to do with shared groups.
  bool queue_survives = false;
  /// Shared futures are asked for their results only when the runtimes are gone.
  bool futures_outlive = false;
  /// Threads stop runtimes: what has not begun may then be dropped, and what comes is refused.
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

/// Gives the blocks their numbers, drops what refers to nothing (a spawn into a group that is not
/// there, a wait for a flag that nobody raises) or awaits outside of coroutines, and says how many
/// blocks there are.
int tidy(program& p);

/// How many times a block runs.
struct times {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

/// How often the blocks of a program have run, by their numbers, and how often one was dropped, as
/// a task of a stopped group, or as what a graph or a pipeline left out.
struct counted {
  std::vector<std::int64_t> begun;
  std::vector<std::int64_t> dropped;
};

/// For every block by its number: how many times it runs in a correct execution where those around
/// it have run as often as they have. A block that is left out when another one throws has a
/// `least` that is less than its `most`.
std::vector<times> expected_times(const program& p, const counted& counts);

/// Whether a step may stand in coroutines alone.
bool awaits(action what);

/// Whether `in`, one of the blocks of `s`, is a coroutine, or a part of one. `within`: so is the
/// block in which `s` stands.
bool is_coroutine(const step& s, const block& in, bool within);

/// The futures that the future of step `s` is made from; null if it is made from none.
const block* needs_of(const step& s);
block* needs_of(step& s);

/// The block that says how the future of `s` ends: its task's, or that of a future that it
/// continues and that ends with an exception.
const block& outcome_of(const step& s);

/// Whether a loop of this form can have a token.
bool takes_a_token(const step& s);

/// Whether loop `s` may end before all its iterations have begun, though none throws.
bool ends_early(const step& s);

/// Whether node `number` of graph `s` chooses among those after it.
bool chooses(const step& s, int number);

/// What it chooses in run number `run`; where several run at once, all as the first.
int choice_of(int number, int run);

/// Whether it gives a value that is no choice.
bool gives_a_value(const step& s, int number);

/// The edges along which values go to it, in the order of its arguments.
std::vector<const edge*> values_to(const step& s, int number);

/// Which nodes of graph `s` are called in run number `run`, if nothing throws or is stopped.
std::vector<bool> nodes_called(const step& s, int run);

/// The stages of pipeline `s`: as many as it has blocks but the first.
std::span<const stage> stages_of(const step& s);

/// How many steps there are.
int count_steps(const program& p);

}  // namespace evencube::programs
