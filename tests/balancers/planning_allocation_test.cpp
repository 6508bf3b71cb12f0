#include <gtest/gtest.h>

#include "counting_new.hpp"
#include "support.hpp"

namespace evencube {
namespace {

class planning : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(planning, allocates_nothing_after_warm_up) {
  const auto& [name, network] = GetParam();
  const auto graph = topology::parse(network);
  const auto made = make_balancer(name);
  std::mt19937_64 random(51);
  std::vector<testing::loads_type> samples;
  for (int i = 0; i < 20; ++i) {
    samples.push_back(testing::random_loads(random, graph.nodes(), 1000));
  }
  plan out;
  for (const auto& loads : samples) made->make_plan({.graph = graph, .loads = loads}, out);
  const std::size_t before = testing::allocations();
  for (const auto& loads : samples) made->make_plan({.graph = graph, .loads = loads}, out);
  EXPECT_EQ(testing::allocations(), before);
  // The counter counts. A direct call: compilers may leave out a new-expression, but not this.
  void* probe = ::operator new(1);
  EXPECT_EQ(testing::allocations(), before + 1);
  ::operator delete(probe);
}

INSTANTIATE_TEST_SUITE_P(balancers, planning,
                         ::testing::Combine(::testing::Values("dem", "oem", "cwa", "hybrid"),
                                            ::testing::Values("hypercube:0", "hypercube:6",
                                                              "cube:48", "hypercube:12")));

}  // namespace
}  // namespace evencube
