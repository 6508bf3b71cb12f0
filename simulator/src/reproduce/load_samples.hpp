#pragma once

#include <vector>

#include <evencube/balancers/plan.hpp>
#include <evencube/simulator/random.hpp>

namespace evencube::simulator::reproduce {

/// Loads drawn independently and uniformly from 0 .. most. Sample `index` is always the same.
inline std::vector<load_type> uniform_loads(std::uint64_t seed, std::uint32_t index, node_id nodes,
                                            load_type most) {
  random_stream random(seed, random_purpose::sampling, index);
  std::vector<load_type> loads(nodes);
  for (load_type& load : loads) {
    load = static_cast<load_type>(random.below(static_cast<std::uint64_t>(most) + 1));
  }
  return loads;
}

/// `heavy` nodes, chosen at random, hold `factor` units, the others one.
inline std::vector<load_type> uneven_loads(std::uint64_t seed, std::uint32_t index, node_id nodes,
                                           node_id heavy, load_type factor) {
  random_stream random(seed, random_purpose::sampling, index);
  std::vector<load_type> loads(nodes, 1);
  for (node_id chosen = 0; chosen < heavy;) {
    load_type& load = loads[random.below(nodes)];
    if (load == factor) continue;
    load = factor;
    ++chosen;
  }
  return loads;
}

}  // namespace evencube::simulator::reproduce
