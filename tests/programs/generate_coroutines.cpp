#include <algorithm>
#include <iterator>
#include <utility>

#include "generator.hpp"

namespace evencube::programs {

block generator::task_body(step& s, place p, int most_steps) {
  if (!with_.coroutines || s.from != nothing || !random_.chance(25)) return body(p, most_steps);
  s.size = a_coroutine;
  if (s.what == action::run) s.variant = static_cast<std::uint8_t>(random_.in(0, 1));
  // Groups that are made, or stopped, around it are for the code between two awaits.
  p.own_groups.clear();
  p.runs.clear();
  ++p.depth;
  --budget_;
  return steps(p, most_steps + 1, &generator::coroutine_step);
}

step generator::coroutine_step(place& p) {
  const int deeper = p.depth < 5 ? 1 : 0;
  const int taken = takeable(p);
  switch (random_.weighted({4, taken >= 0 ? 5 : 0, 3 * deeper, 3 * deeper, 2 * deeper})) {
    case 0:
      return deeper == 0 ? work() : task_step(p);
    case 1:
      made_[static_cast<std::size_t>(taken)].taken = true;
      return wait_for(taken, action::await_future);
    case 2:
      return await_made(p);
    case 3:
      return await_all(p);
    default:
      return visit(p);
  }
}

step generator::await_made(place& p) {
  step s{.what = action::await_made, .of = p.sure ? callable(p.where) : p.where};
  dress(s);
  draw_task(s, apart(p, s.of, random_.in(0, p.level)));
  return s;
}

step generator::await_all(place& p) {
  step s{.what = action::await_all, .of = p.where};
  place part = p;
  ++part.depth;
  for (int i = random_.chance(30) ? 1 : random_.in(2, 4); i > 0; --i) {
    --budget_;
    s.inner.push_back(steps(part, random_.in(0, 2), &generator::coroutine_step));
    s.inner.back().throws = throws();
  }
  return s;
}

step generator::visit(place& p) {
  step s{.what = action::visit, .of = p.sure ? callable(p.where) : p.where};
  if (p.sure && may_call(p.where, 1) && program_.runtimes.size() > 1 && random_.chance(50)) {
    s.of = 1;
  }
  place there = p;
  ++there.depth;
  there.where = s.of;
  if (s.of != p.where) there.groups.clear();
  --budget_;
  s.inner.push_back(steps(there, random_.in(0, 2), &generator::coroutine_step));
  return s;
}

void generator::net_of_coroutines(place& p, block& b) {
  const int of = callable(-1);
  const int count = std::min(budget_, random_.in(3, 12));
  place task = p;
  task.where = of;
  std::vector<int> left;  // of those that nobody awaits yet
  for (int i = 0; i < count; ++i) {
    step made{.what = action::async, .of = of, .target = program_.futures++};
    made.home = random_.chance(30) ? any_home(of) : -1;
    made.inner.resize(1);
    if (random_.chance(80)) made.size = a_coroutine;
    block& its = made.inner[0];
    for (int k = random_.in(0, 2); k > 0 && made.size == a_coroutine && !left.empty(); --k) {
      const auto which = left.begin() + random_.in(0, static_cast<int>(left.size()) - 1);
      its.steps.push_back({.what = action::await_future, .of = of, .target = *which});
      left.erase(which);
      if (random_.chance(20)) its.steps.push_back(pause());
    }
    if (random_.chance(20)) its.steps.push_back(work());
    its.throws = throws();
    left.push_back(made.target);
    b.steps.push_back(std::move(made));
    --budget_;
  }
  for (const int name : left) {
    const bool soon = random_.chance(50);
    made_.push_back({.name = name, .of = of, .level = p.level, .passed = true, .taken = soon});
    if (soon) {
      b.steps.push_back({.what = action::get_future, .of = of, .target = name});
    }
  }
}

}  // namespace evencube::programs
