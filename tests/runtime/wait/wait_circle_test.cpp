// Cycles of waits are found and named if `check_waits` is on, and nothing else is reported.
#include <gtest/gtest.h>
#if !defined(_WIN32)
#include <unistd.h>
#endif

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <deque>
#include <evencube/evencube.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "deadline.hpp"
#include "platform_here.hpp"
#include "repetitions.hpp"

namespace evencube::test::wait_circle_test {
namespace {

runtime_options checked(unsigned workers) { return {.workers = workers, .check_waits = true}; }

#if !defined(_WIN32)  // which has no alarms, and whose processes are not ended by signals
/// The task of each of `futures` futures has begun and waits for the next one, the last for the
/// first.
void ring_of(unsigned futures, unsigned workers) {
  ::alarm(120);  // ends a test that finds no cycle
  runtime rt(checked(workers));
  std::vector<future<void>> all(futures);
  std::atomic<unsigned> made{0};
  for (unsigned i = 0; i < futures; ++i) {
    all[i] = rt.async([&, i] {
      // With one worker, the waits begin the other tasks.
      while (made.load() != futures) std::this_thread::yield();
      all[(i + 1) % futures].wait();
    });
    ++made;
  }
  all[0].wait();
}

class wait_circle_DeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

constexpr const char* found = "a cycle of waits, none of which would ever end";

TEST_F(wait_circle_DeathTest, of_one_future_is_found) {
  EXPECT_EXIT(ring_of(1, 2), testing::KilledBySignal(SIGABRT), found);
}

TEST_F(wait_circle_DeathTest, of_tasks_on_one_stack_is_found) {
  EXPECT_EXIT(ring_of(3, 1), testing::KilledBySignal(SIGABRT),
              "worker 0 waits for a future .*and a task of it is under way on worker 0");
}

TEST_F(wait_circle_DeathTest, of_tasks_of_several_workers_is_found) {
  EXPECT_EXIT(ring_of(3, 3), testing::KilledBySignal(SIGABRT), found);
  EXPECT_EXIT(ring_of(8, 5), testing::KilledBySignal(SIGABRT), found);
}

TEST_F(wait_circle_DeathTest, through_a_group_and_a_future_is_found) {
  const auto cycle = [] {
    ::alarm(120);
    runtime rt(checked(2));
    task_group late(rt);
    future<void> other;
    std::atomic<int> begun{0};
    const auto wait_for_both = [&] {
      ++begun;
      while (begun != 2) std::this_thread::yield();
    };
    other = rt.async([&] {
      wait_for_both();
      static_cast<void>(late.wait());
    });
    late.spawn([&] {
      wait_for_both();
      other.wait();
    });
    other.wait();
  };
  EXPECT_EXIT(cycle(), testing::KilledBySignal(SIGABRT), "waits for a (group|future) \\(0x");
}
#endif

class wait_circle : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{checked(GetParam())};
  deadline deadline_{rt_, std::chrono::seconds{120}};
};

// Each cell waits for its upper and its left neighbour, in forks and loops that wait as well.
TEST_P(wait_circle, none_is_found_where_there_is_none) {
  constexpr int n = 12;
  for (int round = repetitions(20); round > 0; --round, deadline_.renew()) {
    std::deque<future<void>> cells;
    std::atomic<int> ran{0};
    for (int i = 0; i < n * n; ++i) {
      future<void>* const up = i >= n ? &cells[static_cast<std::size_t>(i - n)] : nullptr;
      future<void>* const left = i % n != 0 ? &cells[static_cast<std::size_t>(i - 1)] : nullptr;
      cells.push_back(rt_.async([&ran, up, left] {
        fork_join(
            [&] {
              if (up != nullptr) up->wait();
            },
            [&] {
              if (left != nullptr) left->wait();
            });
        task_group inner;
        inner.spawn([&] { ++ran; });
        static_cast<void>(inner.wait());
      }));
    }
    for (auto& cell : cells) cell.wait();
    ASSERT_EQ(ran, n * n);
  }
}

// The wait ends, because a thread outside sees to it.
TEST_P(wait_circle, none_is_found_in_waits_with_a_limit) {
  future<void> self;
  std::atomic<bool> made{false};
  self = rt_.async([&] {
    while (!made) std::this_thread::yield();
    EXPECT_EQ(self.wait_for(std::chrono::milliseconds{2}), future_status::timeout);
  });
  made = true;
  self.wait();
}

INSTANTIATE_TEST_SUITE_P(workers, wait_circle, testing::ValuesIn(worker_counts));

#if !defined(_WIN32)  // which has no signal for programs
int pipe_of_the_handler = -1;

// A program that seems stuck is asked from outside, while its workers sleep in waits.
TEST(describing, works_in_a_signal_handler) {
  if (test::on_portable_platform()) GTEST_SKIP() << "standard output is not for signal handlers";
  runtime rt({.workers = 2});
  const deadline limit(rt);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  pipe_of_the_handler = ends[1];
  ASSERT_NE(std::signal(SIGUSR1, [](int) { describe_runtimes(pipe_of_the_handler); }), SIG_ERR);

  std::atomic<bool> begun{false};
  std::atomic<bool> go_on{false};
  future<void> busy = rt.async([&] {
    begun = true;
    while (!go_on) std::this_thread::yield();
  });
  while (!begun) std::this_thread::yield();
  future<void> sleeper = rt.async([&] { busy.wait(); });
  while (rt.describe().find("asleep in a wait for 0x") == std::string::npos) {
    std::this_thread::yield();
  }
  std::raise(SIGUSR1);
  // Repeats until nothing has changed meanwhile: only the last texts are compared.
  std::string before;
  std::string alone;
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    before = rt.describe();
    rt.describe_to(ends[1]);
    alone = rt.describe();
  } while (before != alone);
  go_on = true;
  sleeper.wait();

  ASSERT_EQ(::close(ends[1]), 0);
  std::string text;
  std::array<char, 256> part{};
  while (const auto count = ::read(ends[0], part.data(), part.size())) {
    ASSERT_GT(count, 0);
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  std::signal(SIGUSR1, SIG_DFL);
  EXPECT_TRUE(text.ends_with(alone)) << text << alone;
  EXPECT_NE(text.find("runtime "), std::string::npos) << text;
  EXPECT_NE(text.find("worker 0: busy yes"), std::string::npos) << text;
  EXPECT_NE(text.find("worker 1: "), std::string::npos) << text;
  EXPECT_NE(text.find("caller's seat: vacant"), std::string::npos) << text;
  EXPECT_NE(text.find(rt.reason()), std::string::npos) << text;
}
#endif

}  // namespace
}  // namespace evencube::test::wait_circle_test
