#pragma once

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

/// Queue lengths of M/M/1 queues at this utilisation: P(load >= q) = utilisation^q.
inline std::vector<load_type> geometric_loads(std::uint64_t seed, std::uint32_t index,
                                              node_id nodes, double utilisation) {
  random_stream random(seed, random_purpose::sampling, index);
  std::vector<load_type> loads(nodes);
  const double step = simulator::portable_log(utilisation);
  for (load_type& load : loads) {
    load = static_cast<load_type>(simulator::portable_log(random.uniform()) / step);
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
