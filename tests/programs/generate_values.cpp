#include <algorithm>

#include "generate_values.hpp"
#include "random.hpp"

namespace evencube::programs {

namespace {

void draw_values(step& s, random_source& random) {
  for (edge& e : s.edges) {
    const bool may = e.choice < 0 && values_to(s, e.to).size() < most_values;
    if (may && random.chance(60)) e.value = passing::to_look_at;
  }
  for (edge& e : s.edges) {
    const auto uses = std::ranges::count_if(s.edges, [&](const edge& other) {
      return other.from == e.from && other.value != passing::nothing;
    });
    const bool may = e.value != passing::nothing && uses == 1 && !chooses(s, e.from);
    if (may && random.chance(50)) e.value = passing::to_take;
  }
}

}  // namespace

void draw_values(program& p) {
  random_source random(p.seed ^ 0x7A10E5ULL);
  for_each_block(p, [&](block& b) {
    for (step& s : b.steps) {
      if (s.what == action::graph && random.chance(50)) draw_values(s, random);
    }
  });
}

}  // namespace evencube::programs
