#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/evencube.hpp>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "deadline.hpp"

// Held rounds over tasks of several quanta: every balancer by every transmission. Where all tasks
// cost the same, the queues hold exactly the plan in tasks (migration.exact). Where they do not,
// each worker is less than the largest task away from its plan (migration.nearest,
// migration.dealt).

namespace evencube::costly_plans_test {
namespace {

/// Makes loads uneven again: every pair of neighbours moves a random part of what it has, in one
/// dimension after the other.
class scrambler : public balancer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "test_scrambler"; }
  void make_plan(const balance_request& request, plan& out) const override {
    std::mt19937_64 random(request.seed);
    std::vector<load_type> loads(request.loads.begin(), request.loads.end());
    out.phases.clear();
    for (unsigned i = 0; (node_id{1} << i) < loads.size(); ++i) {
      phase& step = out.phases.emplace_back();
      for (node_id k = 0; k < loads.size(); ++k) {
        const node_id other = k ^ (node_id{1} << i);
        if (k > other || other >= loads.size()) continue;
        const bool up = random() % 2 == 0;
        const node_id from = up ? k : other;
        const node_id to = up ? other : k;
        // Three of four pairs move everything.
        const load_type most = loads[from];
        const load_type part = random() % 4 != 0 ? most : static_cast<load_type>(random() % 8);
        const load_type moved = std::min(part, most);
        if (moved == 0) continue;
        step.push_back({from, to, moved});
        loads[from] -= moved;
        loads[to] += moved;
      }
    }
  }
};

void register_scrambler() {
  static const bool once = [] {
    balancer_descriptor about;
    about.name = "test_scrambler";
    about.summary = "uneven loads";
    about.make = [](const balancer_options&) { return std::make_unique<scrambler>(); };
    register_balancer(std::move(about));
    return true;
  }();
  static_cast<void>(once);
}

/// The costs of the tasks of one case, drawn one after the other.
struct cost_list {
  std::string name;
  std::vector<std::uint32_t> costs;
};

const std::vector<cost_list>& cost_lists() {
  static const std::vector<cost_list> all{{"ones", {1}},
                                          {"twos", {2}},
                                          {"tens", {10}},
                                          {"fifties", {50}},
                                          {"ones_and_threes", {1, 3}},
                                          {"mixed", {1, 2, 3, 5, 8, 13, 50}},
                                          {"rarely_large", {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 300}},
                                          {"mostly_large", {64, 64, 64, 64, 64, 64, 64, 1}}};
  return all;
}

using table = std::tuple<unsigned, std::size_t>;

class costly_plans : public testing::TestWithParam<table> {};

std::vector<std::string> transmissions() {
  std::vector<std::string> all{"pipelined:1", "pipelined:3"};
  for (const transmission how : all_transmissions) all.emplace_back(to_string(how));
  return all;
}

/// The plan that the balancer makes by itself for what it saw.
plan planned_again(const runtime& rt, const std::string& name, const balancing_round& carried) {
  std::vector<load_type> loads = carried.loads;
  for (load_type& load : loads) load /= carried.unit;
  plan again;
  make_balancer(name)->make_plan({.graph = rt.topology(),
                                  .loads = loads,
                                  .capacities = carried.capacities,
                                  .seed = carried.seed,
                                  .initiator = carried.initiator,
                                  .service_times = carried.service_times},
                                 again);
  for (phase& step : again.phases) {
    for (transfer& t : step) t.quanta *= carried.unit;
  }
  return again;
}

/// The tasks by worker must carry the loads that the runtime says.
void expect_loads_of_tasks(const hold_guard& still, const std::vector<load_type>& loads,
                           std::map<const void*, load_type>& cost_of) {
  const auto tasks = still.tasks();
  std::size_t all = 0;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    load_type sum = 0;
    for (const void* const t : tasks[k]) sum += cost_of.at(t);
    EXPECT_EQ(sum, loads[k]) << "worker " << k;
    all += tasks[k].size();
  }
  EXPECT_EQ(all, cost_of.size());
}

