// Calls that several threads may make at once on one object: all members of a runtime, `spawn` and
// `wait` of a group made outside of tasks, `wait` and `ready` of a future. The tests make all of
// them at once, from threads outside and from tasks, for a while; a thread sanitizer finds faults.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <evencube/evencube.hpp>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::concurrent_calls_test {
namespace {

using namespace std::chrono_literals;

class concurrent_calls : public testing::TestWithParam<unsigned> {
 protected:
  /// Makes each of `calls` in two threads of its own, again and again.
  void race(const std::vector<std::function<void()>>& calls) {
    const auto end = std::chrono::steady_clock::now() + 300ms;
    std::vector<std::jthread> threads;
    for (const auto& call : calls) {
      for (int copy = 0; copy < 2; ++copy) {
        threads.emplace_back([&, end] {
          // At least once, and on a slow machine hardly more often.
          do {
            call();
            deadline_.renew();
          } while (std::chrono::steady_clock::now() < end);
        });
      }
    }
  }

  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_};
};

TEST_P(concurrent_calls, of_a_runtimes_members) {
  std::atomic<int> recordings{0};
  std::atomic<std::size_t> looked_at{0};
  race({
      [&] { EXPECT_EQ(rt_.run([] { return 1; }), 1); },
      [&] { EXPECT_EQ(rt_.async([] { return 2; }).get(), 2); },
      [&] { EXPECT_EQ(rt_.async([&] { return rt_.async([] { return 3; }).get(); }).get(), 3); },
      [&] { rt_.balance(); },
      [&] {
        rt_.use_balancer("dem");
        rt_.use_balancer("oem", {}, "phased");
        rt_.use_balancer("none");
        rt_.use_balancer("random_stealing");
      },
      [&] {
        looked_at += rt_.stats().workers.size() + rt_.describe().size() + rt_.workers() +
                     rt_.reason().size() + rt_.placement().size();
        rt_.reset_stats();
      },
      [&] {
        auto still = rt_.hold();
        looked_at += still.loads().size() + still.tasks().size();
        static_cast<void>(still.balance());
      },
      [&] {
        // Only one recording is possible at a time; a second call is refused.
        try {
          rt_.start_recording({.memory = 1U << 20U});
          rt_.run([] { parallel_for(0, 100, [](int) {}); });
          looked_at += rt_.stop_recording().tasks.size();
          ++recordings;
        } catch (const error&) {
        }
      },
  });
  EXPECT_GT(recordings, 0);
  EXPECT_GT(looked_at, 0U);
}

TEST_P(concurrent_calls, of_a_groups_members) {
  task_group group(rt_);
  std::atomic<int> spawned{0};
  std::atomic<int> ran{0};
  const auto spawn = [&](const spawn_options& how) {
    ++spawned;
    group.spawn([&] { ++ran; }, how);
  };
  race({
      [&] { spawn({}); },
      [&] { spawn({.cost = 3, .home = 0}); },
      [&] { group.wait(); },
      [&] { rt_.run([&] { spawn({}); }); },
      [&] { rt_.run([&] { group.wait(); }); },
      [&] { rt_.async([&] { group.wait(); }).wait(); },
  });
  group.wait();
  EXPECT_EQ(ran, spawned);
}

TEST_P(concurrent_calls, of_a_futures_members) {
  for (int n = test::repetitions(50); n > 0; --n) {
    std::atomic<bool> go{false};
    future<int> f = rt_.async([&] {
      while (!go) std::this_thread::yield();
      return 4;
    });
    {
      std::vector<std::jthread> threads;
      for (int k = 0; k < 3; ++k) {
        threads.emplace_back([&] {
          f.wait();
          EXPECT_TRUE(f.ready());
        });
        threads.emplace_back([&] {
          while (!f.ready()) std::this_thread::yield();
        });
        threads.emplace_back([&] { rt_.async([&] { f.wait(); }).wait(); });
      }
      go = true;
    }
    EXPECT_EQ(f.get(), 4);
    deadline_.renew();
  }
}

// Each on its own thread, at the same time: the threads of their runtimes come and go concurrently.
TEST_P(concurrent_calls, of_constructors_and_destructors) {
  std::vector<std::jthread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&] {
      for (int n = test::repetitions(20); n > 0; --n) {
        runtime mine({.workers = GetParam()});
        EXPECT_EQ(mine.run([&] { return mine.async([] { return 5; }).get(); }), 5);
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(workers, concurrent_calls, testing::Values(1, 2, 3, 8),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::concurrent_calls_test
