// The best value that any rank has found, over ranks that are threads of this process.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <evencube/cluster/bound.hpp>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "cluster/support.hpp"

namespace evencube {
namespace {

using test::on_ranks;
using test::small_ranks;

class bound_over_ranks : public testing::TestWithParam<unsigned> {};

TEST_P(bound_over_ranks, is_the_same_on_all_ranks_after_the_wait) {
  for (const std::string balancer : {"oem", "lifelines", "none", "random_stealing"}) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      on_ranks(GetParam(), {.seed = seed, .most_delay = 5}, small_ranks(balancer, 2),
               [&](cluster& world) {
                 cluster_bound least(world, "least", 1'000'000);
                 auto find = world.task<int, void>(
                     "find", [&](cluster_context& here, int value) { least.improve(here, value); });
                 cluster_group jobs(world);
                 std::mt19937 random(seed * 1000 + world.rank());
                 int expected = 1'000'000;
                 for (int i = 0; i < 30; ++i) {
                   const auto value = static_cast<int>(random() % 100'000);
                   expected = std::min(expected, value);
                   jobs.spawn(find, value,
                              {.rank = static_cast<unsigned>(random()) % world.size(),
                               .stays = i % 2 == 0});
                 }
                 jobs.wait();
                 const std::vector<int> all = world.gather(expected);
                 EXPECT_EQ(least.get(), *std::min_element(all.begin(), all.end())) << balancer;
               });
    }
  }
}

// As many values as ranks, none of which is better than another one.
TEST_P(bound_over_ranks, is_the_same_on_all_ranks_where_values_are_as_good) {
  struct found {
    int cost = 0;
    unsigned where = 0;
  };
  const auto cheaper = [](const found& a, const found& b) { return a.cost < b.cost; };
  for (unsigned seed = 0; seed < 100; ++seed) {
    on_ranks(GetParam(), {.seed = seed, .most_delay = 30}, small_ranks("none"),
             [&](cluster& world) {
               cluster_bound best(world, "best", found{10, 1000}, cheaper);
               auto find = world.task<int, void>("find", [&](cluster_context& here, int cost) {
                 best.improve(here, found{cost, here.rank()});
               });
               cluster_group jobs(world);
               for (const int cost : {7, 5}) jobs.spawn(find, cost, {.stays = true});
               jobs.wait();
               EXPECT_EQ(best.get().cost, 5);
               for (const unsigned where : world.gather(best.get().where)) {
                 EXPECT_EQ(where, best.get().where);
                 EXPECT_LT(where, world.size());
               }
             });
  }
}

TEST_P(bound_over_ranks, takes_values_with_memory_and_from_outside_of_tasks) {
  const auto longer = [](const std::string& a, const std::string& b) {
    return a.size() > b.size();
  };
  on_ranks(GetParam(), {.seed = 1, .most_delay = 3}, small_ranks(), [&](cluster& world) {
    cluster_bound longest(world, "longest", std::string(), longer);
    cluster_group jobs(world);
    const auto own = std::size_t{100} * (world.rank() + 1);
    EXPECT_TRUE(longest.improve(jobs, std::string(own, 'x')) || longest.get().size() > own);
    EXPECT_FALSE(longest.improve(jobs, std::string(1, 'y')));
    jobs.wait();
    EXPECT_EQ(longest.get(), std::string(std::size_t{100} * world.size(), 'x'));
  });
}

TEST_P(bound_over_ranks, begins_again_after_a_reset) {
  on_ranks(GetParam(), {.seed = 2, .most_delay = 10}, small_ranks("rotate"), [](cluster& world) {
    cluster_bound most(world, "most", 0, std::greater<>());
    auto find = world.task<int, int>("find", [&](cluster_context& here, int value) {
      most.improve(here, value);
      return value;
    });
    for (int search = 10; search > 0; --search) {
      cluster_reduction jobs(world, 0, [](int a, int b) { return std::max(a, b); });
      jobs.spawn(find, 100 * search + static_cast<int>(world.rank()));
      EXPECT_EQ(jobs.wait(), 100 * search + static_cast<int>(world.size()) - 1);
      EXPECT_EQ(most.get(), 100 * search + static_cast<int>(world.size()) - 1);
      most.reset(0);
      // Another rank may have begun the next search.
      EXPECT_LT(most.get(), 100 * search);
    }
  });
}

// A knapsack by branch and bound: what is left out is never better.
TEST_P(bound_over_ranks, leaves_the_result_of_a_search_as_it_is) {
  constexpr std::size_t items = 18;
  struct node {
    std::uint32_t next = 0;
    std::uint32_t weight = 0;
    std::uint32_t value = 0;
  };
  std::mt19937 random(3);
  std::array<std::uint32_t, items> weights{};
  std::array<std::uint32_t, items> values{};
  for (std::size_t i = 0; i < items; ++i) {
    weights[i] = 1 + static_cast<std::uint32_t>(random() % 50);
    values[i] = 1 + static_cast<std::uint32_t>(random() % 100);
  }
  constexpr std::uint32_t most_weight = 200;
  std::array<std::uint32_t, most_weight + 1> by_weight{};
  for (std::size_t i = 0; i < items; ++i) {
    for (std::uint32_t w = most_weight; w >= weights[i]; --w) {
      by_weight[w] = std::max(by_weight[w], by_weight[w - weights[i]] + values[i]);
    }
  }
  std::atomic<std::uint64_t> visited{0};
  on_ranks(GetParam(), {.seed = 4, .most_delay = 3}, small_ranks("oem", 2), [&](cluster& world) {
    cluster_bound most(world, "most", std::uint32_t{0}, std::greater<>());
    cluster_task<node, void> search;
    search = world.task<node, void>("search", [&](cluster_context& here, const node& n) {
      ++visited;
      most.improve(here, n.value);
      if (n.next == items) return;
      if (std::accumulate(values.begin() + n.next, values.end(), n.value) <= most.get()) return;
      here.spawn(search, node{n.next + 1, n.weight, n.value});
      if (n.weight + weights[n.next] <= most_weight) {
        here.spawn(search, node{n.next + 1, n.weight + weights[n.next], n.value + values[n.next]});
      }
    });
    cluster_group jobs(world);
    if (world.rank() == 0) jobs.spawn(search, node{});
    jobs.wait();
    EXPECT_EQ(most.get(), by_weight[most_weight]);
  });
  EXPECT_LT(visited, std::uint64_t{1} << items);
}

INSTANTIATE_TEST_SUITE_P(of, bound_over_ranks, testing::Values(1U, 2U, 3U, 5U, 8U, 16U));

TEST(bound, is_sent_to_each_other_rank_once) {
  constexpr unsigned ranks = 13;
  on_ranks(ranks, {.seed = 5}, small_ranks("none"), [](cluster& world) {
    cluster_bound least(world, "least", 100);
    cluster_group agreed(world);
    agreed.wait();
    cluster_group jobs(world);
    if (world.rank() == 4) {
      least.improve(jobs, 7);
    }
    jobs.wait();
    EXPECT_EQ(least.get(), 7);
    EXPECT_EQ(world.stats().tasks_received, world.rank() == 4 ? 0U : 1U);
    for (const std::uint64_t sent : world.gather(world.stats().tasks_sent)) EXPECT_LE(sent, 4U);
  });
}

// The wait ends, and what was found before the exception is known everywhere.
TEST(bound, outlives_a_task_that_throws) {
  on_ranks(4, {.seed = 6, .most_delay = 5}, small_ranks(), [](cluster& world) {
    cluster_bound least(world, "least", 100);
    auto find = world.task<int, void>("find", [&](cluster_context& here, int value) {
      least.improve(here, value);
      throw std::runtime_error("found");
    });
    cluster_group jobs(world);
    jobs.spawn(find, 50 - static_cast<int>(world.rank()));
    EXPECT_THROW(jobs.wait(), remote_error);
    EXPECT_EQ(least.get(), 47);
  });
}

TEST(bound, may_be_destroyed_before_its_tasks_have_run) {
  on_ranks(3, {.seed = 7, .most_delay = 5}, small_ranks("none"), [](cluster& world) {
    cluster_group agreed(world);
    EXPECT_THROW(cluster_bound(world, "late", 1), error) << "after the first group";
    agreed.wait();
  });
  on_ranks(3, {.seed = 8, .most_delay = 5}, small_ranks("none"), [](cluster& world) {
    cluster_bound<int> least(world, "least", std::numeric_limits<int>::max());
    cluster_group jobs(world);
    for (int value = 20; value > 0; --value) least.improve(jobs, value);
  });
}

}  // namespace
}  // namespace evencube
