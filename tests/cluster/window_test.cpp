// Spawns to a rank that does not take what comes wait, so memory does not grow without limit.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/support.hpp"
#include "send_window.hpp"

namespace evencube {
namespace {

/// Takes no message while it is closed.
class closing_transport final : public test::forwarding_transport {
 public:
  closing_transport(std::unique_ptr<transport> of, const std::atomic<bool>& closed,
                    std::atomic<int>& looks)
      : forwarding_transport(std::move(of)), closed_(closed), looks_(looks) {}

  bool poll(message& into) override {
    if (!closed_) return of().poll(into);
    ++looks_;
    return false;
  }

 private:
  const std::atomic<bool>& closed_;
  std::atomic<int>& looks_;
};

constexpr std::uint64_t window = 10'000;
constexpr std::size_t argument_bytes = 1000;
/// The number of spawns that fill the window: each counts for its argument, the 8 bytes of its
/// length, and 128 bytes more.
constexpr int most_spawns = 9;

/// Rank 0 runs `spawns` while rank 1 takes nothing. `spawned` counts what has been spawned.
void fill_the_window(
    const std::function<void(cluster_group&, const cluster_task<std::string, std::size_t>&,
                             std::atomic<int>& spawned)>& spawns,
    int all) {
  const test::rank_deadline deadline("a full window");
  local_network between(2);
  std::atomic<bool> closed{false};
  std::atomic<bool> open{false};
  std::atomic<int> looks{0};
  std::atomic<int> spawned{0};
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 2; ++k) {
    threads.emplace_back([&, k] {
      cluster_options options = test::small_ranks("none");
      options.window_bytes = window;
      cluster world(
          std::make_unique<closing_transport>(between.at(k), k == 1 ? closed : open, looks),
          options);
      cluster_task<std::string, std::size_t> length;
      length = world.task<std::string, std::size_t>(
          "length", [&](cluster_context& here, const std::string& text) {
            if (!text.empty()) return text.size();
            while (spawned < all) {
              here.spawn(length, std::string(argument_bytes, 'x'), {.rank = 1});
              ++spawned;
            }
            return std::size_t{0};
          });
      cluster_group(world).wait();
      static_cast<void>(world.gather(1));
      if (k == 1) closed = true;
      cluster_group jobs(world);
      if (k == 0) {
        while (!closed) std::this_thread::yield();
        spawns(jobs, length, spawned);
      }
      std::size_t bytes = 0;
      jobs.wait([&](const std::string&, std::size_t one) { bytes += one; });
      EXPECT_EQ(bytes, k == 0 ? static_cast<std::size_t>(all) * argument_bytes : 0);
    });
  }
  while (spawned < most_spawns) std::this_thread::yield();
  // A spawn that does not wait has plenty of time for more.
  for (const int before = looks; looks < before + 50;) std::this_thread::yield();
  EXPECT_EQ(spawned, most_spawns);
  closed = false;
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(spawned, all);
}

TEST(windows, let_spawns_of_the_program_wait) {
  fill_the_window(
      [](cluster_group& jobs, const auto& length, std::atomic<int>& spawned) {
        for (int i = 0; i < 200; ++i, ++spawned) {
          jobs.spawn(length, std::string(argument_bytes, 'x'), {.rank = 1});
        }
      },
      200);
}

TEST(windows, let_spawns_of_tasks_wait) {
  fill_the_window([](cluster_group& jobs, const auto& length,
                     std::atomic<int>&) { jobs.spawn(length, std::string()); },
                  200);
}

// All workers of both ranks are in spawns, and each spawn fills the window.
TEST(windows, never_make_two_ranks_wait_for_each_other) {
  for (const bool held : {false, true}) {
    cluster_options options = test::small_ranks("none");
    options.window_bytes = 1;
    std::atomic<int> ran{0};
    test::on_ranks(2, {.seed = 5, .most_delay = 3}, options, [&](cluster& world) {
      cluster_task<int, void> nothing = world.task<int, void>("nothing", [&](int) { ++ran; });
      auto flood = world.task<int, void>("flood", [&](cluster_context& here, int count) {
        for (int i = 0; i < count; ++i) here.spawn(nothing, i, {.rank = 1 - here.rank()});
      });
      cluster_group jobs(world);
      jobs.spawn(flood, 100);
      for (int i = 0; i < 100; ++i) jobs.spawn(nothing, i, {.rank = 1 - world.rank()});
      if (held) {
        const cluster_hold still(world);
      }
      jobs.wait();
    });
    EXPECT_EQ(ran, 400);
  }
}

TEST(windows, let_no_spawn_wait_for_a_rank_that_has_left) {
  cluster_options options = test::small_ranks("none");
  options.window_bytes = 1;
  const auto thrown = test::try_on_ranks(2, {}, options, [&](cluster& world) {
    auto nothing = world.task<int, void>("nothing", [](int) {});
    cluster_group jobs(world);
    if (world.rank() == 1) return;
    for (int i = 0; i < 1000; ++i) jobs.spawn(nothing, i, {.rank = 1});
    jobs.wait();
  });
  EXPECT_NE(test::text_of(thrown[0]).find("in which rank 1 takes no part"), std::string::npos)
      << test::text_of(thrown[0]);
}

TEST(windows, have_at_least_one_byte) {
  cluster_options options = test::small_ranks("none");
  options.window_bytes = 0;
  EXPECT_THROW(
      {
        local_network between(1);
        const cluster world(between.at(0), options);
      },
      std::invalid_argument);
}

TEST(send_windows, have_room_when_all_receipts_have_come) {
  for (const std::uint64_t most : {1U, 2U, 3U, 4U, 100U, 1000U}) {
    detail::send_window one(most);
    std::uint64_t asked = 0;
    for (int i = 0; i < 100; ++i) {
      std::uint64_t on_their_way = 0;
      while (!one.full(7)) {
        ASSERT_LT(on_their_way, most);
        one.put(7, 30);
        on_their_way += 30;
        asked += one.ask(7);
        ASSERT_FALSE(one.full(6));
      }
      one.taken(7, std::exchange(asked, 0));
      ASSERT_FALSE(one.full(7)) << most;
    }
  }
}

}  // namespace
}  // namespace evencube
