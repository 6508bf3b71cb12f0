#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/evencube.hpp>
#include <random>
#include <string>
#include <tuple>

#include "deadline.hpp"
#include "repetitions.hpp"

// Whatever the registry holds, by every transmission there is: no names in here.

namespace evencube::every_strategy_test {
namespace {

/// Real tasks in real queues, all workers standing still.
class queues {
 public:
  queues(runtime& rt, std::mt19937_64& random) : group_(rt) {
    hold_guard still = rt.hold();
    const int most = std::uniform_int_distribution<int>(0, 30)(random);
    for (unsigned k = 0; k < rt.workers(); ++k) {
      const int n = std::uniform_int_distribution<int>(0, most)(random);
      for (int j = 0; j < n; ++j, ++spawned_) {
        group_.spawn([this] { ++ran_; }, {.home = k});
      }
    }
  }
  void finish() {
    group_.wait();
    EXPECT_EQ(ran_, spawned_);
  }

 private:
  std::atomic<int> ran_{0};
  int spawned_ = 0;
  task_group group_;
};

/// The plan is what the strategy makes of what it was told.
void expect_replayed(const runtime& rt, const std::string& name, const balancing_round& carried) {
  plan again;
  make_balancer(name)->make_plan({.graph = rt.topology(),
                                  .loads = carried.loads,
                                  .capacities = carried.capacities,
                                  .seed = carried.seed,
                                  .initiator = carried.initiator,
                                  .service_times = carried.service_times},
                                 again);
  EXPECT_EQ(again, carried.planned);
}

using strategy_case = std::tuple<unsigned, std::string, std::string>;

std::vector<strategy_case> cases(bool only_event_driven) {
  std::vector<strategy_case> all;
  for (const balancer_descriptor& about : registered_balancers()) {
    if (only_event_driven && !about.event_driven) continue;
    if (about.name == "none") continue;  // as a mode of the runtime it moves nothing by definition
    for (const unsigned workers : {1U, 2U, 3U, 5U, 8U, 16U}) {
      const topology cube = topology::cube(workers);
      if (about.guarantees.supports && !about.guarantees.supports(cube)) continue;
      for (const transmission how : all_transmissions) {
        all.emplace_back(workers, about.name, std::string(to_string(how)));
      }
      // The others take as many quanta at a time as there is use for.
      all.emplace_back(workers, about.name, "pipelined:1");
      all.emplace_back(workers, about.name, "pipelined:3");
    }
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<strategy_case>& c) {
  std::string name = std::get<1>(c.param) + "_" + std::get<2>(c.param) + "_" +
                     std::to_string(std::get<0>(c.param));
  std::ranges::replace(name, ':', '_');
  return name;
}

class every_strategy : public testing::TestWithParam<strategy_case> {};
class event_driven : public testing::TestWithParam<strategy_case> {};

TEST_P(every_strategy, leaves_the_planned_loads_in_the_queues) {
  const auto& [workers, name, transmission] = GetParam();
  runtime rt({.workers = workers,
              .balancer = name,
              .transmission = transmission,
              .mode = balancer_mode::on_demand});
  const test::deadline deadline(rt);
  std::mt19937_64 random(workers);
  for (int i = 0; i < test::repetitions(10); ++i) {
    queues tasks(rt, random);
    {
      hold_guard still = rt.hold();
      const std::vector<load_type> before = still.loads();
      const balancing_round carried = still.balance();
      EXPECT_EQ(carried.loads, before);
      expect_replayed(rt, name, carried);
      ASSERT_EQ(still.loads(), final_loads(carried.planned, before)) << "case " << i;
    }
    tasks.finish();
  }
}

// Node after node acts on the queues as they are.
TEST_P(event_driven, acts_as_planned_when_a_worker_is_activated) {
  const auto& [workers, name, transmission] = GetParam();
  runtime rt({.workers = workers,
              .balancer = name,
              .transmission = transmission,
              .mode = balancer_mode::on_demand});
  const test::deadline deadline(rt);
  std::mt19937_64 random(workers + 100);
  for (int i = 0; i < test::repetitions(3); ++i) {
    queues tasks(rt, random);
    {
      hold_guard still = rt.hold();
      for (int step = 0; step < 30; ++step) {
        const auto initiator = std::uniform_int_distribution<unsigned>(0, workers - 1)(random);
        const std::vector<load_type> before = still.loads();
        const balancing_round carried = still.balance(initiator);
        EXPECT_EQ(carried.loads, before);
        EXPECT_EQ(carried.initiator, initiator);
        EXPECT_EQ(carried.service_times.size(),
                  describe_balancer(name).uses_service_times ? workers : 0U);
        expect_replayed(rt, name, carried);
        ASSERT_EQ(still.loads(), final_loads(carried.planned, before)) << "step " << step;
      }
    }
    tasks.finish();
  }
}

// The same strategies while tasks run, from one worker to all.
TEST_P(every_strategy, runs_a_program_to_its_end) {
  const auto& [workers, name, transmission] = GetParam();
  runtime rt({.workers = workers, .balancer = name, .transmission = transmission});
  const test::deadline deadline(rt);
  std::atomic<int> ran{0};
  rt.run([&] {
    task_group group;
    for (int i = 0; i < 500; ++i) {
      group.spawn([&ran] { parallel_for(0, 10, [&ran](int) { ++ran; }, {.grain = 1}); });
    }
    group.wait();
  });
  EXPECT_EQ(ran, 5000);
}

INSTANTIATE_TEST_SUITE_P(on_cubes, every_strategy, testing::ValuesIn(cases(false)), name_of);
INSTANTIATE_TEST_SUITE_P(on_cubes, event_driven, testing::ValuesIn(cases(true)), name_of);

TEST(activations, are_refused_for_workers_that_do_not_exist) {
  runtime rt({.workers = 2, .balancer = "sender_initiated"});
  hold_guard still = rt.hold();
  EXPECT_THROW(static_cast<void>(still.balance(2)), std::invalid_argument);
}

// Tasks of equal length, all on one worker: the service times the strategy is told are those of the
// workers that ended tasks, and they are of the right size.
TEST(service_times, are_measured) {
  runtime rt(
      {.workers = 2, .balancer = "prediction", .mode = balancer_mode::on_demand, .pin = false});
  const test::deadline deadline(rt);
  constexpr auto length = std::chrono::milliseconds{1};
  constexpr int tasks = 40;
  const auto busy = [&](unsigned home) {
    task_group group(rt);
    for (int i = 0; i < tasks; ++i) {
      group.spawn(
          [&] {
            const auto end = std::chrono::steady_clock::now() + length;
            while (std::chrono::steady_clock::now() < end) {
            }
          },
          {.home = home});
    }
    group.wait();
  };
  rt.use_balancer("none");
  busy(1);
  rt.use_balancer("prediction");
  const auto began = std::chrono::steady_clock::now();
  {
    static_cast<void>(rt.hold().balance());
  }  // forgets what was before
  rt.use_balancer("none");
  busy(1);
  rt.use_balancer("prediction");
  const balancing_round seen = rt.hold().balance();
  const double window =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  ASSERT_EQ(seen.service_times.size(), 2U);
  EXPECT_TRUE(std::isinf(seen.service_times[0]));
  EXPECT_GE(seen.service_times[1], 1e-3);
  EXPECT_LE(seen.service_times[1], window / tasks);
}

}  // namespace
}  // namespace evencube::every_strategy_test
