// The links between futures (runtime/src/futures/futures.md): an attachment against an end, waits
// that give up, and how long futures are held.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "explored.hpp"
#include "explored_future.hpp"
#include "wait/waiting.hpp"

namespace evencube::test {
namespace {

using explorer::explored;
using explorer::require;

struct links : explored {
  static std::int64_t now() { return now_ns(); }
};
using core = detail::basic_future_core<links>;
using future = explored_future<links>;
using kind = future::kind;

/// Some futures and the news of their ends.
template <unsigned Futures>
struct futures_scene : explorer::scenario {
  detail::basic_waiting_room<links> room;
  explored_news<links> news{room};
  std::array<future::fate, Futures> fates{};

  /// The work of a worker that has begun the task. It has the hold of the task's slot.
  void run_begun(future* begun) {
    while (begun != nullptr) {
      begun->compute();
      bool nobody = false;
      auto* const ready = static_cast<future*>(begun->settle(false, news, nobody));
      if (ready != nullptr) {
        ready->release();
        news.changed();
      }
      begun->drop();
      // Another thread may have begun it meanwhile.
      if (ready != nullptr && !ready->begin()) {
        ready->drop();
        return;
      }
      begun = ready;
    }
  }
  /// The work of a worker that takes the slot out of its queue.
  void run_slot(future* queued) {
    if (queued->begin()) {
      run_begun(queued);
    } else {
      queued->drop();
    }
  }
  /// `then`: the future passes on its hold of the antecedent.
  void go_on(future* antecedent, future* consumer) {
    if (antecedent->attach(*consumer, 0)) return;
    consumer->release();
    run_slot(consumer);
  }
  /// Checks how often each task has run, and that nothing is left.
  void check_fates(std::array<unsigned, Futures> runs) const {
    for (unsigned i = 0; i < Futures; ++i) {
      require(fates[i].runs == runs[i], "a task was lost or ran twice");
    }
    for (const future::fate& f : fates) require(f.gone == 1, "a future was not dropped once");
  }
};

// -- Attaching during the end -------------------------------------------------------------------

// A future ends while it is continued (futures.attach-or-end).
struct continue_while_ending : futures_scene<2> {
  future* a = new future(fates[0]);

  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 0) return run_slot(a);
    auto* const c = new future(fates[1], kind::then, {a});
    go_on(a, c);
    c->drop();
  }
  void check() override { check_fates({1, 1}); }
};

TEST(future_links, continue_while_ending) { expect_holds<continue_while_ending>({8, 8}); }

TEST(future_links, seeded_no_second_look) {
  expect_found<continue_while_ending>("attached without a second look",
                                      {harm::ignore, "futures.attach-or-end"}, "lost or ran twice");
}
TEST(future_links, seeded_not_marked_as_continued) {
  expect_found<continue_while_ending>(
      "not marked as continued", {harm::omit, "attach", action::fetch_or}, "lost or ran twice");
}
TEST(future_links, seeded_torn_mark) {
  expect_found<continue_while_ending>("torn mark", {harm::tear, "attach", action::fetch_or}, "");
}
TEST(future_links, seeded_torn_end) {
  expect_found<continue_while_ending>("torn end", {harm::tear, "settle", action::fetch_or}, "");
}
TEST(future_links, seeded_end_without_order) {
  expect_found<continue_while_ending>("end without order",
                                      {harm::weaken, "settle", action::fetch_or}, "data race",
                                      memory_model::weak);
}
TEST(future_links, seeded_end_seen_without_order) {
  expect_found<continue_while_ending>("end seen without order",
                                      {harm::weaken, "done", action::load}, "data race",
                                      memory_model::weak);
}
TEST(future_links, seeded_dropped_without_order) {
  expect_found<continue_while_ending>("hold dropped without order",
                                      {harm::weaken, "drop", action::fetch_add}, "data race",
                                      memory_model::weak);
}
TEST(future_links, seeded_torn_hold) {
  expect_found<continue_while_ending>("torn hold", {harm::tear, "drop", action::fetch_add}, "");
}

// The futures of a `when_any` are taken out after one has ended. The other one is continued while
// it ends (L2: the second consumer, or none, and the first one is let go once).
struct continue_again_while_ending : futures_scene<4> {
  future* ended = new future(fates[0]);
  future* a = new future(fates[1]);
  future* any = new future(fates[2], kind::any, {ended, a});

  continue_again_while_ending() {
    run_slot(ended);
    detail::attach_all<links>(*any, news);
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 0) return run_slot(a);
    require(any->done() && any->first == 0, "the one that has ended was not the first");
    a->share();  // moved out of the result
    any->take_from_antecedents();
    any->drop();
    auto* const c = new future(fates[3], kind::then, {a});
    go_on(a, c);
    c->drop();
  }
  void check() override { check_fates({1, 1, 0, 1}); }
};

