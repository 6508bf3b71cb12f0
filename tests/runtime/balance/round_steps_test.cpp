// The steps of a round on real threads: whoever carries them out, each happens once, after those
// that it has to wait for.
#include "balance/round_steps.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <evencube/balancers/batches.hpp>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/balancers/transmission.hpp>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "deadline.hpp"

namespace evencube::detail {
namespace {

/// Loads that steps move, as a round moves tasks.
struct moved_loads {
  void carry_out(const round_steps& steps, round_steps::step s) {
    const transfer& t = steps.of(s);
    if (round_steps::takes(s)) {
      at[t.from] -= t.quanta;
      sent[s / 2] = t.quanta;
    } else {
      at[t.to] += sent[s / 2];
    }
    ended.fetch_add(1, std::memory_order_relaxed);
  }

  std::vector<load_type> at;
  std::vector<load_type> sent;
  std::atomic<std::size_t> ended{0};
};

class round_steps_of : public testing::TestWithParam<std::string> {};

TEST_P(round_steps_of, several_threads_leave_the_planned_loads) {
  constexpr std::size_t nodes = 64;
  const topology cube = topology::hypercube(6);
  const auto planner = make_balancer(GetParam());
  std::mt19937_64 random(7);
  round_steps steps;
  moved_loads loads;
  const test::deadline limit(std::vector<const runtime*>{}, std::chrono::seconds{120});
  std::vector<std::jthread> helpers;  // asked to stop by their destructors
  for (int k = 0; k < 3; ++k) {
    helpers.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        if (steps.help([&](round_steps::step s) { loads.carry_out(steps, s); }) == 0) {
          std::this_thread::yield();
        }
      }
    });
  }
  for (int round = 0; round < 400; ++round) {
    std::vector<load_type> initial(nodes);
    for (load_type& l : initial) l = std::uniform_int_distribution<load_type>(0, 60)(random);
    plan planned;
    planner->make_plan({.graph = cube, .loads = initial, .seed = random()}, planned);
    const bool phased = round % 3 == 0;
    const plan scheduled = phased ? planned
                           : round % 3 == 1
                               ? plan_of(make_schedule(transmission::overlapped, initial, planned))
                               : plan_of(make_batched_schedule(initial, planned, 4));
    steps.prepare(scheduled, nodes, phased);
    loads.at = initial;
    loads.sent.assign(steps.size() / 2, 0);
    loads.ended = 0;
    steps.lead([&](round_steps::step s) { loads.carry_out(steps, s); });
    ASSERT_EQ(loads.ended, steps.size()) << "round " << round;
    ASSERT_EQ(loads.at, final_loads(planned, initial)) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(balancers, round_steps_of,
                         testing::Values("dem", "oem", "rotate", "random", "diffusion"),
                         [](const auto& c) { return c.param; });

TEST(round_steps, of_an_empty_plan_are_none) {
  round_steps steps;
  steps.prepare({}, 4, true);
  EXPECT_EQ(steps.size(), 0U);
  steps.lead([](round_steps::step) { FAIL(); });
  EXPECT_EQ(steps.help([](round_steps::step) { FAIL(); }), 0U);
}

}  // namespace
}  // namespace evencube::detail
