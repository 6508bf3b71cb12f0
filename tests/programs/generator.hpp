#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "generate.hpp"
#include "random.hpp"

namespace evencube::programs {

/// Where steps stand, and what they may therefore do.
struct place {
  int where = -1;  ///< the runtime whose task this is; -1: outside
  int level = 0;   ///< as in generate.hpp
  int depth = 0;
  int copies = 1;                  ///< how many times the block runs
  bool sure = true;                ///< not left out when another block throws
  bool queued_to_the_end = false;  ///< may still run while the runtimes end
  bool held = false;
  bool records = false;                          ///< may start a recording
  std::vector<std::pair<int, int>> groups = {};  ///< local ones: name and runtime
  std::vector<int> own_groups = {};              ///< of these, those that this block may wait for
  std::vector<int> runs = {};                    ///< of graphs, which may be stopped here
};

/// Draws one program.
class generator {
 public:
  generator(std::uint64_t seed, unsigned workers, const features& with)
      : random_(seed * 1024 + workers), with_(with) {
    program_.seed = seed;
    draw_runtimes(workers);
  }

  program make();

 private:
  struct future_made {
    int name;
    int of;
    int level;
    bool passed;  ///< for one get(), not for waits
    bool taken = false;
  };
  using drawer = step (generator::*)(place&);

  // ------------------------------------------------------------------------------ the whole

  setting draw_setting(unsigned workers);
  void draw_runtimes(unsigned workers);
  void draw_shape();
  void draw_storage();
  void draw_children();
  void draw_guests();
  void draw_bodies();
  void draw_hotness();

  // Groups that are stopped, and used again when they have been waited for.
  void draw_renewals();
  block once_more(const step& around, random_source& random);
  step spawn_again(const step& into, random_source& random);
  int any_runtime() { return random_.in(0, static_cast<int>(program_.runtimes.size()) - 1); }
  [[nodiscard]] unsigned workers_of(int of) const {
    return program_.runtimes[static_cast<std::size_t>(of)].workers;
  }
  /// Whether a task of `from` (-1: a thread outside) may call runtime `of`: not in a cycle, which
  /// would be refused.
  [[nodiscard]] static bool may_call(int from, int of) { return of >= from; }
  int callable(int from);
  int any_home(int of);
  block main_thread(place p);

  // Raises flag `f`; before and after it spawns.
  block signaller(place p, int f);
  // Stops runtimes, at some time or other.
  block stopper();
  block late_thread();
  block steps(place& p, int count, drawer draw);

  // -------------------------------------------------------------------- shapes that found much

  // Every worker, or some, in a wait for a shared group, while others spawn into it.
  void waiters_for_a_late_group(place& p, block& b);

  // A task elsewhere waits for what lies at worker 0, whose caller of run() leaves.
  void leave_while_others_wait(place& p, block& b);

  // Each future waits for some of those before it.
  void net_of_futures(place& p, block& b);

  // Coroutines that await those before them.
  void net_of_coroutines(place& p, block& b);

  // ------------------------------------------------------------------------------------ steps

  // What a thread does that must not wait.
  step beginning(place& p);
  step outside_step(place& p);
  step task_step(place& p);
  step held_step(place& p);
  step coroutine_step(place& p);
  step blocked_step(place& p);

  static step work_of(int microseconds) { return {.what = action::work, .amount = microseconds}; }
  step work() { return work_of(random_.in(0, random_.chance(10) ? 60 : 5)); }
  step pause();
  block body(place p, int most_steps);
  int some() { return static_cast<int>(random_.weighted({2, 4, 3, 2})); }
  bool throws() { return with_.exceptions && random_.chance(15); }

  void dress(step& s);

  /// The body of the task of `s`, which may become a coroutine.
  block task_body(step& s, place p, int most_steps);

  /// The place of a task that may run when the block that spawned it has long ended.
  place apart(const place& p, int of, int level) const;

  bool no_groups(const place& p) const { return p.queued_to_the_end || program_.groups.empty(); }

  step spawn_shared(place& p);
  /// The wait, perhaps with a limit.
  step within_a_limit(step wait);
  step wait_shared(place& p);
  step spawn_local(place& p);
  step wait_own(place& p);
  step scope(place& p);
  /// The groups that a step at `p` may stop.
  [[nodiscard]] std::vector<int> stoppable(const place& p) const;
  step stop(place& p);
  step fork(place& p);
  step loop(place& p, action what);
  /// What ends it before all iterations have begun, perhaps.
  void draw_early_end(step& s);
  step invoke(place& p);
  step compute();
  /// The runtime that a step which may do so calls, and whether it names it.
  void called_on(step& s, const place& p);
  /// What the nodes of a graph and the stages of a pipeline may do.
  static place part_of(const step& s, const place& p);
  step graph(place& p);
  void draw_edges(step& s);
  step pipeline(place& p);
  step in_run(place& p);
  step in_scope(place& p);
  step meet();

  // A shared future. Of level `p.level` or below, so that tasks of lower groups may wait for it.
  step make_future(place& p);
  step local_future(place& p);
  /// Makes the future of `s`, whose task stands at `task`, from others, perhaps.
  void from_others(step& s, const place& task, int depth);
  step await_made(place& p);
  step await_all(place& p);
  step visit(place& p);
  /// The task of a future.
  void draw_task(step& s, place task);
  int some_limit();
  step continue_future(place& p, int made);

  /// A dropped task must not take a future whose task uses the groups: nobody would wait for it
  /// before they end.
  [[nodiscard]] bool keeps_out(const place& p) const {
    return p.queued_to_the_end && !program_.queue_survives;
  }

  /// A future that a step at `p` may wait for, as an index into made_; -1 if there is none.
  int waitable(const place& p, bool no_passed);
  /// The same for one that a step at `p` may take.
  int takeable(const place& p);
  step wait_for(int made, action what);
  step some_future(place& p);
  step hold(place& p);
  step record(place& p);
  step strategy(place& p);
  step look(place& p);

  program program_;
  random_source random_;
  features with_;
  bool narrow_ = false;
  int budget_ = 0;
  int held_ = 0;
  bool stops_shared_ = false;
  std::set<int> stoppable_;  ///< local groups
  int next_group_ = 0;
  int next_future_name_ = 0;
  std::vector<future_made> made_;
};

}  // namespace evencube::programs
