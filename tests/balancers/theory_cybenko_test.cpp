#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include <evencube/balancers/theory.hpp>

#include "support.hpp"

namespace evencube {
namespace {

struct known_weight {
  const char* network;
  double weight;
  double factor;
};

class diffusion_weight : public ::testing::TestWithParam<known_weight> {};

TEST_P(diffusion_weight, of_the_networks_of_the_papers) {
  const auto graph = topology::parse(GetParam().network);
  const auto known = spectrum(graph);
  const double weight = optimal_weight(graph);
  EXPECT_NEAR(weight, GetParam().weight, 5e-6);
  EXPECT_NEAR(convergence_factor(known, weight), GetParam().factor, 5e-6);
}

INSTANTIATE_TEST_SUITE_P(networks, diffusion_weight,
                         ::testing::Values(known_weight{"hypercube:1", 1.0 / 2, 0.0},
                                           known_weight{"hypercube:3", 1.0 / 4, 1.0 / 2},
                                           known_weight{"hypercube:4", 1.0 / 5, 3.0 / 5},
                                           known_weight{"linear:16", 0.5,
                                                        std::cos(std::numbers::pi / 16)},
                                           known_weight{"ring:16", 0.48167, 0.92667},
                                           known_weight{"mesh:4x4", 0.25, 0.85355},
                                           known_weight{"fibonacci-composite:16", 1.0 / 6, 0.88782},
                                           known_weight{"star:8", 1.0 / 7, 0.85714}));

TEST(diffusion_weight, free_optimum_where_the_degree_binds) {
  for (const auto& [network, weight] :
       {std::pair{"mesh:4x4", 0.26975}, std::pair{"fibonacci-composite:16", 0.23054},
        std::pair{"star:8", 2.0 / 9}}) {
    const auto known = spectrum(topology::parse(network));
    EXPECT_NEAR(2.0 / (known.second + known.largest), weight, 5e-6) << network;
  }
}

TEST(spectrum, closed_forms_and_lanczos_and_jacobi_agree) {
  for (const char* network :
       {"hypercube:1", "hypercube:5", "mesh:3x5", "mesh:1x2", "torus:4x5", "torus:3x3", "torus:2x6",
        "torus:1x5", "ring:7", "ring:8", "ring:3", "ring:2", "linear:9", "complete:6", "star:2",
        "star:9", "cube:11", "fibonacci:8", "edges:0-1,1-2,2-0,2-3"}) {
    const auto graph = topology::parse(network);
    const auto closed = spectrum(graph);
    const auto lanczos = lanczos_spectrum(graph);
    auto laplacian = theory::adjacency_matrix(graph);
    for (double& x : laplacian.values) x = -x;
    for (node_id k = 0; k < graph.nodes(); ++k) laplacian.at(k, k) = graph.degree(k);
    const auto all = theory::eigenvalues(laplacian);
    EXPECT_NEAR(all[0], 0.0, 1e-12) << network;
    EXPECT_NEAR(closed.second, all[1], 1e-9) << network;
    EXPECT_NEAR(closed.largest, all.back(), 1e-9) << network;
    EXPECT_NEAR(lanczos.second, all[1], 1e-9) << network;
    EXPECT_NEAR(lanczos.largest, all.back(), 1e-9) << network;
  }
}

TEST(spectrum, theorem_3_multiplicities) {
  for (unsigned d = 1; d <= 5; ++d) {
    const auto found = theory::eigenvalues(theory::adjacency_matrix(topology::hypercube(d)));
    std::vector<double> expected;
    for (const auto& [value, times] : theory::cube_spectrum(d)) {
      expected.insert(expected.end(), times, value);
    }
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9);
  }
}

/// A random connected weighted network: a path through all nodes and some more links.
std::vector<weighted_link> random_links(std::mt19937_64& random, node_id nodes) {
  std::uniform_real_distribution<double> weight(0.01, 1.0);
  std::vector<weighted_link> links;
  for (node_id k = 1; k < nodes; ++k) links.push_back({k - 1, k, weight(random)});
  for (node_id a = 0; a < nodes; ++a) {
    for (node_id b = a + 2; b < nodes; ++b) {
      if (random() % 3 == 0) links.push_back({a, b, weight(random)});
    }
  }
  std::vector<double> sums(nodes, 0.0);
  for (const auto& l : links) {
    sums[l.a] += l.weight;
    sums[l.b] += l.weight;
  }
  const double most = *std::max_element(sums.begin(), sums.end());
  const double scale = std::uniform_real_distribution<double>(0.3, 1.0)(random) / most;
  for (auto& l : links) l.weight *= scale;
  return links;
}

TEST(lemma_2, beats_a_grid_of_modifications) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 60; ++round) {
    const auto nodes = static_cast<node_id>(3 + random() % 8);
    const auto matrix = theory::diffusion_matrix(nodes, random_links(random, nodes));
    const auto values = theory::eigenvalues(matrix);
    const double second = values[nodes - 2];
    const double smallest = values[0];
    double least = 1.0;
    for (node_id k = 0; k < nodes; ++k) least = std::min(least, matrix.at(k, k));
    const double best = theory::optimal_modification(second, smallest, least);
    ASSERT_GE(best, -least - 1e-12);
    const double factor = theory::modified_factor(second, smallest, best);
    for (double k = -least; k <= 4.0; k += 0.001) {
      ASSERT_GE(theory::modified_factor(second, smallest, k), factor - 1e-9);
    }
  }
}

