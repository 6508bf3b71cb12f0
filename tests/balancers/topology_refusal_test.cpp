#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "support.hpp"

namespace evencube {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class refused_topology : public ::testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(refused_topology, says_what_is_wrong) {
  const std::string text = GetParam().first;
  const std::string reason = GetParam().second;
  EXPECT_THAT(testing::refusal([&] { static_cast<void>(topology::parse(text)); }),
              HasSubstr(reason))
      << text;
}

INSTANTIATE_TEST_SUITE_P(
    texts, refused_topology,
    ::testing::Values(
        std::pair{"", "unknown kind"}, std::pair{"tree:4", "known are hypercube"},
        std::pair{"hypercube", "lacks its size"}, std::pair{"hypercube:", "not a whole number"},
        std::pair{"hypercube:x", "not a whole number"}, std::pair{"hypercube:-1", "not a whole"},
        std::pair{"hypercube:25", "allowed are 0 to 24"},
        std::pair{"hypercube:4294967299", "allowed are 0 to 24"},
        std::pair{"hypercube:99999999999999999999", "too large"},
        std::pair{"cube:0", "allowed are 1 to 16777216"},
        std::pair{"cube:16777217", "allowed are 1 to 16777216"}, std::pair{"mesh:4", "lacks a 'x'"},
        std::pair{"mesh:4x", "not a whole number"}, std::pair{"mesh:0x4", "allowed are 1"},
        std::pair{"mesh:65536x65536", "allowed are 1"},
        std::pair{"torus:4x4x4", "not a whole number"}, std::pair{"ring:0", "allowed are 1"},
        std::pair{"fibonacci:0", "allowed are 1 to 36"},
        std::pair{"fibonacci:37", "allowed are 1 to 36"},
        std::pair{"fibonacci-composite:0", "allowed are 1"}, std::pair{"edges:", "lacks a '-'"},
        std::pair{"edges:0-1,", "lacks a '-'"}, std::pair{"edges:0-0", "is a loop"},
        std::pair{"edges:0-1,1-0", "0-1 is named twice"},
        std::pair{"edges:0-1,0-1", "0-1 is named twice"},
        std::pair{"edges:0-1,2-3", "do not connect"},
        std::pair{"edges:0-1,1-2,0-2,3-4,4-5,3-5", "do not connect node 0 with node 3"},
        std::pair{"edges:0-5", "do not connect"},
        std::pair{"edges:0-99999999", "beyond 16777215"}));

}  // namespace
}  // namespace evencube
