// Spare workers that hold the places of those that block (runtime/src/life/blocking.md), on the
// shipped engine.

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "explored_engine.hpp"

namespace evencube::test {
namespace {

using detail::occupant;
using explorer::explored;
using explorer::require;

/// What a task blocks for, which the engine knows nothing of.
class flag {
 public:
  void set() {
    word_.store(1, std::memory_order_release);
    explored::wake(word_, 1);
  }
  void await() {
    while (word_.load(std::memory_order_acquire) == 0) explored::wait(word_, 0);
  }

 private:
  explorer::atomic<std::uint32_t> word_{0};
};

/// Worker 0 sits in the caller's seat and blocks; worker 1 is a spare one.
struct one_place : explorer::scenario {
  explored_engine engine{1, detail::strategy_kind::none, 1};
  flag wanted;

  one_place() {
    engine.workers().take_seat(occupant::caller);
    engine.workers()
        .seat()
        .set_standby();  // who sits in the caller's seat stays: it would only sleep
  }
  engine_worker& worker() { return engine.at(0); }
  void block() {
    const bool was_busy = engine.workers().begin_blocking(worker());
    wanted.await();
    engine.workers().end_blocking(worker(), was_busy);
  }
};

// For a task in its own queue.
struct block_for_an_own_task : one_place {
  explored::plain<unsigned> runs{0};
  job work{[this](engine_worker&) {
    ++runs;
    wanted.set();
  }};

  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) {
      engine.serve_spare(1);
      return;
    }
    worker().spawn(work.word(), std::nullopt);
    block();
    require(runs == 1, "the scope ended before its task");
    engine.workers().stop();
  }
};

TEST(blocking, for_an_own_task) { expect_holds<block_for_an_own_task>({2, 2, 1}); }

// For a task that comes from outside, or was sent to it, while it goes away.
template <bool Sent>
struct block_for_what_comes : one_place {
  explored::plain<unsigned> carried{0};
  job work{[this](engine_worker&) {
    require(carried == 1, "what the task carries is not there");
    wanted.set();
  }};

  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 1) {
      engine.serve_spare(1);
    } else if (k == 2) {
      carried = 1;
      if (Sent) {
        engine.workers().send(0, work.alone());
      } else {
        engine.workers().inject(work.word(), std::nullopt);
      }
    } else {
      block();
      engine.workers().stop();
    }
  }
};

TEST(blocking, for_what_is_sent) { expect_holds<block_for_what_comes<true>>({2, 1, 1}); }
TEST(blocking, for_what_is_injected) { expect_holds<block_for_what_comes<false>>({2, 1, 1}); }

TEST(blocking, seeded_absence_looked_at_without_order) {
  expect_found<block_for_what_comes<true>>("absence looked at without order",
                                           {harm::weaken, "absent", action::load},
                                           "nobody can go on", memory_model::weak);
}

// The spare worker's task leaves another one behind, which is run, by whoever it may be.
struct left_by_a_spare : one_place {
  explored::plain<unsigned> runs{0};
  job left{[this](engine_worker&) {
    ++runs;
    engine.workers().stop();
  }};
  job work{[this](engine_worker& by) {
    wanted.set();
    by.spawn(left.word(), std::nullopt);
  }};

  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) {
      engine.serve_spare(1);
      return;
    }
    worker().spawn(work.word(), std::nullopt);
    block();
    engine.serve_worker(0);
  }
  void check() override { require(runs == 1, "what a spare worker held was lost or run twice"); }
};

TEST(blocking, left_by_a_spare) { expect_holds<left_by_a_spare>({2, 2, 1}); }

// The spare worker waits for a task that lies in the queue of the one that blocks.
struct spare_waits : one_place {
  engine_group group{engine.workers(), nullptr};
  job below{[this](engine_worker& by) { group.finish(&by); }};
  job above{[this](engine_worker& by) {
    by.wait_for(group);
    wanted.set();
  }};

  spare_waits() {
    below.parent_ = &group;
    group.add(nullptr);
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) {
      engine.serve_spare(1);
      return;
    }
    worker().spawn(above.word(), std::nullopt);
    worker().spawn(below.word(), std::nullopt);
    block();
    engine.workers().stop();
  }
};

