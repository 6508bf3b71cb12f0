#include <cstddef>
#include <ranges>
#include <utility>
#include <vector>

#include "generator.hpp"

namespace evencube::programs {

// Renewals have a random source of their own, so that older programs are unchanged except for the
// steps after the wait and for some stops before it.
void generator::draw_renewals() {
  random_source random(program_.seed ^ 0x2E4E3A1ULL);
  std::vector<step*> found;  // without the steps that are drawn here
  for_each_block(program_, [&](block& b) {
    for (step& s : b.steps) {
      if (s.what == action::scope && s.variant == by_wait && s.stops == by_request) {
        found.push_back(&s);
      }
    }
  });
  // Inner scopes come first, because an insertion moves the steps after it.
  for (step* const s : std::views::reverse(found)) {
    if (!random.chance(60)) continue;
    auto& first = s->inner[0].steps;
    if (random.chance(60)) {
      const int at = random.in(0, static_cast<int>(first.size()));
      first.insert(first.begin() + at, {.what = action::stop_group, .target = s->target});
    }
    s->inner.push_back(once_more(*s, random));
  }
}

// The steps that use the group again: tasks, of which some belong to groups below it. The group may
// be stopped again.
block generator::once_more(const step& around, random_source& random) {
  block b;
  for (int i = random.in(1, 3); i > 0; --i) {
    step task = spawn_again(around, random);
    if (random.chance(40)) {
      step below{.what = action::scope, .of = around.of, .target = next_group_++};
      below.stops = by_request;
      block inside;
      for (int k = random.in(1, 2); k > 0; --k) inside.steps.push_back(spawn_again(below, random));
      if (random.chance(30)) {
        inside.steps.push_back({.what = action::stop_group, .target = below.target});
      }
      below.inner.push_back(std::move(inside));
      task.inner[0].steps.push_back(std::move(below));
    }
    if (random.chance(10)) {
      task.inner[0].steps.push_back({.what = action::stop_group, .target = around.target});
    }
    b.steps.push_back(std::move(task));
    if (random.chance(30)) {
      b.steps.push_back({.what = action::wait_group, .of = around.of, .target = around.target});
    }
    if (random.chance(10)) b.steps.push_back({.what = action::stop_group, .target = around.target});
  }
  return b;
}

step generator::spawn_again(const step& into, random_source& random) {
  step s{.what = action::spawn, .of = into.of, .target = into.target};
  s.size = static_cast<closure>(random.weighted({8, 1, 1}));
  block task;
  task.steps.push_back(work_of(random.in(0, 5)));
  if (random.chance(50)) task.steps.push_back({.what = action::ask_stop});
  task.throws = with_.exceptions && random.chance(10);
  s.inner.push_back(std::move(task));
  return s;
}

}  // namespace evencube::programs
