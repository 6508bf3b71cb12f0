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
  draw_task(s, task);
  made_.push_back({.name = s.target, .of = of, .level = level, .passed = random_.chance(25)});
  return s;
}

step generator::local_future(place& p) {
  const int of = p.sure ? callable(p.where) : p.where;
  step s{.what = action::local_async, .of = of, .target = next_future_name_++};
  dress(s);
  const bool may_drop = p.sure && (program_.fresh || with_.polling);
  s.variant = static_cast<std::uint8_t>(random_.weighted({5, 2, may_drop ? 2 : 0, 2, 1}));
  place task = apart(p, of, random_.in(0, p.level));
  if (s.variant == dropped) task.queued_to_the_end = true;
  if (s.variant == by_wait_for || s.variant == by_wait_until) s.limit = some_limit();
  draw_task(s, task);
  place between = p;
  ++between.depth;
  // Before the futures that it is made from, which are the last.
  s.inner.insert(s.inner.begin() + 1,
                 p.where < 0 ? block{} : steps(between, random_.in(0, 2), &generator::task_step));
  return s;
}

void generator::draw_task(step& s, place task) {
  if (with_.continuations && budget_ > 0 && random_.chance(35)) from_others(s, task, 0);
  if (s.inner.empty()) s.inner.emplace_back();
  if (s.from == one) task.sure = task.sure && !outcome_of(needs_of(s)->steps[0]).throws;
  block drawn = task_body(s, task, some());
  s.inner[0] = std::move(drawn);
  s.inner[0].throws = throws();
}

// The others are drawn, and made, before its task: what they wait for was made before them.
void generator::from_others(step& s, const place& task, int depth) {
  s.from = static_cast<source>(one + random_.weighted({5, 2, 2}));
  s.inner.emplace_back();
  place other = task;
  if (s.from == any_of_several) {
    // Where nobody takes the others they may last as long as the runtime does.
    const bool may_drop = task.sure && (program_.fresh || with_.polling);
    s.amount = may_drop && random_.chance(30) ? 1 : 0;
    other.queued_to_the_end = other.queued_to_the_end || s.amount == 1;
  }
  const int count = s.from == one ? 1 : random_.in(1, 3);
  block needs;
  for (int i = 0; i < count; ++i) {
    step n{.what = action::need, .of = s.of};
    dress(n);
    if (n.level == 0) n.home = any_home(s.of);
    if (random_.chance(12)) {
      n.from = a_value;
      n.inner.emplace_back();
      --budget_;
    } else {
      if (depth < 3 && random_.chance(30)) from_others(n, other, depth + 1);
      if (n.inner.empty()) n.inner.emplace_back();
      place its = other;
      if (n.from == one) its.sure = its.sure && !outcome_of(needs_of(n)->steps[0]).throws;
      block drawn = task_body(n, its, random_.in(0, 2));
      n.inner[0] = std::move(drawn);
      n.inner[0].throws = throws();
    }
    needs.steps.push_back(std::move(n));
  }
  s.inner.push_back(std::move(needs));
}

/// Microseconds of a wait's limit: none that passes, one that does, or one that never does.
int generator::some_limit() {
  static constexpr int limits[] = {0, 50, 2'000'000'000};
  return limits[random_.weighted({2, 4, 3})];
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

int generator::takeable(const place& p) {
  std::vector<int> names;
  for (std::size_t i = 0; i < made_.size(); ++i) {
    const future_made& f = made_[i];
    const bool may = f.passed && !f.taken && f.level <= p.level && may_call(p.where, f.of);
    if (may && p.sure && p.copies == 1 && !keeps_out(p)) names.push_back(static_cast<int>(i));
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
    return with_.continuations && p.copies == 1 && random_.chance(50)
               ? continue_future(p, i)
               : wait_for(i, action::get_future);
  }
  const bool polls = with_.polling && p.where < 0 && random_.chance(20);
  if (polls) return wait_for(i, action::poll_future);
  return within_a_limit(wait_for(i, action::wait_future));
}

step generator::within_a_limit(step wait) {
  wait.variant = static_cast<std::uint8_t>(random_.weighted({6, 2, 1}));
  if (wait.variant != without_limit) wait.limit = some_limit();
  return wait;
}

step generator::continue_future(place& p, int made) {
  const future_made f = made_[static_cast<std::size_t>(made)];
  step s = wait_for(made, action::then_future);
  s.result = program_.futures++;
  dress(s);
  const int level = random_.in(f.level, p.level);
  place task = apart(p, f.of, level);
  task.queued_to_the_end = p.queued_to_the_end || program_.queue_survives;
  s.inner.push_back(body(task, some()));
  s.inner[0].throws = throws();
  made_.push_back({.name = s.result, .of = f.of, .level = level, .passed = random_.chance(25)});
  return s;
}

}  // namespace evencube::programs
