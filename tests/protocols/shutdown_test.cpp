// Shutdown (runtime/docs/shutdown.md): what was begun is done, then every worker leaves its loop.

#include <gtest/gtest.h>

#include <cstdint>
#include <evencube/detail/group_count.hpp>
#include <evencube/detail/signal_word.hpp>
#include <vector>

#include "explored.hpp"
#include "falling_asleep.hpp"
#include "injection_queue.hpp"

namespace evencube::test {
namespace {

using explorer::explored;
using explorer::require;

// The destructor's thread injects a last task, waits for the tracker and stops the workers, which
// may be at work, looking for it, or lying down.
template <unsigned Workers>
struct stop_while_lying_down : explorer::scenario {
  struct guest_wait {
    detail::basic_group_count<explored>& group;
    [[nodiscard]] bool begin_sleep() const { return group.announce_waiter(); }
    void end_sleep() const {}
  };

  detail::basic_injection_queue<explored> injection{2};
  detail::basic_idle_set<explored> idle{Workers};
  detail::basic_signal_word<explored> bells[Workers];
  detail::basic_group_count<explored> tracker;
  detail::basic_signal_word<explored> outside;
  explored::atomic<bool> outside_waits{false};
  explored::atomic<std::uint32_t> blocked{0};
  explored::plain<int> result{0};
  unsigned run_tasks = 0;

  [[nodiscard]] unsigned threads() const override { return 1 + Workers; }
  void run(unsigned k) override {
    if (k == 0) {
      tracker.add_elsewhere();
      require(injection.push(1), "the queue is not full");
      idle.wake_one([this](std::uint32_t w) { bells[w].raise(detail::signal_work); });
      while (!tracker.done_elsewhere()) {
        if (outside.raised()) outside.take();
        detail::sleep_waiting(guest_wait{tracker}, outside_waits, blocked, outside,
                              [] { return false; });
      }
      require(result == 1, "stopped before the last task has ended");
      for (auto& bell : bells) bell.raise(detail::signal_stop);
      return;
    }
    auto& bell = bells[k - 1];
    for (;;) {
      if (bell.raised() && (bell.take() & detail::signal_stop) != 0) return;
      std::vector<std::uint64_t> taken;
      if (injection.take(1, taken) != 0) {
        result = 1;
        ++run_tasks;
        if (tracker.end_elsewhere(1).others_wait) {
          detail::wake_stranded(outside_waits, outside, detail::signal_done);
        }
      } else {
        detail::sleep_idle(
            idle, k - 1, [this] { return injection.ready(); }, [&] { bell.sleep(); });
      }
    }
  }
  void check() override { require(run_tasks == 1, "the last task was lost or run twice"); }
};
using one_worker = stop_while_lying_down<1>;

TEST(shutdown, stop_while_lying_down) { expect_holds<one_worker>({6, 5}); }
TEST(shutdown, stop_two_workers) { expect_holds<stop_while_lying_down<2>>({3, 2}); }

TEST(shutdown, seeded_stop_bit_lost) {
  expect_found<one_worker>("stop bit lost: torn exchange", {harm::tear, "take", action::exchange},
                           "nobody can go on");
}
TEST(shutdown, seeded_stop_without_waking) {
  expect_found<one_worker>("stop raised without waking", {harm::omit, "raise", action::wake},
                           "nobody can go on");
}
TEST(shutdown, seeded_tracker_ends_without_release) {
  expect_found<one_worker>("tracker ends without release",
                           {harm::weaken, "end_elsewhere", action::fetch_add}, "data race");
}

}  // namespace
}  // namespace evencube::test
