#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <evencube/balancers/registry.hpp>

#include "generator.hpp"

namespace evencube::programs {

step generator::beginning(place& p) {
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

step generator::outside_step(place& p) {
  const int holds = with_.holds && !narrow_ ? 2 : 0;
  const int stops = stoppable(p).empty() ? 0 : 1;
  switch (random_.weighted({10, 5, 4, 3, 3, 2, holds, 2, 1, 1, p.records ? 1 : 0, stops, 2,
                            with_.graphs ? 1 : 0, with_.pipelines ? 1 : 0,
                            program_.ends_early ? 1 : 0})) {
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
    case 11:
      return stop(p);
    case 12:
      return local_future(p);
    case 13:
      return graph(p);
    case 14:
      return pipeline(p);
    default:
      return {.what = action::stop_runtime, .of = any_runtime()};
  }
}

step generator::task_step(place& p) {
  const bool closed = !p.sure;  // whatever is left out has to do with nothing else
  const int outer = closed ? 0 : 1;
  const int once = p.copies == 1 ? outer : 0;
  const int deeper = p.depth < 5 ? 1 : 0;
  switch (random_.weighted({2,
                            3,
                            6 * deeper,
                            5 * deeper,
                            3 * deeper,
                            2 * deeper,
                            3 * outer,
                            4 * once * deeper,
                            4 * outer,
                            3 * outer,
                            2 * outer * deeper,
                            1,
                            p.groups.empty() ? 0 : 5,
                            p.own_groups.empty() ? 0 : 2,
                            program_.flags > 0 ? outer : 0,
                            stoppable(p).empty() ? 0 : 3,
                            with_.stops ? 1 : 0,
                            with_.algorithms ? 2 * deeper : 0,
                            with_.algorithms ? 2 : 0,
                            3 * outer * deeper,
                            with_.graphs ? 3 * deeper : 0,
                            with_.pipelines ? 2 * deeper : 0,
                            with_.blocking ? 2 * deeper : 0})) {
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
    case 15:
      return stop(p);
    case 16:
      return {.what = action::ask_stop};
    case 17:
      return invoke(p);
    case 18:
      return p.copies > 20 ? work() : compute();
    case 19:
      return local_future(p);
    case 20:
      return graph(p);
    case 21:
      return pipeline(p);
    default:
      return in_scope(p);
  }
}

step generator::held_step(place& p) {
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

step generator::pause() {
  return {.what = action::pause, .amount = random_.chance(60) ? 0 : random_.in(1, 60)};
}

block generator::body(place p, int most_steps) {
  ++p.depth;
  --budget_;
  block b = steps(p, most_steps, &generator::task_step);
  return b;
}

void generator::dress(step& s) {
  if (random_.chance(20)) s.cost = random_.in(2, 9);
  s.home = any_home(s.of);
  if (with_.priorities && random_.chance(25)) {
    s.level = random_.chance(50) ? 1 : -1;
    s.home = -1;
  }
  s.size = static_cast<closure>(random_.weighted({8, 1, 1}));
}

place generator::apart(const place& p, int of, int level) const {
  place task = p;
  task.where = of;
  task.level = level;
  task.held = false;
  task.records = false;
  task.groups.clear();
  task.own_groups.clear();
  task.runs.clear();
  return task;
}

step generator::spawn_shared(place& p) {
  if (no_groups(p)) return pause();
  const int group = random_.in(0, static_cast<int>(program_.groups.size()) - 1);
  const int of = program_.groups[static_cast<std::size_t>(group)];
  if (!may_call(p.where, of) || p.copies > 20) return work();
  step s{.what = action::spawn, .of = of, .target = group};
  dress(s);
  s.inner.push_back(task_body(s, apart(p, of, group), some()));
  s.inner[0].throws = throws();
  return s;
}

step generator::wait_shared(place& p) {
  if (no_groups(p) || p.level == 0) return work();
  const int group = random_.in(0, p.level - 1);
  const int of = program_.groups[static_cast<std::size_t>(group)];
  if (!may_call(p.where, of)) return work();
  return within_a_limit({.what = action::wait_group, .of = of, .target = group});
}

step generator::spawn_local(place& p) {
  const auto group = random_.one_of(p.groups);
  const int of = group.second;
  step s{.what = action::spawn, .of = of, .target = group.first};
  dress(s);
  place task = p;
  task.where = of;
  task.own_groups.clear();
  task.runs.clear();
  // The groups inside of this one may be gone before the task begins.
  task.groups.erase(std::ranges::find(task.groups, group) + 1, task.groups.end());
  std::erase_if(task.groups, [of](const auto& g) { return g.second != of; });
  s.inner.push_back(task_body(s, task, some()));
  s.inner[0].throws = throws();
  return s;
}

step generator::wait_own(place& p) {
  const int name = random_.one_of(p.own_groups);
  const auto group = std::ranges::find(p.groups, name, &std::pair<int, int>::first);
  return within_a_limit({.what = action::wait_group, .of = group->second, .target = name});
}

step generator::scope(place& p) {
  const int of = p.sure ? callable(p.where) : p.where;
  step s{.what = action::scope, .of = of, .target = next_group_++};
  s.variant = static_cast<std::uint8_t>(random_.weighted({8, 1, with_.exceptions ? 1 : 0}));
  if (with_.stops && random_.chance(25)) {
    s.stops = static_cast<stop_way>(by_request + random_.weighted({4, 3, 1}));
    stoppable_.insert(s.target);
  }
  place inside = p;
  inside.groups.emplace_back(s.target, of);
  inside.own_groups.push_back(s.target);
  ++inside.depth;
  block b;
  for (int i = random_.in(1, 4); i > 0 && budget_ > 0; --i) {
    place narrowed = inside;
    narrowed.groups = {{s.target, of}};
    b.steps.push_back(spawn_local(narrowed));
    if (s.stops != never && random_.chance(25)) b.steps.push_back(stop(narrowed));
    if (random_.chance(30)) {
      b.steps.push_back(p.where < 0 ? pause() : task_step(inside));
    }
  }
  s.inner.push_back(std::move(b));
  return s;
}

std::vector<int> generator::stoppable(const place& p) const {
  std::vector<int> names = p.runs;
  for (const auto& [name, of] : p.groups) {
    if (stoppable_.contains(name)) names.push_back(name);
  }
  if (stops_shared_ && p.sure && !no_groups(p)) {
    for (int g = 0; g < static_cast<int>(program_.groups.size()); ++g) names.push_back(g);
  }
  return names;
}

step generator::stop(place& p) {
  return {.what = action::stop_group, .target = random_.one_of(stoppable(p))};
}

step generator::fork(place& p) {
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

step generator::loop(place& p, action what) {
  step s{.what = what, .of = p.where};
  s.amount = random_.in(0, std::max(1, 40 / p.copies));
  s.grain = random_.chance(50) ? random_.in(1, 4) : 0;
  if (with_.algorithms) {
    s.form = what == action::loop
                 ? static_cast<loop_form>(random_.weighted({3, 2, 1, 2, 2, 1, 2, 1, 1}))
                 : static_cast<loop_form>(random_.weighted({2, 2, 0, 0, 1}));
  }
  place iteration = p;
  iteration.own_groups.clear();
  iteration.copies *= std::max(1, s.amount);
  const bool fails = s.amount > 0 && throws();
  draw_early_end(s);
  iteration.sure = p.sure && !fails && !ends_early(s);
  s.variant = static_cast<std::uint8_t>(fails ? random_.in(0, s.amount - 1) : 0);
  s.inner.push_back(body(iteration, iteration.copies > 60 ? 0 : some()));
  s.inner[0].throws = fails;
  return s;
}

void generator::draw_early_end(step& s) {
  if (s.amount == 0) return;
  const bool searches = s.form == by_search || s.form == by_any;
  if (searches && random_.chance(75)) s.failing = random_.in(0, s.amount - 1);
  if (!with_.stops || !with_.algorithms || !takes_a_token(s) || !random_.chance(25)) return;
  s.stops = random_.chance(85) ? by_token : by_token_before;
  if (random_.chance(85)) s.stopping = random_.in(0, s.amount - 1);
}

step generator::invoke(place& p) {
  step s{.what = action::invoke, .of = p.where};
  place part = p;
  part.own_groups.clear();
  bool fails[3] = {};
  for (bool& f : fails) f = throws() && random_.chance(50);
  for (int i = 0; i < 3; ++i) {
    place other = part;
    for (int k = 0; k < 3; ++k) other.sure = other.sure && (k == i || !fails[k]);
    s.inner.push_back(body(other, some()));
    s.inner.back().throws = fails[i];
  }
  return s;
}

step generator::compute() {
  static constexpr int sizes[] = {1, 12, 700, 5000};
  step s{.what = action::compute};
  s.variant = static_cast<std::uint8_t>(random_.in(a_scan, an_exclusive_scan));
  s.amount = sizes[random_.weighted({1, 2, 3, 3})];
  // Behind the first, which a scan may not combine; before what a search finds.
  if (s.amount > 1 && throws()) s.failing = random_.in(1, s.amount / 2);
  return s;
}

step generator::in_run(place& p) {
  const int of = callable(p.where);
  step s{.what = action::run, .of = of};
  place inside = p;
  if (of != p.where) {
    inside.groups.clear();
  }
  inside.own_groups.clear();
  inside.runs.clear();
  inside.where = of;
  inside.records = false;
  s.inner.push_back(task_body(s, inside, random_.in(1, 4)));
  s.inner[0].throws = throws();
  return s;
}

step generator::hold(place& p) {
  step s{.what = action::hold, .of = any_runtime()};
  place inside = p;
  inside.held = true;
  inside.records = false;
  ++inside.depth;
  held_ = s.of;
  s.inner.push_back(steps(inside, random_.in(1, 4), &generator::held_step));
  return s;
}

step generator::record(place& p) {
  step s{.what = action::record, .of = any_runtime()};
  place inside = p;
  inside.records = false;
  ++inside.depth;
  s.inner.push_back(steps(inside, random_.in(1, 3), &generator::outside_step));
  return s;
}

step generator::strategy(place& p) {
  step s{.what = action::strategy, .of = callable(p.where)};
  static const std::vector<balancer_descriptor> all = registered_balancers();
  static const std::vector<std::string> ways = {
      "direct",    "phased",      "overlapped", "overlapped_rounds",
      "pipelined", "pipelined:1", "pipelined:3"};
  const bool pulls = program_.runtimes[static_cast<std::size_t>(s.of)].pulls;
  const balancer_descriptor& drawn = random_.one_of(all);
  s.name = pulls && random_.chance(25) ? std::string("random_stealing") : drawn.name;
  if (s.name == drawn.name && random_.chance(50)) {
    const auto has = [&](std::string_view option) {
      return std::ranges::any_of(drawn.options, [&](const auto& o) { return o.name == option; });
    };
    // Marks near the lengths of these programs' queues.
    if (has("low")) s.low = random_.in(0, 10);
    if (has("high")) s.high = std::max(s.low, 0) + random_.in(1, 10);
  }
  s.transmission = random_.one_of(ways);
  return s;
}

step generator::look(place& p) {
  if (random_.chance(50)) return {.what = action::balance, .of = callable(p.where)};
  step s{.what = action::look, .of = callable(p.where)};
  s.variant = random_.chance(30) ? 1 : 0;
  return s;
}

}  // namespace evencube::programs