TEST(future_links, continue_again_while_ending) {
  expect_holds<continue_again_while_ending>({8, 8});
}

TEST(future_links, seeded_lock_without_order) {
  expect_found<continue_again_while_ending>("lock given back without order",
                                            {harm::weaken, "unlock", action::exchange}, "data race",
                                            memory_model::weak);
}

// -- Several ------------------------------------------------------------------------------------

// Two futures end while one thread makes the future that needs both or any of them, and continues
// that future (L3, L4).
template <kind What>
struct join_while_ending : futures_scene<4> {
  std::array<future*, 2> tasks{new future(fates[0]), new future(fates[1])};

  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k < 2) return run_slot(tasks[k]);
    auto* const both = new future(fates[2], What, {tasks[0], tasks[1]});
    detail::attach_all<links>(*both, news);
    auto* const c = new future(fates[3], kind::then, {both});
    go_on(both, c);
    core::hold_type last(c);
    while (!c->done()) links::pause();
    if constexpr (What == kind::all) {
      require(c->value == 3, "it went on before all have ended");
    } else {
      require(c->value == 2 || c->value == 3, "it went on before one has ended");
    }
  }
  void check() override { check_fates({1, 1, 0, 1}); }
};
using join_all = join_while_ending<kind::all>;
using join_any = join_while_ending<kind::any>;

TEST(future_links, all_end_while_joined) { expect_holds<join_all>({3, 3, 1}); }
TEST(future_links, any_ends_while_joined) { expect_holds<join_any>({3, 3, 1}); }

TEST(future_links, seeded_torn_count_of_those_missing) {
  expect_found<join_all>("torn count of those missing",
                         {harm::tear, "has_arrived", action::fetch_add}, "");
}
TEST(future_links, seeded_torn_election_of_the_first) {
  expect_found<join_any>("torn election of the first",
                         {harm::tear, "has_arrived", action::exchange}, "");
}

// The number of the first belongs to a future that has ended, and both futures are there for the
// asker (futures.any).
struct first_of_two : futures_scene<3> {
  std::array<future*, 2> tasks{new future(fates[0]), new future(fates[1])};
  future* any = new future(fates[2], kind::any, {tasks[0], tasks[1]});

  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k < 2) return run_slot(tasks[k]);
    detail::attach_all<links>(*any, news);
    const detail::future_wait<links> wait{*any};
    detail::wait_outside(room, wait);
    const std::size_t first = any->first;
    require(first < 2 && tasks[first]->done(), "the first one has not ended");
    any->take_from_antecedents();
    any->drop();
  }
  void check() override { check_fates({1, 1, 0}); }
};

TEST(future_links, first_of_two) { expect_holds<first_of_two>({3, 3, 1}); }

// Two futures end while one thread makes the race of both and waits for it: it ends after both and
// after one decision, whose number is there (futures.race).
struct race_of_two : futures_scene<3> {
  std::array<future*, 2> tasks{new future(fates[0]), new future(fates[1])};
  future* race = new future(fates[2], {tasks[0], tasks[1]});

  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k < 2) return run_slot(tasks[k]);
    detail::attach_all<links>(*race, news);
    const detail::future_wait<links> wait{*race};
    detail::wait_outside(room, wait);
    require(tasks[0]->done() && tasks[1]->done(), "one of them has not ended");
    require(race->decisions() == 1, "it was not decided once");
    require(race->first < 2, "there is no first one");
    race->take_from_antecedents();
    race->drop();
  }
  void check() override { check_fates({1, 1, 0}); }
};

TEST(future_links, race_of_two) { expect_holds<race_of_two>({3, 3, 1}); }

TEST(future_links, seeded_torn_decision_of_a_race) {
  expect_found<race_of_two>("torn decision", {harm::tear, "has_arrived", action::fetch_and}, "");
}

// -- Waits --------------------------------------------------------------------------------------

// A thread outside waits until the future ends, or gives up (futures.waits). Its future is dropped
// at once.
template <bool Limited>
struct wait_while_ending : futures_scene<1> {
  future* a = new future(fates[0]);

  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 0) return run_slot(a);
    const detail::future_wait<links> wait{*a};
    if constexpr (Limited) {
      detail::future_wait<links> inner{*a};
      const detail::limited_wait<links, detail::future_wait<links>> limited{inner,
                                                                            links::now() + 1000};
      detail::wait_outside(room, limited);
      require(a->done() || links::now() >= limited.deadline_ns, "it gave up too early");
    } else {
      detail::wait_outside(room, wait);
      require(a->done(), "the wait ended before its task");
    }
    if (a->done()) require(a->result() == 1, "the result is not there");
    a->drop();
  }
  void check() override { check_fates({1}); }
};

