// Futures for results of tasks on other ranks. random_ranks_test.cpp has them in random programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <evencube/cluster.hpp>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/support.hpp"

namespace evencube {
namespace {

using test::fresh_path;
using test::on_ranks;
using test::small_ranks;
using testing::HasSubstr;

class futures_of : public testing::TestWithParam<unsigned> {};

TEST_P(futures_of, get_the_result_from_any_rank) {
  const unsigned ranks = GetParam();
  on_ranks(ranks, {.seed = 1, .most_delay = 1}, small_ranks("lifelines"), [&](cluster& world) {
    auto show =
        world.task<int, std::string>("show", [](int value) { return std::to_string(value); });
    std::atomic<int> ran{0};
    auto count = world.task<int, void>("count", [&](int) { ++ran; });
    cluster_group jobs(world);
    std::vector<cluster_future<std::string>> shown;
    std::vector<cluster_future<void>> counted;
    for (int i = 0; i < 30; ++i) {
      const auto rank = static_cast<unsigned>(i) % ranks;
      shown.push_back(jobs.call(show, i, {.rank = rank, .stays = i % 2 == 0}));
      counted.push_back(jobs.call(count, i, {.rank = rank}));
      jobs.spawn(show, -1);
    }
    for (int i = 0; i < 30; ++i) {
      EXPECT_EQ(shown[static_cast<std::size_t>(i)].get(), std::to_string(i));
      EXPECT_FALSE(shown[static_cast<std::size_t>(i)].valid());
    }
    for (cluster_future<void>& each : counted) each.get();
    // Takers get what was spawned, and nothing that a future got.
    int taken = 0;
    jobs.wait([&](int value, std::string&&) {
      EXPECT_EQ(value, -1);
      ++taken;
    });
    EXPECT_EQ(taken, 30);
    int all = 0;
    for (const int each : world.gather(ran.load())) all += each;
    EXPECT_EQ(all, 30 * static_cast<int>(ranks));
  });
}

TEST_P(futures_of, get_exceptions_of_tasks) {
  const unsigned ranks = GetParam();
  on_ranks(ranks, {.seed = 2}, small_ranks("oem"), [&](cluster& world) {
    auto fail = world.task<unsigned, int>("fail", [](unsigned rank) -> int {
      throw std::runtime_error("from " + std::to_string(rank));
    });
    cluster_group jobs(world);
    std::vector<cluster_future<int>> failed;
    for (unsigned k = 0; k < ranks; ++k)
      failed.push_back(jobs.call(fail, k, {.rank = k, .stays = true}));
    for (unsigned k = 0; k < ranks; ++k) {
      try {
        static_cast<void>(failed[k].get());
        ADD_FAILURE() << "nothing was thrown";
      } catch (const remote_error& problem) {
        EXPECT_EQ(problem.rank(), k);
        EXPECT_EQ(problem.task(), "fail");
        EXPECT_EQ(problem.text(), "from " + std::to_string(k));
      }
    }
    EXPECT_THROW(jobs.wait(), remote_error);
  });
}

INSTANTIATE_TEST_SUITE_P(ranks, futures_of, testing::Values(1U, 2U, 3U, 5U, 8U));

TEST(a_cluster_future, can_outlive_the_wait_and_be_dropped) {
  on_ranks(3, {.seed = 3}, small_ranks("oem"), [](cluster& world) {
    auto own = world.task<int, std::vector<int>>(
        "own", [](int value) { return std::vector<int>(1, value); });
    cluster_future<std::vector<int>> kept;
    EXPECT_FALSE(kept.valid());
    EXPECT_THROW(static_cast<void>(kept.ready()), error);
    EXPECT_THROW(static_cast<void>(kept.get()), error);
    cluster_group jobs(world);
    kept = jobs.call(own, 5, {.rank = (world.rank() + 1) % 3});
    static_cast<void>(jobs.call(own, 6));
    jobs.wait();
    EXPECT_TRUE(kept.ready());
    EXPECT_EQ(kept.get(), std::vector<int>{5});
    EXPECT_THROW(static_cast<void>(kept.get()), error);
  });
}

TEST(a_cluster_future, does_not_wait_within_a_task) {
  on_ranks(2, {.seed = 4}, small_ranks("oem"), [](cluster& world) {
    std::atomic<bool> tried{false};
    cluster_future<int> other;
    auto slow = world.task<int, int>("slow", [&](int value) {
      while (world.rank() == 0 && !tried) std::this_thread::yield();
      return value;
    });
    auto get = world.task<int, void>("get", [&](int) {
      try {
        static_cast<void>(other.get());
      } catch (const error& problem) {
        EXPECT_THAT(problem.what(), HasSubstr("within a task of the cluster"));
        EXPECT_TRUE(other.valid());
      }
      tried = true;
    });
    cluster_group jobs(world);
    if (world.rank() == 0) {
      // On the only worker of rank 0, which takes the newest task first.
      cluster_hold still(world);
      other = jobs.call(slow, 7, {.stays = true});
      jobs.spawn(get, 0, {.stays = true});
    } else {
      const cluster_hold still(world);
    }
    if (world.rank() == 0) {
      EXPECT_EQ(other.get(), 7);
    }
    jobs.wait();
  });
}

TEST(a_cluster_future, reports_that_its_result_cannot_come) {
  // A rank stops, is called, and then leaves.
  std::barrier<> both(2);
  const auto thrown = test::try_on_ranks(2, {.seed = 5}, small_ranks("none"), [&](cluster& world) {
    auto task = world.task<int, int>("task", [](int value) { return value; });
    cluster_group jobs(world);
    if (world.rank() == 1) world.runtime().stop();
    both.arrive_and_wait();
    cluster_future<int> result;
    if (world.rank() == 0) result = jobs.call(task, 1, {.rank = 1, .stays = true});
    both.arrive_and_wait();
    if (world.rank() == 1) throw error("enough");
    static_cast<void>(result.get());
  });
  EXPECT_THAT(test::text_of(thrown[0]),
              HasSubstr("the cluster of another rank is being destroyed"));
  // Its own rank stops.
  const auto stopped = test::try_on_ranks(1, {.seed = 6}, small_ranks("none"), [&](cluster& world) {
    std::atomic<bool> began{false};
    auto last = world.task<int, void>("last", [&](int) {
      began = true;
      while (!world.runtime().stopped()) std::this_thread::yield();
    });
    auto never = world.task<int, int>("never", [](int value) { return value; });
    cluster_group jobs(world);
    cluster_future<int> result;
    {
      const cluster_hold still(world);
      result = jobs.call(never, 1);
      jobs.spawn(last, 1);
    }
    while (!began) std::this_thread::yield();
    world.runtime().stop();
    static_cast<void>(result.get());
  });
  EXPECT_THAT(test::text_of(stopped[0]), HasSubstr("and its runtime has been stopped"));
}

TEST(a_cluster_future, is_in_no_checkpoint) {
  on_ranks(2, {.seed = 7}, small_ranks("none"), [](cluster& world) {
    auto task = world.task<int, int>("task", [](int value) { return value; });
    cluster_group jobs(world);
    cluster_future<int> one;
    {
      cluster_hold still(world);
      if (world.rank() == 1) one = jobs.call(task, 1);
      try {
        still.save(fresh_path("future"));
        ADD_FAILURE() << "it was saved";
      } catch (const error& problem) {
        EXPECT_THAT(problem.what(), HasSubstr("a cluster_future waits for a task \"task\""));
      }
    }
    if (world.rank() == 1) {
      EXPECT_EQ(one.get(), 1);
    }
    jobs.wait();
  });
}

}  // namespace
}  // namespace evencube
