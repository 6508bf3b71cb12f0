#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/simulator/portable_math.hpp>
#include <evencube/simulator/random.hpp>

namespace evencube::papers {

using simulator::random_purpose;
using simulator::random_stream;

/// What a strategy plans for these loads.
inline plan planned_by(const balancer& strategy, const topology& graph,
                       const std::vector<load_type>& loads) {
  plan planned;
  strategy.make_plan({.graph = graph, .loads = loads}, planned);
  return planned;
}

/// The difference that a strategy leaves between the largest and the smallest of these loads.
inline load_type left_by(const balancer& strategy, const topology& graph,
                         const std::vector<load_type>& loads) {
  return max_difference(final_loads(planned_by(strategy, graph, loads), loads));
}

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

/// Loads 0 .. most in ascending order, every such vector as likely as any other: the ensemble of
/// Rim et al. 2003, Table 1, drawn instead of enumerated. Reading the loads off as steps up between
/// nodes makes a vector a choice of `most` places among nodes + most.
inline std::vector<load_type> sorted_loads(std::uint64_t seed, std::uint32_t index, node_id nodes,
                                           load_type most) {
  random_stream random(seed, random_purpose::sampling, index);
  std::vector<load_type> loads;
  load_type level = 0;
  while (loads.size() < nodes) {
    const std::uint64_t left = nodes - loads.size();
    const auto steps = static_cast<std::uint64_t>(most - level);
    if (random.below(left + steps) < steps) {
      ++level;
    } else {
      loads.push_back(level);
    }
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

/// The ensemble of Rim et al. 2003, Section 6.3: a share of the nodes, in percent, holds `factor`
/// times what the others hold.
inline constexpr std::array<load_type, 7> heavy_factors{30, 50, 70, 100, 400, 700, 1000};
inline constexpr std::array heavy_percents{10U, 20U, 30U, 40U, 50U, 60U, 70U, 80U, 90U};

inline node_id heavy_nodes(unsigned percent, node_id nodes) {
  return std::max<node_id>(1, static_cast<node_id>(std::lround(percent * nodes / 100.0)));
}

/// A vector of that ensemble; the shares and factors take turns.
inline std::vector<load_type> ensemble_loads(std::uint64_t seed, std::uint32_t index,
                                             node_id nodes) {
  const unsigned percent = heavy_percents[index % heavy_percents.size()];
  const load_type factor = heavy_factors[index / heavy_percents.size() % heavy_factors.size()];
  return uneven_loads(seed, index, nodes, heavy_nodes(percent, nodes), factor);
}

/// Standard normal numbers by Marsaglia's polar method, from logarithms and roots that every
/// machine rounds alike.
class normal_stream {
 public:
  normal_stream(std::uint64_t seed, std::uint32_t stream)
      : uniform_(seed, random_purpose::sampling, stream) {}

  double next() {
    if (full_) {
      full_ = false;
      return spare_;
    }
    while (true) {
      const double x = 2 * uniform_.uniform() - 1;
      const double y = 2 * uniform_.uniform() - 1;
      const double s = x * x + y * y;
      if (s >= 1 || s == 0) continue;
      const double factor = std::sqrt(-2 * simulator::portable_log(s) / s);
      spare_ = y * factor;
      full_ = true;
      return x * factor;
    }
  }

 private:
  random_stream uniform_;
  double spare_ = 0;
  bool full_ = false;
};

}  // namespace evencube::papers
