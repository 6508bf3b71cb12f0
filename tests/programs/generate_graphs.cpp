#include <algorithm>
#include <utility>

#include "generator.hpp"

namespace evencube::programs {

void generator::called_on(step& s, const place& p) {
  s.of = p.sure || p.where < 0 ? callable(p.where) : p.where;
  s.by_call = s.of != p.where || random_.chance(20);
}

place generator::part_of(const step& s, const place& p) {
  place part = p;
  part.own_groups.clear();
  part.records = false;
  if (s.of != p.where) {
    part.groups.clear();
    part.runs.clear();
  }
  part.where = s.of;
  part.copies *= std::max(1, s.amount);
  return part;
}

step generator::graph(place& p) {
  if (p.copies > 20) return work();
  step s{.what = action::graph, .target = next_group_++};
  called_on(s, p);
  s.amount = random_.chance(40) ? 1 : random_.in(2, 3);
  if (s.amount > 1 && random_.chance(50)) s.variant = p.where < 0 ? from_threads : at_once;
  s.inner.resize(static_cast<std::size_t>(random_.in(1, 6)));
  draw_edges(s);
  place node = part_of(s, p);
  if (with_.stops && random_.chance(25)) {
    s.stops = random_.chance(80) ? by_token : by_token_before;
    node.runs.push_back(s.target);
  }
  const int fails = throws() ? random_.in(0, static_cast<int>(s.inner.size()) - 1) : -1;
  const bool skips = std::ranges::any_of(s.edges, [](const edge& e) { return e.choice >= 0; });
  node.sure = p.sure && fails < 0 && !skips;
  if (fails >= 0) s.failing = random_.in(0, s.amount - 1);
  const int stops = s.stops == by_token ? random_.in(0, static_cast<int>(s.inner.size())) : -1;
  for (int k = 0; k < static_cast<int>(s.inner.size()); ++k) {
    block& b = s.inner[static_cast<std::size_t>(k)];
    b = body(node, node.copies > 30 ? 0 : random_.in(0, 2));
    if (k == stops) b.steps.push_back({.what = action::stop_group, .target = s.target});
    b.throws = k == fails;
  }
  return s;
}

void generator::draw_edges(step& s) {
  const int nodes = static_cast<int>(s.inner.size());
  const bool conditional = random_.chance(50);
  const int dense = random_.in(20, 60);
  for (int to = 1; to < nodes; ++to) {
    for (int from = 0; from < to; ++from) {
      // Now and then two edges between the same nodes.
      for (int n = random_.chance(5) ? 2 : 1; n > 0; --n) {
        if (!random_.chance(dense)) continue;
        const int choice = conditional && random_.chance(50) ? random_.in(0, 2) : -1;
        s.edges.push_back({from, to, choice});
      }
    }
  }
}

step generator::pipeline(place& p) {
  if (p.copies > 20) return work();
  step s{.what = action::pipeline};
  called_on(s, p);
  s.variant = static_cast<std::uint8_t>(random_.in(0, pipeline_shapes - 1));
  s.amount = random_.in(0, std::max(1, 24 / p.copies));
  s.grain = random_.chance(70) ? random_.in(1, 4) : random_.in(5, 12);
  s.inner.resize(stages_of(s).size() + 1);
  const int last = static_cast<int>(s.inner.size()) - 1;
  const int fails = s.amount > 0 && throws() ? random_.in(0, last) : -1;
  if (fails >= 0) s.failing = random_.in(0, s.amount - 1);
  place part = part_of(s, p);
  part.sure = p.sure && fails < 0;
  for (int k = 0; k <= last; ++k) {
    block& b = s.inner[static_cast<std::size_t>(k)];
    b = body(part, part.copies > 60 ? 0 : random_.in(0, 2));
    b.throws = k == fails;
  }
  return s;
}

}  // namespace evencube::programs
