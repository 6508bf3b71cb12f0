#include "cube_walk.hpp"

#include <algorithm>

#include "working_memory.hpp"

namespace evencube {
namespace {

struct giver {
  node_id node;
  load_type surplus;
  load_type gives;
};

struct half_of_a_block {
  std::vector<giver> givers;
};

/// floor(a * b / c) for 0 <= b <= c, 0 < c, without overflow.
load_type proportion(load_type a, load_type b, load_type c) {
  __extension__ using wide = __int128;
  return static_cast<load_type>(static_cast<wide>(a) * b / c);
}

/// Gives one unit each, in order, to givers that have more to give, until `rest` is used up.
void one_each(std::vector<giver>& givers, load_type rest) {
  for (auto& g : givers) {
    if (rest == 0) return;
    if (g.gives == g.surplus) continue;
    ++g.gives;
    --rest;
  }
}

void share_greedily(std::vector<giver>& givers, load_type excess) {
  for (auto& g : givers) {
    g.gives = std::min(g.surplus, excess);
    excess -= g.gives;
  }
}

void share_evenly(std::vector<giver>& givers, load_type excess) {
  auto open = static_cast<load_type>(givers.size());
  while (excess >= open && open > 0) {
    const load_type each = excess / open;
    open = 0;
    for (auto& g : givers) {
      const load_type more = std::min(each, g.surplus - g.gives);
      g.gives += more;
      excess -= more;
      if (g.gives < g.surplus) ++open;
    }
  }
  one_each(givers, excess);
}

void share(split_rule split, std::vector<giver>& givers, load_type excess) {
  switch (split) {
    case split_rule::greedy:
      return share_greedily(givers, excess);
    case split_rule::surplus:
      std::sort(givers.begin(), givers.end(), [](const giver& a, const giver& b) {
        return a.surplus != b.surplus ? a.surplus > b.surplus : a.node < b.node;
      });
      return share_greedily(givers, excess);
    case split_rule::proportional: {
      load_type all = 0;
      for (const auto& g : givers) all += g.surplus;
      load_type rest = excess;
      for (auto& g : givers) {
        g.gives = proportion(excess, g.surplus, all);
        rest -= g.gives;
      }
      return one_each(givers, rest);
    }
    case split_rule::even:
      return share_evenly(givers, excess);
  }
}

}  // namespace

split_rule parse_split(const std::string& text) {
  if (text == "greedy") return split_rule::greedy;
  if (text == "surplus") return split_rule::surplus;
  return text == "proportional" ? split_rule::proportional : split_rule::even;
}

void walk_cube(split_rule split, unsigned lowest, folded_cube& folded,
               const std::vector<load_type>& quotas, plan& inner, std::size_t first) {
  const working_memory<half_of_a_block> memory;
  std::vector<giver>& givers = memory->givers;
  auto& loads = folded.loads;
  const node_id stride = node_id{1} << lowest;
  for (unsigned b = folded.dimensions; b-- > lowest;) {
    phase& moves = inner.phases[first + folded.dimensions - 1 - b];
    const node_id bit = node_id{1} << b;
    for (node_id block = 0; block < folded.low; block += 2 * bit) {
      for (node_id c = block; c < block + stride; ++c) {
        load_type excess = 0;
        for (node_id k = c; k < c + bit; k += stride) excess += loads[k] - quotas[k];
        if (excess == 0) continue;
        const node_id half = excess > 0 ? c : c + bit;
        givers.clear();
        for (node_id k = half; k < half + bit; k += stride) {
          if (loads[k] > quotas[k]) givers.push_back({k, loads[k] - quotas[k], 0});
        }
        share(split, givers, excess > 0 ? excess : -excess);
        for (const auto& g : givers) {
          if (g.gives == 0) continue;
          moves.push_back({g.node, g.node ^ bit, g.gives});
          loads[g.node] -= g.gives;
          loads[g.node ^ bit] += g.gives;
        }
      }
    }
  }
}

}  // namespace evencube
