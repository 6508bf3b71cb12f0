// Whole programs, drawn from seeds, on real runtimes: every wait ends, every task runs once, every
// exception arrives where it must. The long run is `./dev fuzz`.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "platform_here.hpp"
#include "sweep.hpp"
#include "watchdog.hpp"

namespace evencube::programs {
namespace {

/// As many as the build can bear, or as EVENCUBE_REPETITIONS says.
std::int64_t programs_asked(std::int64_t usual) {
  const char* const text = std::getenv("EVENCUBE_REPETITIONS");
  return text != nullptr ? std::max(1, std::atoi(text)) : usual / slowness();
}

class random_programs : public testing::TestWithParam<unsigned> {};

TEST_P(random_programs, end_and_do_what_they_must) {
  const unsigned workers = GetParam();
  sweep_options options;
  options.programs = programs_asked(workers > 8 ? 150 : 400);
  options.workers = {workers};
  options.with.children = test::follows_forks();
  const sweep_result result = sweep(options);
  EXPECT_EQ(result.programs, options.programs);
  ASSERT_FALSE(result.failed) << "seed " << result.failed->seed << ", status "
                              << result.failed->status
                              << "; to make it smaller: random_programs --shrink "
                              << result.failed->seed << " --workers " << workers;
}

INSTANTIATE_TEST_SUITE_P(on, random_programs, testing::Values(1, 2, 3, 5, 8, 16, 64),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::programs
