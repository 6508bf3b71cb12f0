#include "generate.hpp"

#include <algorithm>
#include <utility>

#include <evencube/balancers/registry.hpp>

#include "random.hpp"

namespace evencube::programs {

namespace {

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
};

class generator {
 public:
  generator(std::uint64_t seed, unsigned workers, const features& with)
      : random_(seed * 1024 + workers), with_(with) {
    program_.seed = seed;
    draw_runtimes(workers);
  }

  program make() {
    draw_shape();
    place outside;
    outside.level = static_cast<int>(program_.groups.size());
    outside.queued_to_the_end = false;
    place first = outside;
    first.records = with_.holds;
    if (random_.chance(40)) {
      place before = outside;
      before.depth = 2;  // small
      program_.prologue = steps(before, random_.in(1, 3), &generator::beginning);
    }
    const int others = random_.chance(45) ? random_.in(1, 3) : 0;
    std::vector<block> threads;
    for (int f = 0; f < program_.flags; ++f) threads.push_back(signaller(outside, f));
    const bool first_is_first = random_.chance(50);
    block main_block;
    if (first_is_first) main_block = main_thread(first);
    for (int t = 0; t < others; ++t) {
      threads.push_back(steps(outside, random_.in(1, 4), &generator::outside_step));
    }
    if (!first_is_first) main_block = main_thread(first);
    threads.insert(threads.begin(), std::move(main_block));
    if (program_.futures_outlive && random_.chance(60)) {
      program_.late_threads = random_.in(1, 2);
      for (int t = 0; t < program_.late_threads; ++t) threads.push_back(late_thread());
    }
    program_.threads = std::move(threads);
    tidy(program_);
    return std::move(program_);
  }

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

  setting draw_setting(unsigned workers) {
    setting s;
    s.workers = workers;
    static constexpr const char* balancers[] = {"oem", "none", "random_stealing", "locality",
                                                "dem"};
    static constexpr const char* transmissions[] = {
        "direct",    "phased",      "overlapped", "overlapped_rounds",
        "pipelined", "pipelined:1", "pipelined:3"};
    s.balancer = balancers[random_.weighted({6, 3, 3, 1, 1})];
    s.transmission = transmissions[random_.weighted({6, 1, 1, 1, 1, 1, 1})];
    s.mode = static_cast<int>(random_.weighted({4, 2, 2, 4}));
    s.pulls = s.balancer == "random_stealing" || !random_.chance(25);
    s.pin = !random_.chance(25);
    s.period = random_.chance(15) ? 200 : 0;
    s.threshold = random_.chance(20) ? static_cast<unsigned>(random_.in(1, 4)) : 256;
    return s;
  }

  void draw_runtimes(unsigned workers) {
    program_.fresh = random_.chance(workers <= 3 ? 40 : workers <= 8 ? 15 : 3);
    program_.futures_outlive = program_.fresh && with_.outliving && random_.chance(50);
    program_.runtimes.push_back(draw_setting(workers));
    if (random_.chance(30)) {
      static constexpr unsigned counts[] = {1, 2, 3, 5};
      program_.runtimes.push_back(draw_setting(counts[random_.weighted({3, 3, 2, 1})]));
    } else if (random_.chance(12)) {
      program_.runtimes[0].capacity = static_cast<unsigned>(random_.in(1, 6));
      narrow_ = true;
    }
  }

  void draw_shape() {
    budget_ = random_.chance(50) ? random_.in(5, 20) : random_.in(15, 60);
    const int groups = static_cast<int>(random_.weighted({3, 4, 3, 2}));
    for (int g = 0; g < groups; ++g) program_.groups.push_back(any_runtime());
    next_group_ = groups;
    if (groups > 0 && !narrow_ && random_.chance(40)) {
      program_.flags = random_.in(1, 2);
    }
    // What is still queued at the end must not need the groups, which end before.
    program_.queue_survives = program_.fresh && random_.chance(50);
  }

