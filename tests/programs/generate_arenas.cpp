#include "generate_arenas.hpp"

#include "random.hpp"

namespace evencube::programs {

namespace {

/// The chance in percent that a step of another kind has an arena; 0: it can have none.
int chance_of(const step& s) {
  switch (s.what) {
    case action::async:
    case action::local_async:
    case action::need:
      return s.from == nothing && s.size != a_coroutine ? 20 : 0;
    case action::scope:
      return s.stops == never || s.stops == by_request ? 15 : 0;
    case action::meet:
      return 30;
    default:
      return 0;
  }
}

int draw_places(const program& p, const step& s, random_source& random) {
  const int most = static_cast<int>(p.runtimes[static_cast<std::size_t>(s.of)].workers);
  return random.chance(50) ? random.in(1, most < 2 ? most : 2) : random.in(1, most);
}

}  // namespace

void draw_arenas(program& p) {
  random_source random(p.seed ^ 0xA2E4A5ULL);
  for_each_block(p, [&](block& b) {
    for (step& s : b.steps) {
      if (s.what != action::run || (s.size == a_coroutine && s.variant == 0)) continue;
      if (!random.chance(40)) continue;
      s.places = draw_places(p, s, random);
    }
  });
  // These arenas have a random source of their own, so that older programs are otherwise unchanged.
  random_source others(p.seed ^ 0xA2E4A6ULL);
  for_each_block(p, [&](block& b) {
    for (step& s : b.steps) {
      const int chance = chance_of(s);
      if (chance != 0 && others.chance(chance)) s.places = draw_places(p, s, others);
    }
  });
}

}  // namespace evencube::programs
