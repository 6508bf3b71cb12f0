// The places of an arena (runtime/src/arenas/arenas.md).

#include <gtest/gtest.h>

#include <cstdint>
#include <evencube/detail/mailbox.hpp>
#include <evencube/detail/signal_word.hpp>
#include <evencube/detail/task.hpp>

#include "arenas/arena_core.hpp"
#include "explored.hpp"

namespace evencube::test {
namespace {

using explorer::explored;
using explorer::require;
using arena_type = detail::basic_arena<explored>;
using arenas_type = detail::basic_arenas<explored>;

struct one_place : explorer::scenario {
  arenas_type arenas;
  arena_type* const arena = new arena_type(1, 1);
  /// Written in the place. It races if two workers are there, or if the writes of the worker before
  /// are not seen.
  explored::plain<unsigned> inside{0};

  one_place() = default;
  one_place(const one_place&) = delete;
  one_place& operator=(const one_place&) = delete;
  ~one_place() override { arena->release(); }

  void work() { inside = inside + 1; }
};

// Of two arenas, neither gets all the workers that look for a parked task.
TEST(arena_places, arenas_take_turns) {
  struct two_arenas : one_place {
    arena_type* const other = new arena_type(2, 1);
    detail::task tasks[4];

    two_arenas() = default;
    two_arenas(const two_arenas&) = delete;
    two_arenas& operator=(const two_arenas&) = delete;
    ~two_arenas() override { other->release(); }
    [[nodiscard]] unsigned threads() const override { return 1; }
    void run(unsigned) override {
      detail::message begun;
      for (arena_type* const each : {arena, other}) {
        each->take();
        arenas.take_or_park(*each, detail::make_slot(&tasks[each == arena ? 0 : 1], 1), begun);
        arenas.take_or_park(*each, detail::make_slot(&tasks[each == arena ? 2 : 3], 1), begun);
        arenas.give_back(*each);
      }
      for (detail::task& next : tasks) {
        arena_type* taken = nullptr;
        require(detail::task_of(arenas.take_parked(taken)) == &next, "not the arena in turn");
        arenas.give_back(*taken);
      }
    }
    void check() override {}
  };
  expect_holds<two_arenas>({0, 0});
}

// Invariants arenas.permits, arenas.found: each worker comes upon a task; a worker that ends a task
// begins the next waiting task. When all have gone, all tasks have run, one at a time.
template <unsigned Workers>
struct tasks_wait_for_a_place : one_place {
  detail::task tasks[Workers];

  [[nodiscard]] unsigned threads() const override { return Workers; }
  void run(unsigned k) override {
    detail::message begun;
    if (!arena->take() && !arenas.take_or_park(*arena, detail::make_slot(&tasks[k], 1), begun)) {
      return;
    }
    arena_type* taken = nullptr;
    do {
      work();
    } while (arenas.give_back(*arena).parked && arenas.take_parked(taken) != 0);
  }
  void check() override {
    require(inside == Workers, "a task has not run");
    require(!arenas.waiting() && arena->has_free(), "a place was lost");
  }
};

TEST(arena_places, two_tasks_wait) { expect_holds<tasks_wait_for_a_place<2>>({8, 8}); }
TEST(arena_places, three_tasks_wait) { expect_holds<tasks_wait_for_a_place<3>>({3, 3}); }

// Invariant arenas.returned: a worker that wakes up in a wait stands in line; a task that waits
// gets the place afterwards.
struct line_for_a_place : one_place {
  detail::basic_signal_word<explored> bell;
  detail::task waits;

  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 0) {
      arena_type::waiter me{&bell};
      if (!arena->take() && !arenas.take_or_wait(*arena, me)) {
        while (!me.granted.load(std::memory_order_acquire)) {
          bell.take();
          if (me.granted.load(std::memory_order_acquire)) break;
          bell.sleep();
        }
      }
      work();
    } else {
      detail::message begun;
      if (k == 1 && !arena->take() &&
          !arenas.take_or_park(*arena, detail::make_slot(&waits, 1), begun)) {
        return;
      }
      if (k == 2 && !arena->take()) return;
      work();
    }
    arena_type* taken = nullptr;
    while (arenas.give_back(*arena).parked && arenas.take_parked(taken) != 0) work();
  }
  void check() override {
    require(inside >= 2, "somebody has got no place");
    require(!arenas.waiting() && arena->has_free(), "a place was lost");
  }
};

TEST(arena_places, one_stands_in_line) { expect_holds<line_for_a_place>({3, 3}); }

// Invariant arenas.wanted: a sleeper that was refused a place parks while another worker has the
// place, and parks again afterwards.
struct wanted_by_one_who_parks : one_place {
  detail::basic_signal_word<explored> bell;
  explored::atomic<unsigned> in_the_room{0};

  wanted_by_one_who_parks() { arena->take(); }

  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) {
      give_back();
      if (!arena->take()) return;
      give_back();
      return;
    }
    while (!arena->take() && !arenas.take_or_want(*arena)) {
      in_the_room.store(1, std::memory_order_seq_cst);
      if (!arenas.has_free_or_want(*arena)) bell.sleep();
      in_the_room.store(0, std::memory_order_relaxed);
      bell.take();
    }
    work();
    arenas.give_back(*arena);
  }
  void give_back() {
    work();
    if (arenas.give_back(*arena).wanted && in_the_room.load(std::memory_order_seq_cst) != 0) {
      bell.raise(detail::signal_work);
    }
  }
  void check() override { require(arena->has_free(), "a place was lost"); }
};

TEST(arena_places, wanted_by_one_who_parks) { expect_holds<wanted_by_one_who_parks>({6, 4, 3}); }
TEST(arena_places, seeded_word_that_is_not_left_again) {
  expect_found<wanted_by_one_who_parks>("one parks without leaving word",
                                        {harm::ignore, "arenas.wanted"}, "nobody can go on");
}

TEST(arena_places, seeded_torn_taking) {
  expect_found<tasks_wait_for_a_place<2>>("torn taking",
                                          {harm::tear, "take", action::compare_exchange}, "");
}
TEST(arena_places, seeded_taking_without_acquire) {
  expect_found<tasks_wait_for_a_place<2>>("dropped acquire where a place is taken",
                                          {harm::weaken, "take", action::compare_exchange},
                                          "data race");
}
TEST(arena_places, seeded_leaving_without_release) {
  expect_found<tasks_wait_for_a_place<2>>("dropped release where a place is left",
                                          {harm::weaken, "leave", action::compare_exchange},
                                          "data race");
}
TEST(arena_places, seeded_waiter_that_is_not_announced) {
  expect_found<tasks_wait_for_a_place<2>>(
      "torn look before a task waits", {harm::tear, "take_or_announce", action::compare_exchange},
      "");
}

}  // namespace
}  // namespace evencube::test
