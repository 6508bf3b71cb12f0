// Waiting for a group (runtime/docs/waiting.md): the count, its sleepers and its end.

#include <gtest/gtest.h>

#include <cstdint>
#include <evencube/detail/group_count.hpp>
#include <evencube/detail/signal_word.hpp>
#include <evencube/detail/split_deque.hpp>
#include <memory>
#include <vector>

#include "explored.hpp"
#include "falling_asleep.hpp"

namespace evencube::test {
namespace {

using explorer::explored;
using explorer::require;
using count = detail::basic_group_count<explored>;

struct home_wait {
  count& group;
  [[nodiscard]] bool done() const { return group.done_at_home(); }
  [[nodiscard]] bool begin_sleep() const { return group.begin_sleep(); }
  void end_sleep() const { group.end_sleep(); }
};
struct guest_wait {
  count& group;
  [[nodiscard]] bool done() const { return group.done_elsewhere(); }
  [[nodiscard]] bool begin_sleep() const { return group.announce_waiter(); }
  void end_sleep() const {}
};

// What others know of a worker that may sleep in a wait.
struct waiter {
  detail::basic_signal_word<explored> bell;
  explored::atomic<bool> stranded{false};

  template <typename Wait, typename Found>
  void wait(const Wait& wait, explored::atomic<std::uint32_t>& blocked, Found&& found) {
    while (!wait.done()) {
      if (bell.raised()) bell.take();
      detail::sleep_waiting(wait, stranded, blocked, bell, found);
    }
  }
};

// A group with `Tasks` tasks that others run. Invariants G1 to G3: the home's wait ends, sees what
// the tasks wrote, and may drop the group at once.
template <unsigned Tasks>
struct last_task_ends : explorer::scenario {
  waiter home;
  explored::atomic<std::uint32_t> blocked{0};
  std::unique_ptr<count> group = std::make_unique<count>();
  explored::plain<int> result[Tasks];

  last_task_ends() { group->add_at_home(Tasks); }
  [[nodiscard]] unsigned threads() const override { return 1 + Tasks; }
  void run(unsigned k) override {
    if (k != 0) {
      result[k - 1] = 1;
      const count::ending last = group->end_elsewhere(1);
      if (last.home_sleeps) home.bell.raise(detail::signal_done);
      return;
    }
    home.wait(home_wait{*group}, blocked, [] { return false; });
    group.reset();
    for (auto& r : result) require(r == 1, "the wait ended before its tasks");
  }
};

TEST(waiting, last_task_ends_while_the_home_lies_down) { expect_holds<last_task_ends<2>>({8, 8}); }
TEST(waiting, three_tasks_end) { expect_holds<last_task_ends<3>>({5, 5}); }

TEST(waiting, seeded_end_without_release) {
  expect_found<last_task_ends<2>>("dropped release at a task's end",
                                  {harm::weaken, "end_elsewhere", action::fetch_add}, "data race");
}
TEST(waiting, seeded_torn_end) {
  expect_found<last_task_ends<2>>("torn count", {harm::tear, "end_elsewhere", action::fetch_add},
                                  "");
}
TEST(waiting, seeded_sleep_without_a_mark) {
  expect_found<last_task_ends<2>>("home sleeps without a mark",
                                  {harm::omit, "begin_sleep", action::fetch_add}, "");
}

// A worker waits for a group that is not its own: who ends the group wakes it if it finds it
// stranded. The mark on the group must come second.
template <unsigned Guests>
struct guests_wait : explorer::scenario {
  waiter guest[Guests];
  explored::atomic<std::uint32_t> blocked{0};
  count group;
  explored::plain<int> result;

  guests_wait() { group.add_elsewhere(); }
  [[nodiscard]] unsigned threads() const override { return 1 + Guests; }
  void run(unsigned k) override {
    if (k != 0) {
      guest[k - 1].wait(guest_wait{group}, blocked, [] { return false; });
      require(result == 1, "the wait ended before its task");
      return;
    }
    result = 1;
    if (!group.end_elsewhere(1).others_wait) return;
    for (waiter& w : guest) detail::wake_stranded(w.stranded, w.bell, detail::signal_done);
  }
};

TEST(waiting, guest_lies_down_while_the_group_ends) { expect_holds<guests_wait<1>>({12, 12}); }
TEST(waiting, two_guests_lie_down) { expect_holds<guests_wait<2>>({6, 5}); }

TEST(waiting, seeded_lost_wake_up_of_a_guest) {
  expect_found<guests_wait<1>>("guest marked stranded too late",
                               {harm::postpone, "sleep_waiting", action::store},
                               "nobody can go on");
}

// A worker lies down in a wait with work in its queue while another one lies down without any: one
// of them sees the other (invariant I), the work is done, and its end wakes the first.
struct stranded_work : explorer::scenario {
  waiter home;
  detail::basic_idle_set<explored> idle{2};
  detail::basic_signal_word<explored> idle_bell;
  detail::basic_split_deque<explored> queue{8};
  explored::atomic<std::uint32_t> blocked{0};
  count group;

  stranded_work() {
    group.add_at_home(1);
    queue.push(16);
    queue.share(1, [](detail::slot_word, std::uint32_t) {});
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  bool rescue() {
    if (!home.stranded.load(std::memory_order_seq_cst)) return false;
    std::vector<detail::slot_word> taken;
    if (queue.claim(1, taken) == 0) return false;
    if (group.end_elsewhere(1).home_sleeps) home.bell.raise(detail::signal_done);
    return true;
  }
  void run(unsigned k) override {
    if (k == 0) {
      home.wait(home_wait{group}, blocked, [this] {
        if (queue.shared_length() > 0) {
          idle.wake_one([this](std::uint32_t) { idle_bell.raise(detail::signal_work); });
        }
        return false;
      });
      return;
    }
    bool done = false;
    while (!done && !(done = rescue())) {
      if (idle_bell.raised()) idle_bell.take();
      detail::sleep_idle(
          idle, 1, [&] { return done = rescue(); }, [&] { idle_bell.sleep(); });
    }
  }
};

TEST(waiting, stranded_work) { expect_holds<stranded_work>({8, 8}); }

TEST(waiting, seeded_stranded_after_the_idle_were_looked_at) {
  expect_found<stranded_work>("stranded after the look at the idle",
                              {harm::postpone, "sleep_waiting", action::store}, "nobody can go on");
}

}  // namespace
}  // namespace evencube::test
