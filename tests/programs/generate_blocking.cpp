#include <algorithm>
#include <utility>

#include "generator.hpp"

namespace evencube::programs {

step generator::in_scope(place& p) {
  step s{.what = action::in_scope, .of = p.where};
  place inside = p;
  ++inside.depth;
  inside.own_groups.clear();
  inside.runs.clear();
  --budget_;
  s.inner.push_back(steps(inside, random_.in(0, 3), &generator::blocked_step));
  return s;
}

// As a thread outside; but nobody else may be there to run what its own runtime is given.
step generator::blocked_step(place& p) {
  const int outer = p.sure ? 1 : 0;
  const int room = narrow_ ? 0 : outer;
  const bool calls = p.sure && p.where == 0 && program_.runtimes.size() > 1 && p.copies == 1;
  switch (random_.weighted({2, 3, program_.flags > 0 ? 4 * outer : 0, 3 * room,
                            p.copies == 1 ? 3 * room : 0, with_.stops ? 1 : 0, calls ? 3 : 0,
                            p.depth < 5 ? 1 : 0})) {
    case 0:
      return work();
    case 1:
      return pause();
    case 2:
      return {.what = action::await_flag, .target = random_.in(0, program_.flags - 1)};
    case 3:
      return spawn_shared(p);
    case 4:
      return make_future(p);
    case 5:
      return {.what = action::ask_stop};
    case 6: {
      place other = p;
      other.where = 1;
      other.groups.clear();
      return random_.chance(50)   ? in_run(other)
             : random_.chance(50) ? some_future(other)
                                  : wait_shared(other);
    }
    default:
      return in_scope(p);  // which does nothing
  }
}

step generator::meet() {
  step s{.what = action::meet, .of = any_runtime()};
  const setting& on = program_.runtimes[static_cast<std::size_t>(s.of)];
  s.variant = static_cast<std::uint8_t>(random_.in(of_all, with_its_loop));
  // One thread at least must be left for what they wait for.
  const int most = static_cast<int>(on.workers + on.spares) - (s.variant == of_all ? 0 : 1);
  s.amount = random_.in(0, std::min(most, 9));
  if (random_.chance(30)) s.amount = std::min(most, 20);
  dress(s);
  --budget_;
  s.inner.resize(1);
  if (s.variant != of_all && s.variant != with_its_loop) {
    // It has to do with nothing else, for nothing else may wait for who blocks.
    const place own{.where = s.of, .depth = 3, .copies = std::max(1, s.amount), .sure = false};
    s.inner[0] = body(own, s.amount > 9 ? 0 : some());
    return s;
  }
  if (random_.chance(50)) s.inner[0].steps.push_back(random_.chance(50) ? work() : pause());
  return s;
}

}  // namespace evencube::programs
