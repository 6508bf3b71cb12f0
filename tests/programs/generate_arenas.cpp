#include "generate_arenas.hpp"

#include "random.hpp"

namespace evencube::programs {

void draw_arenas(program& p) {
  random_source random(p.seed ^ 0xA2E4A5ULL);
  for_each_block(p, [&](block& b) {
    for (step& s : b.steps) {
      if (s.what != action::run || (s.size == a_coroutine && s.variant == 0)) continue;
      if (!random.chance(40)) continue;
      const unsigned workers = p.runtimes[static_cast<std::size_t>(s.of)].workers;
      const int most = static_cast<int>(workers);
      s.places = random.chance(50) ? random.in(1, most < 2 ? most : 2) : random.in(1, most);
    }
  });
}

}  // namespace evencube::programs
