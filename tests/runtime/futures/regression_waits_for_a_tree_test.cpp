// A worker that waited for the continuation of `when_any` used to follow a future that the
// continuation had taken out, and continued otherwise, up into its new tree: it ran tasks on top of
// the waiting one that the awaited future does not need.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <evencube/evencube.hpp>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::regression_waits_for_a_tree_test {
namespace {

using namespace std::chrono_literals;

void wait_for_flag(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

TEST(waits_for_a_tree, run_nothing_of_another_one) {
  runtime rt({.workers = 2, .pin = false});
  const test::deadline limit(rt);
  std::atomic<bool> first_began{false};
  std::atomic<bool> leaf_began{false};
  std::atomic<bool> relinked{false};
  std::atomic<bool> waiting{false};
  std::atomic<int> ran{0};
  std::atomic<int> ran_in_the_wait{0};
  rt.run([&] {
    const std::thread::id waiter = std::this_thread::get_id();
    const auto other_work = [&] {
      ++ran;
      ran_in_the_wait += waiting && std::this_thread::get_id() == waiter;
    };
    auto first = rt.async([&] {
      first_began = true;
      wait_for_flag(leaf_began);
    });
    wait_for_flag(first_began);  // on the other worker, which then runs the continuation
    auto leaf = rt.async([&] {
      leaf_began = true;
      wait_for_flag(relinked);
    });
    auto second = when_all(std::move(leaf), rt.async([] {}));
    auto awaited = when_any(std::move(first), std::move(second)).then([&](auto any) {
      auto continued = std::get<1>(any.futures).then([&](const auto&) { other_work(); });
      auto all = when_all(std::move(continued), rt.async(other_work));
      relinked = true;
      // The waiter is about to end the leaf: time to go astray, not needed where it does not.
      const auto began = std::chrono::steady_clock::now();
      while (ran < 2 && std::chrono::steady_clock::now() - began < 100ms) {
        std::this_thread::yield();
      }
      return all;
    });
    waiting = true;
    awaited.wait();
    waiting = false;
    awaited.get().wait();
  });
  EXPECT_EQ(ran, 2);
  EXPECT_EQ(ran_in_the_wait, 0);
}

// What is left over of one `when_any` goes into another one, and that into `when_all`, while
// workers look through the trees that it leaves.
TEST(waits_for_a_tree, end_while_futures_change_trees) {
  runtime rt({.workers = 4, .pin = false});
  test::deadline limit(rt);
  std::mt19937 random(3);
  std::atomic<int> sum{0};
  int expected = 0;
  for (int n = 0; n < test::repetitions(1000); ++n) {
    int spins[4];
    for (int& s : spins) s = std::uniform_int_distribution(0, 3000)(random);
    const auto way = random() % 4;
    const auto program = [&] {
      std::vector<future<int>> several;
      for (std::size_t i = 0; i < 4; ++i) {
        several.push_back(rt.async([spin = spins[i]] {
          std::atomic<int> steps{0};
          while (steps.fetch_add(1, std::memory_order_relaxed) < spin) {
          }
          return 1;
        }));
        if ((n >> i & 1) != 0) {
          several[i] = several[i].then([](int value) { return value; });
        }
      }
      auto awaited = when_any(std::move(several)).then([&](auto any) {
        std::vector<future<int>> rest;
        for (std::size_t i = 0; i < any.futures.size(); ++i) {
          if (i == any.index) continue;
          rest.push_back(any.futures[i].then([&](int value) {
            sum += value;
            return value;
          }));
        }
        return when_any(std::move(rest)).then([](auto left) {
          return when_all(std::move(left.futures));
        });
      });
      if (way == 0) {
        while (awaited.wait_for(5us) != future_status::ready) {
        }
      }
      auto all = awaited.get();
      if (way == 1) (void)all.wait_for(20us);
      auto futures = all.get();
      if (way == 2) futures.wait();
      for (auto& f : futures.get()) EXPECT_EQ(f.get(), 1);
    };
    if (random() % 2 == 0) {
      program();
    } else {
      rt.run(program);
    }
    expected += 3;
    ASSERT_EQ(sum, expected);
    limit.renew();
  }
}

}  // namespace
}  // namespace evencube::regression_waits_for_a_tree_test
