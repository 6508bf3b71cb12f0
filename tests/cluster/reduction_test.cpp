// Groups whose results are combined where their tasks ran, over ranks that are threads of this
// process.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/support.hpp"

namespace evencube {
namespace {

using test::on_ranks;
using test::small_ranks;

class reduction_over_ranks : public testing::TestWithParam<unsigned> {};

TEST_P(reduction_over_ranks, gives_every_rank_the_sum_of_all_results) {
  for (const std::string balancer : {"oem", "lifelines", "none", "random_stealing", "rotate"}) {
    on_ranks(GetParam(), {.seed = 1, .most_delay = 3}, small_ranks(balancer, 2),
             [&](cluster& world) {
               auto square = world.task<std::int64_t, std::int64_t>(
                   "square", [](std::int64_t i) { return i * i; });
               cluster_reduction total(world, std::int64_t{0});
               // Each rank a part, and some of it sent elsewhere.
               for (std::int64_t i = 0; i < 50; ++i) {
                 const std::int64_t number = 50 * world.rank() + i;
                 const auto to = static_cast<unsigned>(number) % world.size();
                 total.spawn(square, number, {.rank = to, .stays = i % 3 == 0});
               }
               const std::int64_t n = std::int64_t{50} * world.size();
               EXPECT_EQ(total.wait(), (n - 1) * n * (2 * n - 1) / 6) << balancer;
             });
  }
}

TEST_P(reduction_over_ranks, takes_results_of_tasks_of_tasks_of_its_type_alone) {
  on_ranks(GetParam(), {.seed = 2, .most_delay = 3}, small_ranks(), [](cluster& world) {
    auto leaf = world.task<int, unsigned>("leaf", [](int) { return 1U; });
    auto branch = world.task<int, std::string>("branch", [leaf](cluster_context& here, int n) {
      for (int i = 0; i < n; ++i) here.spawn(leaf, i);
      return std::to_string(n);
    });
    cluster_reduction leaves(world, 0U);
    if (world.rank() == 0) {
      for (int n = 0; n < 20; ++n) leaves.spawn(branch, n);
    }
    int branches = 0;
    const unsigned found = leaves.wait([&](int n, std::string&& text) {
      EXPECT_EQ(text, std::to_string(n));
      ++branches;
    });
    EXPECT_EQ(found, 190U);
    EXPECT_EQ(branches, world.rank() == 0 ? 20 : 0);
  });
}

TEST_P(reduction_over_ranks, combines_what_cereal_writes_and_what_cannot_be_added) {
  using counts = std::map<std::string, int>;
  on_ranks(GetParam(), {.seed = 3}, small_ranks("rotate"), [](cluster& world) {
    auto count = world.task<std::string, counts>("count", [](const std::string& text) {
      counts found;
      for (const char letter : text) ++found[std::string(1, letter)];
      return found;
    });
    const auto merge = [](counts a, const counts& b) {
      for (const auto& [letter, times] : b) a[letter] += times;
      return a;
    };
    cluster_reduction all(world, counts{}, merge);
    all.spawn(count, std::string("abca"));
    const int ranks = static_cast<int>(world.size());
    EXPECT_EQ(all.wait(), (counts{{"a", 2 * ranks}, {"b", ranks}, {"c", ranks}}));
    // And a group without a task.
    cluster_reduction least(world, 7, [](int a, int b) { return std::min(a, b); });
    EXPECT_EQ(least.wait(), 7);
  });
}

// Rank 0 spawns before the other ranks have made the group, so the first results travel.
TEST_P(reduction_over_ranks, may_be_made_late_on_a_rank) {
  on_ranks(GetParam(), {.seed = 4}, small_ranks("none"), [](cluster& world) {
    auto one = world.task<int, int>("one", [](int) { return 1; });
    cluster_group first(world);
    first.wait();
    if (world.rank() != 0) {
      while (world.stats().executed == 0) std::this_thread::yield();
    }
    cluster_reduction total(world, 0);
    if (world.rank() == 0) {
      for (int i = 0; i < 100; ++i) {
        total.spawn(one, i, {.rank = static_cast<unsigned>(i) % world.size(), .stays = true});
      }
    }
    EXPECT_EQ(total.wait(), 100);
  });
}

TEST_P(reduction_over_ranks, throws_on_all_ranks_if_a_task_or_the_combination_throws) {
  on_ranks(GetParam(), {.seed = 5}, small_ranks(), [](cluster& world) {
    auto picky = world.task<int, int>("picky", [](int i) {
      if (i == 13) throw std::runtime_error("not thirteen");
      return i;
    });
    cluster_reduction total(world, 0);
    for (int i = 0; i < 20; ++i) total.spawn(picky, i);
    EXPECT_THROW(static_cast<void>(total.wait()), remote_error);
    EXPECT_THROW(static_cast<void>(total.wait()), error) << "a second time";
    cluster_reduction refused(world, 0, [](int, int) -> int { throw std::runtime_error("no"); });
    refused.spawn(picky, 1);
    EXPECT_THROW(static_cast<void>(refused.wait()), std::runtime_error);
    cluster_group still_works(world);
    still_works.wait();
  });
}

TEST_P(reduction_over_ranks, reaches_the_other_ranks_if_a_taker_throws) {
  on_ranks(GetParam(), {.seed = 6}, small_ranks(), [](cluster& world) {
    auto number = world.task<int, int>("number", [](int i) { return i; });
    auto word = world.task<int, std::string>("word", [](int i) { return std::to_string(i); });
    cluster_reduction total(world, 0);
    for (int i = 0; i < 10; ++i) total.spawn(number, i);
    if (world.rank() == 0) total.spawn(word, 1);
    const auto take = [](int, std::string&&) { throw std::logic_error("not here"); };
    if (world.rank() == 0) {
      EXPECT_THROW(static_cast<void>(total.wait(take)), std::logic_error);
    } else {
      EXPECT_EQ(total.wait(take), 45 * static_cast<int>(world.size()));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(of, reduction_over_ranks, testing::Values(1U, 2U, 3U, 5U, 8U));

// Long results do not travel: the rank that ran the tasks sends one of them.
TEST(reduction, sends_a_value_for_each_rank_and_none_for_each_task) {
  constexpr std::size_t length = 10'000;
  on_ranks(2, {.seed = 7}, small_ranks("none"), [](cluster& world) {
    using numbers = std::vector<int>;
    auto make = world.task<int, numbers>("make", [](int i) { return numbers(length, i); });
    const auto add = [](numbers a, const numbers& b) {
      a.resize(std::max(a.size(), b.size()));
      for (std::size_t i = 0; i < b.size(); ++i) a[i] += b[i];
      return a;
    };
    cluster_reduction total(world, numbers{}, add);
    // Only now are both ranks known to have made it.
    static_cast<void>(world.gather(0));
    const std::uint64_t before = world.stats().bytes_sent;
    if (world.rank() == 0) {
      for (int i = 0; i < 100; ++i) total.spawn(make, i, {.rank = 1, .stays = true});
    }
    EXPECT_EQ(total.wait(), numbers(length, 4950));
    EXPECT_LT(world.stats().bytes_sent - before, 3 * length * sizeof(int));
  });
}

// What is left of a group that its program has left neither combines nor is missed.
TEST(reduction, may_be_left_without_a_wait) {
  on_ranks(2, {.seed = 8}, small_ranks("none"), [](cluster& world) {
    auto late = world.task<int, int>("late", [](int i) {
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
      return i;
    });
    cluster_group agreed(world);
    agreed.wait();
    {
      std::vector<int> seen;
      cluster_reduction total(world, 0, [&seen](int a, int b) {
        seen.push_back(b);
        return a + b;
      });
      for (int i = 0; i < 20; ++i) total.spawn(late, i, {.rank = 1 - world.rank()});
    }
  });
}

}  // namespace
}  // namespace evencube
