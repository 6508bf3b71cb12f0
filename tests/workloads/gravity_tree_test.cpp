// The tree against the sum over all pairs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <evencube/workloads/gravity_tree.hpp>

namespace evencube::workloads {
namespace {

constexpr double softening = 0.03;

void sort_here(std::vector<body_place>& places) { std::ranges::sort(places); }

gravity from_all(const std::vector<body>& bodies, std::size_t self) {
  gravity felt;
  const double mass = 1.0 / static_cast<double>(bodies.size());
  for (std::size_t other = 0; other < bodies.size(); ++other) {
    if (other == self) continue;
    const auto away = bodies[other].position - bodies[self].position;
    const double distance = std::sqrt(dot(away, away) + softening * softening);
    felt.acceleration = felt.acceleration + mass / std::pow(distance, 3) * away;
    felt.potential -= mass / distance;
  }
  return felt;
}

TEST(gravity_tree, with_no_opening_is_the_sum_over_all) {
  const auto bodies = make_galaxies(300, 4);
  gravity_tree tree;
  tree.build(bodies, softening, sort_here);
  for (std::size_t place = 0; place < 300; ++place) {
    const auto felt = tree.at(place, 0);
    const auto right = from_all(bodies, tree.order()[place].index);
    EXPECT_LT(length(felt.acceleration - right.acceleration), 1e-12);
    EXPECT_NEAR(felt.potential, right.potential, 1e-12);
    EXPECT_EQ(felt.interactions, 299U);
  }
}

TEST(gravity_tree, errs_little_and_takes_far_less) {
  const auto bodies = make_galaxies(4000, 4);
  gravity_tree tree;
  tree.build(bodies, softening, sort_here);
  double wrong = 0;
  double all = 0;
  std::uint64_t interactions = 0;
  for (std::size_t place = 0; place < 4000; place += 10) {
    const auto felt = tree.at(place, 0.6);
    const auto right = from_all(bodies, tree.order()[place].index);
    wrong += length(felt.acceleration - right.acceleration);
    all += length(right.acceleration);
    interactions += felt.interactions;
  }
  EXPECT_LT(wrong, 0.01 * all);
  EXPECT_LT(interactions, 400U * 1000U);
}

TEST(gravity_tree, orders_every_body_once_and_takes_several_at_one_place) {
  auto bodies = make_galaxies(100, 1);
  for (std::size_t i = 0; i < 50; ++i) bodies[i] = bodies[0];
  gravity_tree tree;
  tree.build(bodies, softening, sort_here);
  std::vector<int> seen(100);
  for (const auto& place : tree.order()) ++seen.at(place.index);
  EXPECT_TRUE(std::ranges::all_of(seen, [](int count) { return count == 1; }));
  for (std::size_t place = 0; place < 100; ++place) {
    const auto felt = tree.at(place, 0.5);
    const auto right = from_all(bodies, tree.order()[place].index);
    EXPECT_LT(length(felt.acceleration - right.acceleration),
              0.1 * length(right.acceleration) + 1e-3);
  }
}

TEST(gravity_tree, of_bodies_all_at_one_place) {
  const std::vector<body> bodies(40, body{{1, 2, 3}, {}});
  gravity_tree tree;
  tree.build(bodies, softening, sort_here);
  EXPECT_EQ(length(tree.at(17, 0.5).acceleration), 0);
  EXPECT_EQ(tree.at(17, 0).interactions, 39U);
}

TEST(galaxies, follow_from_the_seed) {
  EXPECT_EQ(make_galaxies(100, 3), make_galaxies(100, 3));
  EXPECT_NE(make_galaxies(100, 3), make_galaxies(100, 4));
}

}  // namespace
}  // namespace evencube::workloads