TEST_P(costly_plans, end_within_one_task_of_the_plan) {
  const auto [workers, which] = GetParam();
  const cost_list& list = cost_lists()[which];
  register_scrambler();
  runtime rt({.workers = workers, .mode = balancer_mode::on_demand, .pin = false});
  const test::deadline deadline(rt);
  std::mt19937_64 random(workers + 100 * which);
  std::atomic<int> ran{0};
  int spawned = 0;
  task_group group(rt);
  {
    hold_guard still = rt.hold();
    std::map<const void*, load_type> cost_of;
    load_type largest = 0;
    load_type smallest = std::numeric_limits<load_type>::max();
    // By worker, in the order of the spawns.
    std::vector<std::vector<load_type>> costs(workers);
    for (unsigned k = 0; k < workers; ++k) {
      const auto n = k % 3 == 1 ? 0U : 1 + static_cast<unsigned>(random() % 12);
      for (unsigned j = 0; j < n; ++j, ++spawned) {
        const std::uint32_t cost = list.costs[random() % list.costs.size()];
        group.spawn([&ran] { ++ran; }, {.cost = cost, .home = k});
        costs[k].push_back(cost);
        largest = std::max<load_type>(largest, cost);
        smallest = std::min<load_type>(smallest, cost);
      }
    }
    const auto tasks = still.tasks();
    for (unsigned k = 0; k < workers; ++k) {
      ASSERT_EQ(tasks[k].size(), costs[k].size());
      for (std::size_t j = 0; j < tasks[k].size(); ++j) {
        cost_of[tasks[k][j]] = costs[k][tasks[k].size() - 1 - j];
      }
    }
    for (const balancer_descriptor& about : registered_balancers()) {
      if (about.name == "none") continue;
      if (about.guarantees.supports && !about.guarantees.supports(rt.topology())) continue;
      for (const std::string& transmission : transmissions()) {
        SCOPED_TRACE(about.name + ", " + transmission);
        for (const std::string& name : {std::string("test_scrambler"), about.name}) {
          rt.use_balancer(name, {}, transmission);
          const std::vector<load_type> loads = still.loads();
          const balancing_round carried = still.balance();
          ASSERT_EQ(carried.loads, loads);
          ASSERT_EQ(carried.unit, smallest == largest ? largest : 1);
          ASSERT_EQ(carried.planned, planned_again(rt, name, carried));
          const std::vector<load_type> wanted = final_loads(carried.planned, loads);
          const std::vector<load_type> found = still.loads();
          expect_loads_of_tasks(still, found, cost_of);
          if (carried.unit == largest) {
            ASSERT_EQ(found, wanted);
            continue;
          }
          for (unsigned k = 0; k < workers; ++k) {
            ASSERT_LT(std::abs(found[k] - wanted[k]), largest) << name << ", worker " << k;
          }
        }
      }
    }
    ASSERT_EQ(ran, 0);
  }
  group.wait();
  EXPECT_EQ(ran, spawned);
}

std::vector<table> tables() {
  std::vector<table> all;
  for (const unsigned workers : {1U, 2U, 3U, 5U, 8U, 16U, 64U}) {
    for (std::size_t i = 0; i < cost_lists().size(); ++i) all.emplace_back(workers, i);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(of_all_balancers, costly_plans, testing::ValuesIn(tables()),
                         [](const testing::TestParamInfo<table>& c) {
                           return cost_lists()[std::get<1>(c.param)].name + "_" +
                                  std::to_string(std::get<0>(c.param));
                         });

/// Works for some multiple of a microsecond.
void work_for(std::chrono::microseconds length) {
  const auto end = std::chrono::steady_clock::now() + length;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// The costs are what the runtime measured: the test learns them from the loads.
TEST(measured_plans, end_within_one_task_of_the_plan) {
  runtime rt(
      {.workers = 8, .mode = balancer_mode::on_demand, .pin = false, .measured_costs = true});
  const test::deadline deadline(rt);
  const auto brief = [] { work_for(std::chrono::microseconds{5}); };
  const auto lasting = [] { work_for(std::chrono::microseconds{60}); };
  task_group group(rt);
  for (int i = 0; i < 100; ++i) {
    group.spawn(brief);
    group.spawn(lasting);
  }
  group.wait();
  {
    hold_guard still = rt.hold();
    load_type largest = 0;
    load_type all = 0;
    for (unsigned i = 0; i < 60; ++i) {
      const spawn_options where{.home = i % 3};
      i % 4 == 0 ? group.spawn(lasting, where) : group.spawn(brief, where);
      const std::vector<load_type> loads = still.loads();
      const load_type sum = std::accumulate(loads.begin(), loads.end(), load_type{0});
      largest = std::max(largest, sum - std::exchange(all, sum));
    }
    for (const std::string& transmission : transmissions()) {
      for (const std::string name : {"rotate", "oem", "random", "dem", "rotate", "cwa"}) {
        rt.use_balancer(name, {}, transmission);
        const std::vector<load_type> loads = still.loads();
        const balancing_round carried = still.balance();
        const std::vector<load_type> wanted = final_loads(carried.planned, loads);
        const std::vector<load_type> found = still.loads();
        for (unsigned k = 0; k < 8; ++k) {
          ASSERT_LT(std::abs(found[k] - wanted[k]), largest)
              << name << ", " << transmission << ", worker " << k;
        }
      }
    }
  }
  group.wait();
}

}  // namespace
}  // namespace evencube::costly_plans_test