  int any_runtime() { return random_.in(0, static_cast<int>(program_.runtimes.size()) - 1); }
  [[nodiscard]] unsigned workers_of(int of) const {
    return program_.runtimes[static_cast<std::size_t>(of)].workers;
  }
  /// Whether a task of `from` (-1: a thread outside) may call runtime `of`: not in a circle, which
  /// would be refused.
  [[nodiscard]] static bool may_call(int from, int of) { return of >= from; }
  int callable(int from) {
    if (from < 0) return any_runtime();
    if (random_.chance(75)) return from;
    const int of = any_runtime();
    return may_call(from, of) ? of : from;
  }

  int any_home(int of) {
    const int last = static_cast<int>(workers_of(of)) - 1;
    switch (random_.weighted({10, 5, 3, 3})) {
      case 0:
        return -1;
      case 1:
        return 0;
      case 2:
        return last;
      default:
        return random_.in(0, last);
    }
  }

  block main_thread(place p) {
    const int most = random_.in(2, 6);
    block b;
    for (int i = 0; i < most && budget_ > 0; ++i) {
      switch (random_.weighted({10, 2, 2, 2})) {
        case 0:
          b.steps.push_back(outside_step(p));
          break;
        case 1:
          waiters_for_a_late_group(p, b);
          break;
        case 2:
          leave_while_others_wait(p, b);
          break;
        default:
          net_of_futures(p, b);
      }
    }
    return b;
  }

  // Raises flag `f`; before and after it spawns.
  block signaller(place p, int f) {
    block b = steps(p, random_.in(0, 2), &generator::beginning);
    step raise{.what = action::raise_flag, .target = f};
    b.steps.push_back(std::move(raise));
    block after = steps(p, random_.in(0, 2), &generator::beginning);
    std::ranges::move(after.steps, std::back_inserter(b.steps));
    return b;
  }

  block late_thread() {
    block b;
    for (const future_made& f : made_) {
      if (f.passed || !random_.chance(60)) continue;
      if (random_.chance(30)) b.steps.push_back(pause());
      b.steps.push_back({.what = action::wait_future, .of = f.of, .target = f.name});
    }
    return b;
  }

  block steps(place& p, int count, drawer draw) {
    block b;
    for (int i = 0; i < count && budget_ > 0; ++i) b.steps.push_back((this->*draw)(p));
    return b;
  }

  // -------------------------------------------------------------------- shapes that found much

  // Every worker, or some, in a wait for a shared group, while others spawn into it.
  void waiters_for_a_late_group(place& p, block& b) {
    if (program_.groups.empty()) return;
    const int late = random_.in(0, static_cast<int>(program_.groups.size()) - 1);
    const int of = callable(-1);
    if (!may_call(of, program_.groups[static_cast<std::size_t>(late)])) return;
    step in_run{.what = action::run, .of = of};
    step around{.what = action::scope, .of = of, .target = next_group_++};
    const auto wait = [&](block& waiter) {
      if (program_.flags > 0) {
        waiter.steps.push_back(
            {.what = action::await_flag, .target = random_.in(0, program_.flags - 1)});
      }
      waiter.steps.push_back({.what = action::wait_group,
                              .of = program_.groups[static_cast<std::size_t>(late)],
                              .target = late});
    };
    block inside;
    const int waiters = random_.in(1, std::min(3, static_cast<int>(workers_of(of))));
    for (int k = 0; k < waiters; ++k) {
      step waiter{.what = action::spawn, .of = of, .target = around.target};
      waiter.home = k % static_cast<int>(workers_of(of));
      waiter.inner.resize(1);
      wait(waiter.inner[0]);
      inside.steps.push_back(std::move(waiter));
      --budget_;
    }
    wait(inside);
    around.inner.push_back(std::move(inside));
    in_run.inner.resize(1);
    in_run.inner[0].steps.push_back(std::move(around));
    if (random_.chance(50)) b.steps.push_back(spawn_shared(p));
    b.steps.push_back(std::move(in_run));
    budget_ -= 2;
  }

