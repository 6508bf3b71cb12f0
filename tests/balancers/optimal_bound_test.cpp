#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "support.hpp"

namespace evencube {
namespace {

using testing::loads_type;

/// Least hops by brute force: every surplus unit to every open place, over all choices.
load_type least_hops(const topology& graph, const loads_type& loads) {
  const auto n = static_cast<load_type>(loads.size());
  const load_type low = total_load(loads) / n;
  load_type best = std::numeric_limits<load_type>::max();
  loads_type ends(loads.size(), low);
  std::function<void(std::size_t, load_type)> place = [&](std::size_t from, load_type extra) {
    if (extra > 0) {
      for (std::size_t k = from; k < ends.size(); ++k) {
        ++ends[k];
        place(k + 1, extra - 1);
        --ends[k];
      }
      return;
    }
    std::vector<node_id> givers;
    std::vector<node_id> takers;
    for (node_id k = 0; k < loads.size(); ++k) {
      for (load_type i = loads[k]; i > ends[k]; --i) givers.push_back(k);
      for (load_type i = loads[k]; i < ends[k]; ++i) takers.push_back(k);
    }
    std::sort(takers.begin(), takers.end());
    do {
      load_type hops = 0;
      for (std::size_t i = 0; i < givers.size(); ++i) hops += graph.distance(givers[i], takers[i]);
      best = std::min(best, hops);
    } while (std::next_permutation(takers.begin(), takers.end()));
  };
  place(0, total_load(loads) % n);
  return best;
}

TEST(optimal, hops_agree_with_brute_force) {
  std::mt19937_64 random(41);
  for (const char* network :
       {"linear:5", "ring:6", "hypercube:2", "star:5", "cube:6", "mesh:2x3"}) {
    const auto graph = topology::parse(network);
    for (int round = 0; round < 40; ++round) {
      const auto loads = testing::random_loads(random, graph.nodes(), 3);
      ASSERT_EQ(task_hops(testing::plan_for("optimal", graph, loads)), least_hops(graph, loads))
          << network;
    }
  }
}

TEST(optimal, nobody_levels_with_fewer_hops) {
  std::mt19937_64 random(42);
  for (const char* network : {"hypercube:4", "cube:11", "hypercube:6"}) {
    const auto graph = topology::parse(network);
    for (int round = 0; round < 30; ++round) {
      const auto loads = testing::random_loads(random, graph.nodes(), 80);
      const auto best = task_hops(testing::plan_for("optimal", graph, loads));
      for (const char* name : {"cwa", "locality"}) {
        ASSERT_LE(best, task_hops(testing::plan_for(name, graph, loads))) << name;
      }
    }
  }
}

}  // namespace
}  // namespace evencube