TEST(future_links, wait_while_ending) { expect_holds<wait_while_ending<false>>({8, 8}); }
TEST(future_links, give_up_while_ending) { expect_holds<wait_while_ending<true>>({8, 8}); }

TEST(future_links, seeded_no_word_left) {
  expect_found<wait_while_ending<false>>("no word left for the end",
                                         {harm::omit, "announce_waiter", action::fetch_or},
                                         "nobody can go on");
}
TEST(future_links, seeded_torn_word) {
  expect_found<wait_while_ending<false>>(
      "torn word", {harm::tear, "announce_waiter", action::fetch_or}, "nobody can go on");
}

// -- Ways through the links ---------------------------------------------------------------------

// A waiter goes down to the future that a continuation needs, and up again. Meanwhile one thread
// ends that future and runs the continuation, and another one drops all holds it can
// (futures.holders, waiting.down, waiting.up).
struct walk_while_ending : futures_scene<2> {
  future* a = new future(fates[0]);
  future* c = new future(fates[1], kind::then, {a});

  walk_while_ending() {
    require(a->attach(*c, 0), "it has not ended");
    c->share();  // the waiter's hold
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 0) {
      run_slot(a);
      c->drop();
      return;
    }
    const core::hold_type root(c);
    std::uint32_t position = 0;
    if (const core::hold_type below = c->antecedent(position)) {
      require(below.get() == a && position == 0, "the way down leads somewhere else");
      std::uint32_t place = 9;
      bool anew = false;
      if (const core::hold_type above = below->consumer(place, anew)) {
        require(above.get() == c && place == 0, "the way up leads somewhere else");
      }
    }
  }
  void check() override { check_fates({1, 1}); }
};

TEST(future_links, walk_while_ending) { expect_holds<walk_while_ending>({6, 6}); }

TEST(future_links, seeded_taken_out_past_the_lock) {
  expect_found<walk_while_ending>("taken out past the lock",
                                  {harm::ignore, "futures.attach-or-end: lock"}, "");
}

// A waiter goes down and up through two links, of which the upper one is given away: `any` has been
// ended by another future, and the future that ends now goes to the new consumer.
struct walk_while_moved : futures_scene<4> {
  future* ended = new future(fates[0]);
  future* a = new future(fates[1]);
  future* any = new future(fates[2], kind::any, {ended, a});

  walk_while_moved() {
    detail::attach_all<links>(*any, news);
    any->share();  // the waiter's hold
  }
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 0) {
      run_slot(ended);
      while (!any->done()) links::pause();
      a->share();  // moved out of the result
      any->take_from_antecedents();
      any->drop();
      auto* const c = new future(fates[3], kind::then, {a});
      go_on(a, c);
      c->drop();
    } else if (k == 1) {
      run_slot(a);
    } else {
      const core::hold_type root(any);
      std::uint32_t position = 0;
      if (const core::hold_type below = any->antecedent(position)) {
        std::uint32_t place = 9;
        bool anew = false;
        const core::hold_type above = below->consumer(place, anew);
        require(!above || place == (above.get() == any ? position : 0), "a wrong place");
      }
    }
  }
  void check() override { check_fates({1, 1, 0, 1}); }
};

TEST(future_links, walk_while_moved) { expect_holds<walk_while_moved>({2, 2, 1}); }

TEST(future_links, seeded_torn_lock_of_the_links) {
  expect_found<walk_while_moved>("torn lock of the links",
                                 {harm::tear, "lock", action::compare_exchange}, "");
}

// -- Claims -------------------------------------------------------------------------------------

// The holder of the slot and two waiters would run the task: one of them does, and for the others
// the slot is empty (futures.claim).
struct claim : futures_scene<1> {
  future* a = new future(fates[0]);

  claim() { a->share(); }
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned) override { run_slot(a); }
  void check() override { check_fates({1}); }
};

TEST(future_links, claim) { expect_holds<claim>({6, 6}); }

TEST(future_links, seeded_torn_claim) {
  expect_found<claim>("torn claim", {harm::tear, "begin", action::fetch_or}, "");
}
TEST(future_links, seeded_claim_not_written_down) {
  expect_found<claim>("claim not written down", {harm::omit, "begin", action::fetch_or}, "");
}

}  // namespace
}  // namespace evencube::test