  // A task elsewhere waits for what lies at worker 0, whose caller of run() leaves.
  void leave_while_others_wait(place& p, block& b) {
    const int of = callable(-1);
    place inside = p;
    inside.where = of;
    inside.depth += 2;
    inside.queued_to_the_end = program_.queue_survives;
    step made{.what = action::async, .of = of, .target = program_.futures++};
    made.home = static_cast<int>(workers_of(of)) - 1;
    step around{.what = action::scope, .of = of, .target = next_group_++};
    block spawned;
    for (int i = random_.in(1, 3); i > 0; --i) {
      step child{.what = action::spawn, .of = of, .target = around.target};
      child.home = random_.chance(70) ? 0 : any_home(of);
      child.inner.push_back(body(inside, random_.in(0, 2)));
      spawned.steps.push_back(std::move(child));
      --budget_;
    }
    around.inner.push_back(std::move(spawned));
    made.inner.resize(1);
    made.inner[0].steps.push_back(std::move(around));
    const int name = made.target;
    step in_run{.what = action::run, .of = of};
    in_run.inner.resize(1);
    in_run.inner[0].steps.push_back(std::move(made));
    for (int i = random_.in(0, 2); i > 0; --i) in_run.inner[0].steps.push_back(pause());
    b.steps.push_back(std::move(in_run));
    made_.push_back({.name = name, .of = of, .level = p.level, .passed = false});
    b.steps.push_back({.what = action::wait_future, .of = of, .target = name});
    budget_ -= 2;
  }

  // Each future waits for some of those before it.
  void net_of_futures(place& p, block& b) {
    const int of = callable(-1);
    const int count = std::min(budget_, random_.in(3, 14));
    const bool inside = random_.chance(50);
    place task = p;
    task.where = of;
    block all;
    for (int i = 0; i < count; ++i) {
      step made{.what = action::async, .of = of, .target = program_.futures++};
      made.home = random_.chance(30) ? any_home(of) : -1;
      made.inner.resize(1);
      for (int k = random_.in(0, 2); k > 0; --k) {
        if (const int before = waitable(task, true); before >= 0) {
          made.inner[0].steps.push_back(wait_for(before, action::wait_future));
        }
      }
      if (random_.chance(20)) made.inner[0].steps.push_back(work());
      made_.push_back({.name = made.target, .of = of, .level = p.level, .passed = false});
      all.steps.push_back(std::move(made));
      --budget_;
    }
    for (int k = random_.in(1, 3); k > 0; --k) {
      if (const int last = waitable(task, true); last >= 0) {
        all.steps.push_back(wait_for(last, action::wait_future));
      }
    }
    if (inside) {
      step in_run{.what = action::run, .of = of};
      in_run.inner.push_back(std::move(all));
      b.steps.push_back(std::move(in_run));
      --budget_;
    } else {
      std::ranges::move(all.steps, std::back_inserter(b.steps));
    }
  }

  // ------------------------------------------------------------------------------------ steps

  // What a thread does that must not wait.
  step beginning(place& p) {
    switch (random_.weighted({4, 3, 2, 1})) {
      case 0:
        return spawn_shared(p);
      case 1:
        return make_future(p);
      case 2:
        return pause();
      default:
        return work();
    }
  }

  step outside_step(place& p) {
    const int holds = with_.holds && !narrow_ ? 2 : 0;
    switch (random_.weighted({10, 5, 4, 3, 3, 2, holds, 2, 1, 1, p.records ? 1 : 0, 2})) {
      case 0:
        return in_run(p);
      case 1:
        return make_future(p);
      case 2:
        return spawn_shared(p);
      case 3:
        return wait_shared(p);
      case 4:
        return some_future(p);
      case 5:
        return pause();
      case 6:
        return hold(p);
      case 7:
        return scope(p);
      case 8:
        return strategy(p);
      case 9:
        return look(p);
      case 10:
        return record(p);
      default:
        return local_future(p);
    }
  }