TEST(blocking, spare_waits) { expect_holds<spare_waits>({1, 1, 1}); }
TEST(blocking, seeded_no_match_for_a_spare) {
  expect_found<spare_waits>("last sleeper gives nothing out", {harm::ignore, "waiting.match"},
                            "nobody can go on");
}

// The only spare worker blocks in a task that it has begun for a place which it no longer holds,
// while the owner of that place blocks once more, for what then stands in its queue.
struct taken_over : one_place {
  flag spare_blocks;
  flag owner_blocks;
  job work{[this](engine_worker& by) {
    const bool was_busy = engine.workers().begin_blocking(by);
    spare_blocks.set();
    owner_blocks.await();
    engine.workers().end_blocking(by, was_busy);
  }};
  job last{[this](engine_worker&) { wanted.set(); }};

  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) {
      engine.serve_spare(1);
      return;
    }
    worker().spawn(work.word(), std::nullopt);
    bool was_busy = engine.workers().begin_blocking(worker());
    spare_blocks.await();
    engine.workers().end_blocking(worker(), was_busy);
    worker().spawn(last.word(), std::nullopt);
    was_busy = engine.workers().begin_blocking(worker());
    owner_blocks.set();
    wanted.await();
    engine.workers().end_blocking(worker(), was_busy);
    engine.workers().stop();
  }
};

TEST(blocking, taken_over) { expect_holds<taken_over>({2, 1, 1}); }
TEST(blocking, seeded_no_place_taken_over) {
  expect_found<taken_over>("parks though a place is empty", {harm::ignore, "blocking.one-holder"},
                           "nobody can go on");
}

// More comes from outside than the ring holds, while the only worker blocks and has nobody in its
// place: it blocks until all has been queued.
struct full_while_all_block : explorer::scenario {
  explored_engine engine{1};
  flag wanted;
  explored::plain<unsigned> runs{0};
  job work[3] = {job{[this](engine_worker&) { ++runs; }}, job{[this](engine_worker&) { ++runs; }},
                 job{[this](engine_worker&) { ++runs; }}};

  full_while_all_block() {
    engine.workers().take_seat(occupant::caller);
    engine.workers().seat().set_standby();  // as in `one_place`
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) {
      for (job& one : work) engine.workers().inject(one.word(), std::nullopt);
      wanted.set();
      return;
    }
    const bool was_busy = engine.workers().begin_blocking(engine.at(0));
    wanted.await();
    engine.workers().end_blocking(engine.at(0), was_busy);
    engine.at(0).work_until_dry();
    require(runs == 3, "a task was lost");
  }
};

TEST(blocking, full_while_all_block) { expect_holds<full_while_all_block>({2, 2, 1}); }
TEST(blocking, seeded_nobody_makes_room) {
  expect_found<full_while_all_block>("producers are not told that nobody makes room",
                                     {harm::ignore, "injector.room"}, "nobody can go on");
}

// A holder acts for the worker that blocks, until that comes back.
struct held_meanwhile : one_place {
  /// As the private part of a queue: its owner's, or the holder's.
  explored::plain<unsigned> owned{0};
  explorer::atomic<unsigned> left{2};

  void one_less() {
    if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) engine.workers().stop();
  }
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 1) {
      engine.serve_spare(1);
    } else if (k == 2) {
      engine.workers().close_gate();
      engine.workers().settle();
      ++owned;
      engine.workers().open_gate();
      one_less();
    } else {
      ++owned;
      const bool was_busy = engine.workers().begin_blocking(worker());
      engine.workers().end_blocking(worker(), was_busy);
      ++owned;
      engine.workers().leave_seat();
      one_less();
    }
  }
  void check() override { require(owned == 3, "the holder did not stand alone"); }
};

TEST(blocking, held_meanwhile) {
  expect_holds<held_meanwhile>({1, 1, unexplored});
  expect_holds_by_chance<held_meanwhile>(2000);
}
TEST(blocking, seeded_no_stand_after_blocking) {
  expect_found<held_meanwhile>("goes on though it is held", {harm::ignore, "blocking.counted"},
                               "data race");
}

}  // namespace
}  // namespace evencube::test
