#include <gtest/gtest.h>

#include <fstream>

#include <evencube/balancers/conformance.hpp>

#include "../../examples/custom_balancer/level_links.hpp"
#include "support.hpp"

namespace evencube {
namespace {

TEST(outside_balancer, passes_the_conformance_kit) {
  const auto broken = conformance::check_balancer(level_links_descriptor());
  EXPECT_TRUE(broken.empty()) << conformance::to_string(broken);
}

TEST(outside_balancer, fits_into_fifty_lines) {
  std::ifstream file(EVENCUBE_EXAMPLES_DIR "/custom_balancer/level_links.hpp");
  ASSERT_TRUE(file.is_open());
  int lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  EXPECT_LE(lines, 50);
  EXPECT_GT(lines, 10);
}

}  // namespace
}  // namespace evencube