  step task_step(place& p) {
    const bool closed = !p.sure;  // whatever is left out has to do with nothing else
    const int outer = closed ? 0 : 1;
    const int once = p.copies == 1 ? outer : 0;
    const int deeper = p.depth < 5 ? 1 : 0;
    switch (random_.weighted({2, 3, 6 * deeper, 5 * deeper, 3 * deeper, 2 * deeper, 3 * outer,
                              4 * once * deeper, 4 * outer, 3 * outer, 2 * outer * deeper, 1,
                              p.groups.empty() ? 0 : 5, p.own_groups.empty() ? 0 : 2,
                              program_.flags > 0 ? outer : 0, 3 * outer * deeper})) {
      case 0:
        return work();
      case 1:
        return pause();
      case 2:
        return scope(p);
      case 3:
        return fork(p);
      case 4:
        return loop(p, action::loop);
      case 5:
        return loop(p, action::reduce);
      case 6:
        return spawn_shared(p);
      case 7:
        return make_future(p);
      case 8:
        return some_future(p);
      case 9:
        return wait_shared(p);
      case 10:
        return in_run(p);
      case 11:
        return random_.chance(40) ? strategy(p) : look(p);
      case 12:
        return spawn_local(p);
      case 13:
        return wait_own(p);
      case 14:
        return {.what = action::await_flag, .target = random_.in(0, program_.flags - 1)};
      default:
        return local_future(p);
    }
  }

  step held_step(place& p) {
    switch (random_.weighted({5, 3, 4, 1})) {
      case 0:
        return spawn_shared(p);
      case 1:
        return make_future(p);
      case 2:
        return {.what = action::balance, .of = held_};
      default:
        return look(p);
    }
  }

  static step work_of(int microseconds) { return {.what = action::work, .amount = microseconds}; }
  step work() { return work_of(random_.in(0, random_.chance(10) ? 60 : 5)); }
  step pause() {
    return {.what = action::pause, .amount = random_.chance(60) ? 0 : random_.in(1, 60)};
  }

  block body(place p, int most_steps) {
    ++p.depth;
    --budget_;
    block b = steps(p, most_steps, &generator::task_step);
    return b;
  }
  int some() { return static_cast<int>(random_.weighted({2, 4, 3, 2})); }
  bool throws() { return with_.exceptions && random_.chance(15); }

  void dress(step& s) {
    if (random_.chance(20)) s.cost = random_.in(2, 9);
    s.home = any_home(s.of);
    s.size = static_cast<closure>(random_.weighted({8, 1, 1}));
  }

  /// The place of a task that may run when the block that spawned it has long ended.
  place apart(const place& p, int of, int level) const {
    place task = p;
    task.where = of;
    task.level = level;
    task.held = false;
    task.records = false;
    task.groups.clear();
    task.own_groups.clear();
    return task;
  }

  bool no_groups(const place& p) const { return p.queued_to_the_end || program_.groups.empty(); }

  step spawn_shared(place& p) {
    if (no_groups(p)) return pause();
    const int group = random_.in(0, static_cast<int>(program_.groups.size()) - 1);
    const int of = program_.groups[static_cast<std::size_t>(group)];
    if (!may_call(p.where, of) || p.copies > 20) return work();
    step s{.what = action::spawn, .of = of, .target = group};
    dress(s);
    s.inner.push_back(body(apart(p, of, group), some()));
    s.inner[0].throws = throws();
    return s;
  }

  step wait_shared(place& p) {
    if (no_groups(p) || p.level == 0) return work();
    const int group = random_.in(0, p.level - 1);
    const int of = program_.groups[static_cast<std::size_t>(group)];
    if (!may_call(p.where, of)) return work();
    return {.what = action::wait_group, .of = of, .target = group};
  }

