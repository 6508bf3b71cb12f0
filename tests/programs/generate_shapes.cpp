#include <algorithm>
#include <iterator>
#include <utility>

#include "generator.hpp"

namespace evencube::programs {

void generator::waiters_for_a_late_group(place& p, block& b) {
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
    waiter.steps.push_back(within_a_limit({.what = action::wait_group,
                                           .of = program_.groups[static_cast<std::size_t>(late)],
                                           .target = late}));
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

void generator::leave_while_others_wait(place& p, block& b) {
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

void generator::net_of_futures(place& p, block& b) {
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

}  // namespace evencube::programs
