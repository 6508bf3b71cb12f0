#include "generate_promises.hpp"

#include <algorithm>

#include "random.hpp"

namespace evencube::programs {

namespace {

/// The chance in percent that a step makes a promise.
int chance_of_promise(const step& s) {
  const bool makes_future = s.what == action::async || s.what == action::local_async ||
                            s.what == action::need || s.what == action::await_made;
  if (!makes_future) return 0;
  if (s.from == a_value) return 60;
  const bool idle = std::ranges::all_of(s.inner[0].steps, [](const step& in) {
    return in.what == action::work || in.what == action::pause;
  });
  return s.from == nothing && s.places == 0 && idle ? 50 : 0;
}

}  // namespace

void draw_promises(program& p) {
  random_source random(p.seed ^ 0x9203153ULL);
  for_each_block(p, [&](block& b) {
    for (step& s : b.steps) {
      const int chance = chance_of_promise(s);
      if (chance == 0 || !random.chance(chance)) continue;
      s.from = a_promise;
      s.size = small;
      s.inner[0].steps.clear();
      s.amount = random.chance(40) ? set_at_once : random.in(0, 200);
    }
  });
}

}  // namespace evencube::programs