  step spawn_local(place& p) {
    const auto group = random_.one_of(p.groups);
    const int of = group.second;
    step s{.what = action::spawn, .of = of, .target = group.first};
    dress(s);
    place task = p;
    task.where = of;
    task.own_groups.clear();
    // The groups inside of this one may be gone before the task begins.
    task.groups.erase(std::ranges::find(task.groups, group) + 1, task.groups.end());
    std::erase_if(task.groups, [of](const auto& g) { return g.second != of; });
    s.inner.push_back(body(task, some()));
    s.inner[0].throws = throws();
    return s;
  }

  step wait_own(place& p) {
    const int name = random_.one_of(p.own_groups);
    const auto group = std::ranges::find(p.groups, name, &std::pair<int, int>::first);
    return {.what = action::wait_group, .of = group->second, .target = name};
  }

  step scope(place& p) {
    const int of = p.sure ? callable(p.where) : p.where;
    step s{.what = action::scope, .of = of, .target = next_group_++};
    s.variant = static_cast<std::uint8_t>(random_.weighted({8, 1, with_.exceptions ? 1 : 0}));
    place inside = p;
    inside.groups.emplace_back(s.target, of);
    inside.own_groups.push_back(s.target);
    ++inside.depth;
    block b;
    for (int i = random_.in(1, 4); i > 0 && budget_ > 0; --i) {
      place narrowed = inside;
      narrowed.groups = {{s.target, of}};
      b.steps.push_back(spawn_local(narrowed));
      if (random_.chance(30)) {
        b.steps.push_back(p.where < 0 ? pause() : task_step(inside));
      }
    }
    s.inner.push_back(std::move(b));
    return s;
  }

  step fork(place& p) {
    step s{.what = action::fork, .of = p.where};
    place half = p;
    half.own_groups.clear();
    s.inner.push_back(body(half, some()));
    s.inner[0].throws = throws() && random_.chance(50);
    place other = half;
    other.sure = half.sure && !s.inner[0].throws;
    s.inner.push_back(body(other, some()));
    s.inner[1].throws = throws();
    return s;
  }

  step loop(place& p, action what) {
    step s{.what = what, .of = p.where};
    s.amount = random_.in(0, std::max(1, 40 / p.copies));
    s.grain = random_.chance(50) ? random_.in(1, 4) : 0;
    place iteration = p;
    iteration.own_groups.clear();
    iteration.copies *= std::max(1, s.amount);
    const bool fails = s.amount > 0 && throws();
    iteration.sure = p.sure && !fails;
    s.variant = static_cast<std::uint8_t>(fails ? random_.in(0, s.amount - 1) : 0);
    s.inner.push_back(body(iteration, iteration.copies > 60 ? 0 : some()));
    s.inner[0].throws = fails;
    return s;
  }

  step in_run(place& p) {
    const int of = callable(p.where);
    step s{.what = action::run, .of = of};
    place inside = p;
    if (of != p.where) {
      inside.groups.clear();
    }
    inside.own_groups.clear();
    inside.where = of;
    inside.records = false;
    s.inner.push_back(body(inside, random_.in(1, 4)));
    s.inner[0].throws = throws();
    return s;
  }

  // A shared future. Of level `p.level` or below, so that tasks of lower groups may wait for it.
  step make_future(place& p) {
    const int of = callable(p.where);
    const int level = random_.in(0, p.level);
    step s{.what = action::async, .of = of, .target = program_.futures++};
    dress(s);
    place task = apart(p, of, level);
    task.queued_to_the_end = p.queued_to_the_end || program_.queue_survives;
    s.inner.push_back(body(task, some()));
    s.inner[0].throws = throws();
    made_.push_back({.name = s.target, .of = of, .level = level, .passed = random_.chance(25)});
    return s;
  }

