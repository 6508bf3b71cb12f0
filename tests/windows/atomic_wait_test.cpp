// Waits on atomics, as atomic_wait.hpp makes them. With the waits of GCC 12, most runs of the first
// test do not end.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>

namespace {

TEST(atomic_wait, loses_no_wake_up) {
  constexpr int turns = 100'000;
  std::atomic<int> ball{0};
  const auto play = [&ball](int mine) {
    for (int turn = 0; turn < turns; ++turn) {
      for (int seen = ball.load(); seen % 2 != mine; seen = ball.load()) ball.wait(seen);
      ++ball;
      ball.notify_one();
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(ball.load(), 2 * turns);
}

TEST(atomic_wait, wakes_all) {
  constexpr int waiting = 4;
  std::atomic<int> come{0};
  std::atomic<bool> open{false};
  std::thread threads[waiting];
  for (std::thread& t : threads) {
    t = std::thread([&] {
      ++come;
      open.wait(false);
    });
  }
  while (come.load() < waiting) std::this_thread::yield();
  open = true;
  open.notify_all();
  for (std::thread& t : threads) t.join();
}

TEST(atomic_wait, ends_at_its_limit) {
  std::counting_semaphore<> none(0);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_FALSE(none.try_acquire_for(std::chrono::milliseconds(20)));
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(20));
}

}  // namespace
