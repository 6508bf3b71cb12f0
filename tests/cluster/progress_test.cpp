// Which threads look for messages, and when: progress threads rest, and workers look between tasks.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/support.hpp"

namespace evencube {
namespace {

using test::small_ranks;

/// A transport whose rank's progress thread rests until the test wakes it.
class sleepers_transport final : public test::forwarding_transport {
 public:
  sleepers_transport(std::unique_ptr<transport> of, const std::atomic<bool>& sleeps)
      : forwarding_transport(std::move(of)), sleeps_(sleeps) {}

  [[nodiscard]] bool any_thread_may_call() const noexcept override { return true; }
  void rest(std::chrono::microseconds most) override {
    sleeps_.wait(true);
    of().rest(most);
  }

 private:
  const std::atomic<bool>& sleeps_;
};

// Rank 0 gives work to rank 1 while the progress thread of rank 1 sleeps: the worker of rank 1
// takes the work.
TEST(progress, is_made_by_workers_between_tasks) {
  for (const std::string balancer : {"oem", "lifelines", "random_stealing"}) {
    const test::rank_deadline deadline("a worker that looks", std::chrono::minutes(1));
    std::atomic<bool> sleeps{false};
    std::atomic<bool> ran_on_1{false};
    local_network between(2);
    std::vector<std::thread> threads;
    for (unsigned k = 0; k < 2; ++k) {
      threads.emplace_back([&, k] {
        std::unique_ptr<transport> over = between.at(k);
        if (k == 0) over = std::make_unique<sleepers_transport>(std::move(over), sleeps);
        cluster world(std::move(over), small_ranks(balancer));
        cluster_task<int, void> go_on;
        go_on = world.task<int, void>("go on", [&](cluster_context& here, int number) {
          // The task also runs this on rank 0: rank 0 may have seen no load on rank 1 and then have
          // sent its thread to sleep.
          if (here.rank() == 1 || ran_on_1) {
            if (here.rank() == 1) ran_on_1 = true;
            sleeps = false;
            sleeps.notify_all();
          } else {
            sleeps = true;
            here.spawn(go_on, number);
          }
        });
        cluster_group jobs(world);
        for (int i = 0; k == 0 && i < 8; ++i) jobs.spawn(go_on, i);
        jobs.wait();
      });
    }
    for (std::thread& each : threads) each.join();
    EXPECT_TRUE(ran_on_1) << balancer;
  }
}
/// A transport that reports from its first long message on that it is sending, which proceeds only
/// while a thread polls, until its rank has rested `most_rests` times.
class slow_senders_transport final : public test::forwarding_transport {
 public:
  using forwarding_transport::forwarding_transport;

  [[nodiscard]] bool sending() const noexcept override {
    return 0 < rests_ && rests_ <= most_rests;
  }
  void send(unsigned to, std::vector<std::byte> bytes) override {
    if (bytes.size() > long_message && rests_ == 0) rests_ = 1;
    of().send(to, std::move(bytes));
  }
  void rest(std::chrono::microseconds most) override {
    if (sending()) {
      ++rests_;
      longest_ = std::max(longest_, most);
    }
    of().rest(most);
  }

  [[nodiscard]] std::chrono::microseconds longest_rest() const noexcept { return longest_; }
  static constexpr std::size_t long_message = 10'000;
  static constexpr int most_rests = 40;
  /// The number of times that it has rested.
  [[nodiscard]] int rests() const noexcept { return rests_; }

 private:
  std::atomic<int> rests_{0};
  std::chrono::microseconds longest_{0};
};

// The other rank would have to wait for the rest of the message for as long as this rank rests.
TEST(progress, is_made_without_long_rests_while_a_message_is_on_its_way) {
  const test::rank_deadline deadline("a slow sender", std::chrono::minutes(1));
  local_network between(2);
  std::vector<std::thread> threads;
  std::chrono::microseconds longest{0};
  std::atomic<slow_senders_transport*> sender{nullptr};
  for (unsigned k = 0; k < 2; ++k) {
    threads.emplace_back([&, k] {
      auto own = std::make_unique<slow_senders_transport>(between.at(k));
      slow_senders_transport* const slow = own.get();
      if (k == 0) sender = slow;
      cluster world(std::move(own), small_ranks("none"));
      auto stay = world.task<std::vector<char>, void>("stay", [&](const std::vector<char>&) {
        while (sender.load()->rests() <= slow_senders_transport::most_rests) {
          std::this_thread::yield();
        }
      });
      cluster_group jobs(world);
      if (k == 0) jobs.spawn(stay, std::vector<char>(2 * slow->long_message), {.rank = 1});
      jobs.wait();
      static_cast<void>(world.gather(0));
      if (k == 0) longest = slow->longest_rest();
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_GT(longest, std::chrono::microseconds(0));
  EXPECT_LE(longest, std::chrono::microseconds(20));
}

}  // namespace
}  // namespace evencube