  step local_future(place& p) {
    const int of = p.sure ? callable(p.where) : p.where;
    step s{.what = action::local_async, .of = of, .target = next_future_name_++};
    dress(s);
    const bool may_drop = p.sure && (program_.fresh || with_.polling);
    s.variant = static_cast<std::uint8_t>(random_.weighted({5, 2, may_drop ? 2 : 0}));
    place task = apart(p, of, random_.in(0, p.level));
    if (s.variant == dropped) task.queued_to_the_end = true;
    s.inner.push_back(body(task, some()));
    s.inner[0].throws = throws();
    place between = p;
    ++between.depth;
    s.inner.push_back(p.where < 0 ? block{}
                                  : steps(between, random_.in(0, 2), &generator::task_step));
    return s;
  }

  /// A dropped task must not take a future whose task uses the groups: nobody would wait for it
  /// before they end.
  [[nodiscard]] bool keeps_out(const place& p) const {
    return p.queued_to_the_end && !program_.queue_survives;
  }

  /// A future that a step at `p` may wait for, as an index into made_; -1 if there is none.
  int waitable(const place& p, bool no_passed) {
    std::vector<int> names;
    for (std::size_t i = 0; i < made_.size(); ++i) {
      const future_made& f = made_[i];
      if (f.level > p.level || !may_call(p.where, f.of) || f.taken) continue;
      if (f.passed && (no_passed || p.copies > 1 || keeps_out(p))) continue;
      names.push_back(static_cast<int>(i));
    }
    return names.empty() ? -1 : random_.one_of(names);
  }
  step wait_for(int made, action what) {
    const future_made& f = made_[static_cast<std::size_t>(made)];
    return {.what = what, .of = f.of, .target = f.name};
  }

  step some_future(place& p) {
    const int i = waitable(p, false);
    if (i < 0) return pause();
    future_made& f = made_[static_cast<std::size_t>(i)];
    if (f.passed) {
      f.taken = true;
      return wait_for(i, action::get_future);
    }
    const bool polls = with_.polling && p.where < 0 && random_.chance(20);
    return wait_for(i, polls ? action::poll_future : action::wait_future);
  }

  step hold(place& p) {
    step s{.what = action::hold, .of = any_runtime()};
    place inside = p;
    inside.held = true;
    inside.records = false;
    ++inside.depth;
    held_ = s.of;
    s.inner.push_back(steps(inside, random_.in(1, 4), &generator::held_step));
    return s;
  }

  step record(place& p) {
    step s{.what = action::record, .of = any_runtime()};
    place inside = p;
    inside.records = false;
    ++inside.depth;
    s.inner.push_back(steps(inside, random_.in(1, 3), &generator::outside_step));
    return s;
  }

  step strategy(place& p) {
    step s{.what = action::strategy, .of = callable(p.where)};
    static const std::vector<balancer_descriptor> all = registered_balancers();
    static const std::vector<std::string> ways = {
        "direct",    "phased",      "overlapped", "overlapped_rounds",
        "pipelined", "pipelined:1", "pipelined:3"};
    const bool pulls = program_.runtimes[static_cast<std::size_t>(s.of)].pulls;
    s.name =
        pulls && random_.chance(25) ? std::string("random_stealing") : random_.one_of(all).name;
    s.transmission = random_.one_of(ways);
    return s;
  }

  step look(place& p) {
    if (random_.chance(50)) return {.what = action::balance, .of = callable(p.where)};
    step s{.what = action::look, .of = callable(p.where)};
    s.variant = random_.chance(30) ? 1 : 0;
    return s;
  }

  program program_;
  random_source random_;
  features with_;
  bool narrow_ = false;
  int budget_ = 0;
  int held_ = 0;
  int next_group_ = 0;
  int next_future_name_ = 0;
  std::vector<future_made> made_;
};

}  // namespace

program generate(std::uint64_t seed, unsigned workers, const features& with) {
  return generator(seed, workers, with).make();
}

}  // namespace evencube::programs
