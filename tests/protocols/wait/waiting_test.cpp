// Waiting for a group (runtime/src/wait/waiting.md): the count, its sleepers and its end.

#include <gtest/gtest.h>

#include <cstdint>
#include <evencube/detail/group_count.hpp>
#include <evencube/detail/signal_word.hpp>
#include <memory>
#include <mutex>

#include "explored.hpp"
#include "wait/waiting_room.hpp"

namespace evencube::test {
namespace {

using explorer::explored;
using explorer::require;
using count = detail::basic_group_count<explored>;

using signals = detail::basic_signal_word<explored>;

// A group with `Tasks` tasks that others run. Invariants waiting.counts, waiting.asleep,
// waiting.last-touch: the owner's wait ends, sees what the tasks wrote, and may drop the group at
// once.
template <unsigned Tasks>
struct last_task_ends : explorer::scenario {
  signals owner;
  std::unique_ptr<count> group = std::make_unique<count>();
  explored::plain<int> result[Tasks];

  last_task_ends() { group->add_by_owner(Tasks); }
  [[nodiscard]] unsigned threads() const override { return 1 + Tasks; }
  void run(unsigned k) override {
    if (k != 0) {
      result[k - 1] = 1;
      if (group->end_by_others(1).owner_sleeps) owner.raise(detail::signal_done);
      return;
    }
    while (!group->done_for_owner()) {
      owner.take();
      if (!group->begin_sleep()) break;
      owner.sleep();
      group->end_sleep();
    }
    group.reset();
    for (auto& r : result) require(r == 1, "the wait ended before its tasks");
  }
};

TEST(waiting, last_task_ends_while_the_owner_parks) { expect_holds<last_task_ends<2>>({8, 8}); }
TEST(waiting, three_tasks_end) { expect_holds<last_task_ends<3>>({5, 5}); }

TEST(waiting, seeded_end_without_release) {
  expect_found<last_task_ends<2>>("dropped release at a task's end",
                                  {harm::weaken, "end_by_others", action::fetch_add}, "data race");
}
TEST(waiting, seeded_torn_end) {
  expect_found<last_task_ends<2>>("torn count", {harm::tear, "end_by_others", action::fetch_add},
                                  "");
}
TEST(waiting, seeded_sleep_without_a_mark) {
  expect_found<last_task_ends<2>>("owner sleeps without a mark",
                                  {harm::omit, "begin_sleep", action::fetch_add}, "");
}

// Others than the owner wait: who ends the group finds the word that they left and then them, in
// the room. The word must come second.
template <unsigned Waiters>
struct others_wait : explorer::scenario {
  using room_type = detail::basic_waiting_room<explored>;

  room_type room;
  signals bells[Waiters];
  detail::node target{nullptr};
  count group;
  explored::plain<int> result{0};

  others_wait() { group.add_by_others(); }
  [[nodiscard]] unsigned threads() const override { return 1 + Waiters; }
  void run(unsigned k) override {
    if (k != 0) return wait(bells[k - 1]);
    result = 1;
    if (!group.end_by_others(1).others_wait) return;
    const std::lock_guard lock(room);
    room.ring(&target);
  }
  void wait(signals& bell) {
    room_type::sleeper self{&target, &bell};
    while (!group.done_for_others()) {
      bell.take();
      {
        const std::lock_guard lock(room);
        room.enter(self);
      }
      if (group.announce_waiter()) bell.sleep();
      const std::lock_guard lock(room);
      room.leave(self);
    }
    require(result == 1, "the wait ended before its task");
  }
};

TEST(waiting, another_parks_while_the_group_ends) { expect_holds<others_wait<1>>({8, 8}); }
TEST(waiting, two_others_park) { expect_holds<others_wait<2>>({4, 4}); }

TEST(waiting, seeded_lost_wake_up_of_another) {
  expect_found<others_wait<1>>("word left for nobody",
                               {harm::omit, "announce_waiter", action::fetch_or},
                               "nobody can go on");
}
TEST(waiting, seeded_torn_word) {
  expect_found<others_wait<1>>("torn word", {harm::tear, "announce_waiter", action::fetch_or}, "");
}
TEST(waiting, seeded_room_open_to_all) {
  expect_found<others_wait<2>>("torn lock of the room",
                               {harm::tear, "lock", action::compare_exchange}, "");
}

}  // namespace
}  // namespace evencube::test
