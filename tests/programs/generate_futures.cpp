#include <algorithm>
#include <utility>

#include "generator.hpp"

namespace evencube::programs {

step generator::make_future(place& p) {
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

step generator::local_future(place& p) {
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

int generator::waitable(const place& p, bool no_passed) {
  std::vector<int> names;
  for (std::size_t i = 0; i < made_.size(); ++i) {
    const future_made& f = made_[i];
    if (f.level > p.level || !may_call(p.where, f.of) || f.taken) continue;
    if (f.passed && (no_passed || p.copies > 1 || keeps_out(p))) continue;
    names.push_back(static_cast<int>(i));
  }
  return names.empty() ? -1 : random_.one_of(names);
}

step generator::wait_for(int made, action what) {
  const future_made& f = made_[static_cast<std::size_t>(made)];
  return {.what = what, .of = f.of, .target = f.name};
}

step generator::some_future(place& p) {
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

}  // namespace evencube::programs
