// A stopped group runs nothing more that had not begun; every function is destroyed, every count
// given back, and whoever stands below it can ask.
#include <gtest/gtest.h>

#include <atomic>
#include <evencube/evencube.hpp>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::stopping_test {
namespace {

/// A group made by a task of the one above it, and whether it has been stopped.
struct path_of_groups {
  path_of_groups* above;
  task_group* group;
  bool stopped = false;

  [[nodiscard]] bool below_a_stop() const {
    return stopped || (above != nullptr && above->below_a_stop());
  }
};

/// Each answer twice: looked up, and remembered.
void expect_right_answers(const path_of_groups* lowest) {
  for (int twice = 0; twice < 2; ++twice) {
    for (const path_of_groups* p = lowest; p != nullptr; p = p->above) {
      ASSERT_EQ(p->group->stop_requested(), p->below_a_stop());
    }
    ASSERT_EQ(this_task::stop_requested(),
              lowest->above != nullptr && lowest->above->below_a_stop());
  }
}

/// Makes groups below groups, in the task that calls and those that it spawns, and stops some on
/// the way down and back.
void grow_and_stop(std::mt19937& random, path_of_groups* above, int depth) {
  task_group group;
  path_of_groups here{above, &group};
  for (int child = 0; child < 2 && depth > 0; ++child) {
    expect_right_answers(&here);
    const bool dropped = here.below_a_stop();
    bool ran = false;
    group.spawn([&] {
      ran = true;
      grow_and_stop(random, &here, depth - 1);
    });
    const wait_status ended = group.wait();
    ASSERT_EQ(ended, here.below_a_stop() ? wait_status::stopped : wait_status::completed);
    ASSERT_EQ(ran, !dropped);
    for (path_of_groups* p = &here; p != nullptr; p = p->above) {
      if (random() % 8 != 0) continue;
      p->group->request_stop();
      p->stopped = true;
    }
    expect_right_answers(&here);
  }
}

class stopping : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_};
};

TEST_P(stopping, is_not_what_a_wait_tells_of_a_group_that_goes_on) {
  task_group group(rt_);
  EXPECT_FALSE(group.stop_requested());
  std::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i) {
    group.spawn([&] {
      EXPECT_FALSE(this_task::stop_requested());
      ++ran;
    });
  }
  EXPECT_EQ(group.wait(), wait_status::completed);
  EXPECT_EQ(ran, 100);
  EXPECT_FALSE(this_task::stop_requested());
}

TEST_P(stopping, is_told_by_the_token_that_the_group_gives_out) {
  std::stop_token outlives;
  std::atomic<int> called{0};
  {
    task_group group(rt_);
    outlives = group.stop_token();
    EXPECT_TRUE(outlives.stop_possible());
    EXPECT_FALSE(outlives.stop_requested());
    EXPECT_EQ(outlives, group.stop_token());
    const std::stop_callback counts(outlives, [&] { ++called; });
    group.spawn([&] {
      EXPECT_EQ(group.stop_token(), outlives);
      group.request_stop();
      EXPECT_TRUE(outlives.stop_requested());
    });
    EXPECT_EQ(group.wait(), wait_status::stopped);
    group.request_stop();
    EXPECT_EQ(called, 1);
    EXPECT_TRUE(group.stop_token().stop_requested());
  }
  EXPECT_TRUE(outlives.stop_requested());
  task_group late(rt_);
  late.request_stop();
  EXPECT_TRUE(late.stop_token().stop_requested());
}

TEST_P(stopping, goes_from_a_token_into_the_group_and_out_again) {
  std::stop_source source;
  task_group group(rt_, source.get_token());
  const std::stop_token inside = group.stop_token();
  EXPECT_FALSE(inside.stop_requested());
  source.request_stop();
  EXPECT_TRUE(inside.stop_requested());
  task_group above(rt_);
  above.spawn([&] {
    task_group below;
    const std::stop_token early = below.stop_token();
    above.request_stop();
    EXPECT_TRUE(below.stop_token().stop_requested());  // asked afterwards
    EXPECT_TRUE(early.stop_requested());
  });
  EXPECT_EQ(above.wait(), wait_status::stopped);
}

// The group's token is made while the group is stopped: nobody is left with one that never says so.
TEST_P(stopping, and_making_the_token_miss_nothing) {
  for (int n = 0; n < test::repetitions(50); ++n) {
    deadline_.renew();
    task_group group(rt_);
    std::atomic<int> ready{0};
    const auto together = [&] {
      for (++ready; ready != 3;) std::this_thread::yield();
    };
    std::stop_token tokens[2];
    std::thread stops([&] {
      together();
      group.request_stop();
    });
    std::thread asks([&] {
      together();
      tokens[0] = group.stop_token();
    });
    together();
    tokens[1] = group.stop_token();
    stops.join();
    asks.join();
    ASSERT_EQ(tokens[0], tokens[1]);
    ASSERT_TRUE(tokens[0].stop_requested());
    ASSERT_EQ(group.wait(), wait_status::stopped);
  }
}

TEST_P(stopping, drops_what_had_not_begun) {
  const auto held = std::make_shared<int>(0);
  std::atomic<int> ran{0};
  task_group group(rt_);
  group.request_stop();
  group.request_stop();
  for (int i = 0; i < 1000; ++i) {
    group.spawn([&ran, held] { ++ran; }, {.cost = i % 2 == 0 ? 1U : 3U});
  }
  EXPECT_EQ(group.wait(), wait_status::stopped);
  EXPECT_TRUE(group.stop_requested());
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(held.use_count(), 1);
  group.spawn([&] { ++ran; });
  EXPECT_EQ(group.wait(), wait_status::stopped);  // for good
  EXPECT_EQ(ran, 0);
}