TEST(theorem_1, who_converges) {
  using links = std::vector<weighted_link>;
  EXPECT_FALSE(theory::converges(2, links{{0, 1, 1.0}}));  // swaps for ever
  EXPECT_TRUE(theory::converges(2, links{{0, 1, 0.5}}));
  EXPECT_TRUE(theory::converges(3, links{{0, 1, 0.5}, {1, 2, 0.5}, {0, 2, 0.5}}));
  EXPECT_FALSE(theory::converges(3, links{{0, 1, 0.5}}));
  EXPECT_FALSE(theory::converges(3, links{{0, 1, 0.5}, {1, 2, 0.0}}));
  // The d-cube with weight 1 / d has the eigenvalue -1.
  links cube;
  const auto graph = topology::hypercube(3);
  for (node_id a = 0; a < 8; ++a) {
    graph.for_each_neighbour(a, [&](node_id b) {
      if (a < b) cube.push_back({a, b, 1.0 / 3});
    });
  }
  EXPECT_FALSE(theory::converges(8, cube));
  std::vector<double> loads(8);
  for (std::size_t k = 0; k < 8; ++k) loads[k] = __builtin_parityll(k) != 0 ? -1.0 : 1.0;
  const auto start = loads;
  for (int i = 0; i < 10; ++i) diffuse(cube, loads);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(loads[k], start[k], 1e-12);
}

TEST(cube, d_iterations_contract_below_e_to_minus_2) {
  for (unsigned d = 1; d <= 199; ++d) EXPECT_LT(theory::cube_factor(d, d), std::exp(-2.0)) << d;
  EXPECT_NEAR(theory::cube_factor(2, 2), 0.111, 5e-4);
  EXPECT_NEAR(theory::cube_factor(3, 3), 0.125, 5e-4);
  EXPECT_NEAR(theory::cube_factor(4, 4), 0.1296, 5e-5);
  EXPECT_NEAR(theory::cube_factor(10, 10), 0.1344, 5e-5);
  EXPECT_DOUBLE_EQ(theory::cube_weight(3), 0.25);
}

double squared_distance(const std::vector<double>& loads) {
  const double mean =
      std::accumulate(loads.begin(), loads.end(), 0.0) / static_cast<double>(loads.size());
  double sum = 0.0;
  for (const double w : loads) sum += (w - mean) * (w - mean);
  return sum;
}

TEST(real_diffusion, contracts_by_its_factor_and_keeps_the_mean) {
  std::mt19937_64 random(6);
  for (const char* network : {"hypercube:4", "mesh:4x4", "ring:9", "fibonacci-composite:16"}) {
    const auto graph = topology::parse(network);
    const double weight = optimal_weight(graph);
    const double factor = convergence_factor(spectrum(graph), weight);
    std::vector<double> loads(graph.nodes());
    for (double& w : loads) w = static_cast<double>(random() % 1000);
    const double total = std::accumulate(loads.begin(), loads.end(), 0.0);
    for (int i = 0; i < 50; ++i) {
      const double before = squared_distance(loads);
      diffuse(graph, weight, loads);
      EXPECT_LE(squared_distance(loads), factor * factor * before * (1 + 1e-9) + 1e-12);
    }
    EXPECT_NEAR(std::accumulate(loads.begin(), loads.end(), 0.0), total, 1e-7);
  }
}