TEST_P(stopping, comes_from_a_task_of_the_group) {
  for (int n = test::repetitions(100); n > 0; --n) {
    std::atomic<int> after{0};
    rt_.run([&] {
      task_group group;
      std::atomic<bool> asked{false};
      for (int i = 0; i < 200; ++i) {
        group.spawn([&, i] {
          if (asked) {
            ++after;  // they had begun: at most one on each other worker
            return;
          }
          if (i == 150) {
            group.request_stop();
            EXPECT_TRUE(this_task::stop_requested());
            asked = true;
          }
        });
      }
      EXPECT_EQ(group.wait(), wait_status::stopped);
    });
    ASSERT_LT(after, static_cast<int>(GetParam()));
    deadline_.renew();
  }
}

TEST_P(stopping, comes_from_a_token) {
  std::stop_source source;
  std::atomic<int> ran{0};
  {
    task_group group(rt_, source.get_token());
    task_group other(rt_);
    group.spawn([&] { ++ran; });
    EXPECT_EQ(group.wait(), wait_status::completed);
    source.request_stop();
    group.spawn([&] { ++ran; });
    other.spawn([&] { ran += 10; });
    EXPECT_EQ(group.wait(), wait_status::stopped);
    EXPECT_EQ(other.wait(), wait_status::completed);
  }
  rt_.run([&] {
    task_group late(source.get_token());
    late.spawn([&] { ++ran; });
    EXPECT_EQ(late.wait(), wait_status::stopped);
  });
  EXPECT_EQ(ran, 11);
}

TEST_P(stopping, comes_from_a_token_while_groups_come_and_go) {
  for (int n = test::repetitions(200); n > 0; --n) {
    std::stop_source source;
    std::jthread stopper([&] { source.request_stop(); });
    std::atomic<int> ran{0};
    int stopped = 0;
    for (int g = 0; g < 10; ++g) {
      task_group group(rt_, source.get_token());
      for (int i = 0; i < 10; ++i) group.spawn([&] { ++ran; });
      if (group.wait() == wait_status::stopped) ++stopped;
    }
    ASSERT_GE(ran, (10 - stopped) * 10);
    deadline_.renew();
  }
}

TEST_P(stopping, is_seen_by_all_that_stands_below) {
  std::atomic<int> seen{0};
  std::atomic<int> ran{0};
  std::atomic<bool> go{false};
  std::atomic<bool> begun{false};
  task_group group(rt_);
  group.spawn([&] {
    task_group before;
    begun = true;
    while (!go) std::this_thread::yield();
    seen += this_task::stop_requested();
    for (int i = 0; i < 10; ++i) before.spawn([&] { ++ran; });
    EXPECT_EQ(before.wait(), wait_status::stopped);
    task_group after;
    EXPECT_TRUE(after.stop_requested());
    after.spawn([&] { ++ran; });
    EXPECT_EQ(after.wait(), wait_status::stopped);
    // It has begun, and so have its parts.
    const auto ask = [&] { seen += this_task::stop_requested(); };
    fork_join(ask, ask);
    parallel_for(0, 1000, [&](int) { ask(); });
    // No part of it, but a task of its own.
    seen += 10'000 * rt_.async([] { return this_task::stop_requested(); }).get();
  });
  while (!begun) std::this_thread::yield();
  group.request_stop();
  go = true;
  EXPECT_EQ(group.wait(), wait_status::stopped);
  EXPECT_EQ(seen, 1003);
  EXPECT_EQ(ran, 0);
}

TEST_P(stopping, leaves_others_alone) {
  task_group stopped(rt_);
  stopped.request_stop();
  std::atomic<int> ran{0};
  EXPECT_EQ(rt_.run([&] {
    task_group group;
    for (int i = 0; i < 100; ++i) group.spawn([&] { ran += !this_task::stop_requested(); });
    return group.wait();
  }),
            wait_status::completed);
  EXPECT_EQ(ran, 100);
  EXPECT_EQ(rt_.run([] { return 5; }), 5);
}

TEST_P(stopping, throws_what_was_thrown_before) {
  task_group group(rt_);
  std::atomic<bool> thrown{false};
  group.spawn([&] {
    thrown = true;
    throw std::runtime_error("before");
  });
  while (!thrown) std::this_thread::yield();
  group.request_stop();
  EXPECT_THROW(group.wait(), std::runtime_error);
  EXPECT_EQ(group.wait(), wait_status::stopped);
}

TEST_P(stopping, is_known_of_every_group_in_trees_that_come_and_go) {
  for (int n = test::repetitions(100); n > 0; --n) {
    std::atomic<int> growing{0};
    task_group trees(rt_);
    for (unsigned tree = 0; tree < 3; ++tree) {
      ++growing;
      trees.spawn([&growing, seed = static_cast<unsigned>(n) * 3 + tree] {
        std::mt19937 random(seed);
        grow_and_stop(random, nullptr, 5);
        --growing;
      });
    }
    // Beside them, and above: asked while the list changes.
    while (growing != 0) {
      ASSERT_FALSE(trees.stop_requested());
      std::this_thread::yield();
    }
    ASSERT_EQ(trees.wait(), wait_status::completed);
    deadline_.renew();
  }
}

INSTANTIATE_TEST_SUITE_P(workers, stopping, testing::Values(1, 2, 3, 8),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::stopping_test