TEST(theorem_4, one_sweep_in_any_order_is_exact) {
  std::mt19937_64 random(8);
  for (unsigned d = 1; d <= 5; ++d) {
    std::vector<unsigned> order(d);
    std::iota(order.begin(), order.end(), 0U);
    do {
      std::vector<double> loads(std::size_t{1} << d);
      for (double& w : loads) w = static_cast<double>(random() % 1000);
      const double mean =
          std::accumulate(loads.begin(), loads.end(), 0.0) / static_cast<double>(loads.size());
      for (const unsigned i : order) exchange(i, loads);
      for (const double w : loads) ASSERT_NEAR(w, mean, 1e-9);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(steady_state, formulas_at_dimension_3) {
  std::vector<double> cube;
  for (const auto& [value, times] : theory::cube_spectrum(3)) {
    cube.insert(cube.end(), times, 1.0 - 0.25 * (3.0 - value));
  }
  EXPECT_NEAR(theory::steady_distance(cube, 1.0), 25.0 / 3, 1e-12);
  EXPECT_NEAR(theory::cube_steady_distance_bound(3, 1.0), 28.0 / 3, 1e-12);
  EXPECT_NEAR(theory::steady_distance_bound(8, 0.5, 1.0), 28.0 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(theory::exchange_steady_distance(3, 1.0), 11.0);
  EXPECT_DOUBLE_EQ(theory::exchange_steady_distance(2, 1.0), 4.0);
  EXPECT_DOUBLE_EQ(theory::sweep_steady_distance(3, 1.0), 7.0);
  for (unsigned d = 1; d < 20; ++d) {
    EXPECT_LT(theory::exchange_steady_distance(d, 2.0),
              theory::exchange_steady_distance_bound(d, 2.0));
  }
}

enum class discipline { diffusion, exchange, sweep };

/// Mean squared distance over many steps with arrivals of variance 1, and its standard error from
/// the means of 50 batches.
std::pair<double, double> measured(discipline how) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> arrivals(0.0, 1.0);
  const auto graph = topology::hypercube(3);
  std::vector<double> loads(8, 0.0);
  std::vector<double> batches;
  unsigned step = 0;
  for (int batch = 0; batch < 51; ++batch) {
    double sum = 0.0;
    constexpr int steps = 4000;
    for (int i = 0; i < steps; ++i, ++step) {
      if (how == discipline::diffusion) diffuse(graph, 0.25, loads);
      if (how == discipline::exchange) exchange(step % 3, loads);
      if (how == discipline::sweep) {
        for (unsigned d = 0; d < 3; ++d) exchange(d, loads);
      }
      for (double& w : loads) w += arrivals(random);
      sum += squared_distance(loads);
    }
    if (batch > 0) batches.push_back(sum / steps);
  }
  const double mean = std::accumulate(batches.begin(), batches.end(), 0.0) / 50.0;
  double spread = 0.0;
  for (const double b : batches) spread += (b - mean) * (b - mean);
  return {mean, std::sqrt(spread / 49.0 / 50.0)};
}

TEST(steady_state, monte_carlo) {
  for (const auto& [how, expected] :
       {std::pair{discipline::diffusion, 25.0 / 3}, std::pair{discipline::exchange, 11.0},
        std::pair{discipline::sweep, 7.0}}) {
    const auto [mean, error] = measured(how);
    EXPECT_NEAR(mean, expected, 4.0 * error);
    EXPECT_LT(error, 0.05);
  }
}

TEST(theorem_2, bound_starts_and_ends_where_it_should) {
  EXPECT_NEAR(theory::distance_bound(8, 0.5, 1.0, 3.0, 1000), 28.0 / 3, 1e-9);
  EXPECT_NEAR(theory::distance_bound(8, 0.0, 1.0, 3.0, 0), 7.0, 1e-12);
  EXPECT_DOUBLE_EQ(theory::partial_mean_variance(2, 8, 4.0), 6.0 * 4 / 16);
  EXPECT_DOUBLE_EQ(theory::partial_mean_variance(8, 8, 4.0), 0.0);
}

}  // namespace
}  // namespace evencube
