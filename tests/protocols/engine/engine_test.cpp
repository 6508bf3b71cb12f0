// The shipped engine (scheduler, workers, groups) in small scenes: tasks that are sent, injected or
// left behind run once, every wait ends, and every thread leaves its loop.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "engine/jobs.hpp"
#include "explored_engine.hpp"

namespace evencube::test {
namespace {

using detail::occupant;
using detail::strategy_kind;

// -- Waits and injected tasks -------------------------------------------------------------------

// The worker in the caller's seat and perhaps another one wait for a task that a thread outside
// injects.
template <unsigned Waiters>
struct wait_for_injected : explorer::scenario {
  explored_engine engine{Waiters};
  awaited_job awaited{engine};

  wait_for_injected() {
    engine.workers().take_seat(occupant::caller);
    engine.workers()
        .seat()
        .set_standby();  // the worker in the caller's seat stays: it would only sleep
  }
  [[nodiscard]] unsigned threads() const override { return 1 + Waiters; }
  void run(unsigned k) override {
    if (k == 0) {
      awaited.carried = 1;
      engine.workers().inject(awaited.work.word(), std::nullopt);
      return;
    }
    engine.at(k - 1).wait_for(awaited.group);
    require(awaited.result == 1, "the wait ended before its task");
  }
  void check() override { require(awaited.result == 1, "the task did not run"); }
};

TEST(engine, one_waits_for_an_injected_task) { expect_holds<wait_for_injected<1>>({3, 3, 2}); }
TEST(engine, two_wait_for_an_injected_task) { expect_holds<wait_for_injected<2>>({2, 2, 1}); }

TEST(engine, seeded_no_match) {
  expect_found<wait_for_injected<1>>("last sleeper gives nothing out",
                                     {harm::ignore, "waiting.match"}, "nobody can go on");
}
TEST(engine, seeded_sleepers_not_told) {
  expect_found<wait_for_injected<1>>(
      "sleepers are not told", {harm::ignore, "waiting.match: from outside"}, "nobody can go on");
}

TEST(engine, seeded_injected_task_taken_without_order) {
  expect_found<wait_for_injected<1>>("ring looked at without order",
                                     {harm::weaken, "whole_at", action::load}, "",
                                     memory_model::weak);
}

// Worker 1 and a thread outside wait for the task. The thread that serves the caller's seat runs
// it, or the waiter does.
struct wait_with_standby : explorer::scenario {
  explored_engine engine{2};
  awaited_job awaited{engine};
  countdown left{2, engine};

  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 0) {
      awaited.carried = 1;
      engine.workers().inject(awaited.work.word(), std::nullopt);
      awaited.group.wait(nullptr);
      require(awaited.result == 1, "the wait ended before its task");
      left.one_less();
    } else if (k == 1) {
      engine.at(1).wait_for(awaited.group);
      require(awaited.result == 1, "the wait ended before its task");
      left.one_less();
    } else {
      engine.serve_standby();
    }
  }
};

TEST(engine, worker_and_outsider_wait) {
  expect_holds<wait_with_standby>({2, 1, unexplored});
  expect_holds_by_chance<wait_with_standby>(10000);
}

// A worker and a thread outside wait with limits, which may pass at any moment. A wait that gave up
// is followed by a wait without a limit (waiting.limit).
struct wait_with_limits : wait_with_standby {
  static constexpr std::int64_t limit = 1000;

  void run(unsigned k) override {
    if (k == 2) return engine.serve_standby();
    if (k == 0) {
      awaited.carried = 1;
      engine.workers().inject(awaited.work.word(), std::nullopt);
    }
    engine_worker* const by = k == 1 ? &engine.at(1) : nullptr;
    const std::int64_t end = engine_policy::now() + limit;
    if (awaited.group.wait(by, end)) {
      require(awaited.result == 1, "the wait ended before its task");
    } else {
      require(engine_policy::now() >= end, "the wait gave up too early");
      require(awaited.group.wait(by), "a wait without a limit gave up");
      require(awaited.result == 1, "the second wait ended before its task");
    }
    left.one_less();
  }
};

TEST(engine, worker_and_outsider_wait_with_limits) {
  expect_holds<wait_with_limits>({1, 1, unexplored});
  expect_holds_by_chance<wait_with_limits>(10000);
}

// The worker in the caller's seat waits. A queued task is not below the awaited one, but leads to
// its end. Worker 1, which parks, sees that the queue is open to all, or is called.
template <strategy_kind Way>
struct stranded_work : explorer::scenario {
  explored_engine engine{2, Way};
  awaited_job awaited{engine};
  job queued{[this](engine_worker& by) { awaited.work.body(by); }};

  stranded_work() { engine.workers().take_seat(occupant::caller); }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return engine.serve_worker(1);
    awaited.carried = 1;
    engine.at(0).spawn(queued.word(), std::nullopt);
    engine.at(0).wait_for(awaited.group);
    require(awaited.result == 1, "the wait ended before its task");
    engine.stop();
  }
};

TEST(engine, stranded_work) { expect_holds<stranded_work<strategy_kind::none>>({3, 3, 1}); }
TEST(engine, stranded_work_that_is_pulled) {
  expect_holds<stranded_work<strategy_kind::planned>>({2, 2, unexplored});
}

TEST(engine, seeded_queue_not_opened) {
  expect_found<stranded_work<strategy_kind::none>>(
      "queue not opened to all", {harm::omit, "set_deserted", action::store}, "nobody can go on");
}
TEST(engine, seeded_queue_opened_too_late) {
  expect_found<stranded_work<strategy_kind::none>>(
      "queue opened too late", {harm::postpone, "set_deserted", action::store}, "nobody can go on");
}

// -- The caller's seat
// -------------------------------------------------------------------------------------

// The thread in the caller's seat leaves with a task in its queue for which worker 1 waits. No
// other thread comes.
template <strategy_kind Way>
struct leave_with_an_awaited_task : explorer::scenario {
  explored_engine engine{2, Way};
  awaited_job awaited{engine};

  leave_with_an_awaited_task() { engine.workers().take_seat(occupant::caller); }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 0) {
      awaited.carried = 1;
      engine.at(0).spawn(awaited.work.word(), std::nullopt);
      engine.workers().leave_seat();
      return;
    }
    engine.at(1).wait_for(awaited.group);
    require(awaited.result == 1, "the wait ended before its task");
  }
};

TEST(engine, caller_leaves_an_awaited_task) {
  expect_holds<leave_with_an_awaited_task<strategy_kind::none>>({4, 4, 2});
}
TEST(engine, caller_leaves_an_awaited_task_to_who_pulls) {
  expect_holds<leave_with_an_awaited_task<strategy_kind::planned>>({3, 3, 1});
}

TEST(engine, seeded_no_look_after_leaving) {
  expect_found<leave_with_an_awaited_task<strategy_kind::none>>(
      "no look after leaving", {harm::ignore, "seat.vacancy"}, "nobody can go on");
}

// A caller has left the seat, and the standby thread sleeps. A task that worker 1 queues needs
// another worker, because worker 1 does not wait for it as a worker.
struct asked_by_an_empty_seat : explorer::scenario {
  explored_engine engine{2, strategy_kind::planned};
  explorer::atomic<std::uint32_t> left{0};
  explorer::atomic<std::uint32_t> ran{0};
  job queued{[this](engine_worker&) { raise(ran); }};

  asked_by_an_empty_seat() {
    engine.workers().take_seat(occupant::caller);
    engine.workers().ensure_standby();
  }
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 2) return engine.serve_standby();
    if (k == 0) {
      engine.workers().leave_seat();
      return raise(left);
    }
    await(left);
    engine.at(1).spawn(queued.word(), std::nullopt);
    await(ran);
    engine.stop();
  }

 private:
  static void raise(explorer::atomic<std::uint32_t>& flag) {
    flag.store(1, std::memory_order_release);  // pairs with `await`
    engine_policy::wake(flag, 1);
  }
  static void await(explorer::atomic<std::uint32_t>& flag) {
    // Acquire: pairs with the release in `raise`.
    while (flag.load(std::memory_order_acquire) == 0) engine_policy::wait(flag, 0);
  }
};

TEST(engine, standby_gets_what_another_worker_queues) {
  expect_holds<asked_by_an_empty_seat>({2, 2, unexplored});
  expect_holds_by_chance<asked_by_an_empty_seat>(10000);
}
TEST(engine, seeded_empty_seat_asks_nobody) {
  expect_found<asked_by_an_empty_seat>("empty seat asks nobody", {harm::ignore, "seat.requests"},
                                       "nobody can go on");
}
TEST(engine, seeded_request_of_the_empty_seat_wakes_nobody) {
  expect_found<asked_by_an_empty_seat>("request of the empty seat wakes nobody",
                                       {harm::ignore, "seat.requests: standby"},
                                       "nobody can go on");
}

// Worker 0 makes two tasks in a batch, and goes on only when worker 1, which had asked for work,
// has run one of them.
struct asked_during_a_batch : explorer::scenario {
  explored_engine engine{2, strategy_kind::planned};
  explorer::atomic<std::uint32_t> ran{0};
  job older{[this](engine_worker&) {
    ran.store(1, std::memory_order_release);  // pairs with the loop in `run`
    engine_policy::wake(ran, 1);
  }};
  job newer{[](engine_worker&) {}};

  asked_during_a_batch() {
    engine.workers().take_seat(occupant::caller);
    // From now on only what was asked for is shared: pushes, which a poll is taken for, are
    // frequent.
    for (unsigned i = 0; i < 3 * detail::sharing_pace::window; ++i) engine.at(0).poll();
    require(!engine.at(0).wanted(), "every push is shared");
    engine.at(1).request_neighbours();
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return engine.serve_worker(1);
    engine_worker& self = engine.at(0);
    self.begin_batch();
    self.spawn(older.word(), std::nullopt);
    self.spawn(newer.word(), std::nullopt);
    self.end_batch();
    // Acquire: pairs with the release in `older`.
    while (ran.load(std::memory_order_acquire) == 0) engine_policy::wait(ran, 0);
    self.work_until_dry();
    engine.stop();
  }
};

TEST(engine, answers_a_request_after_a_batch) {
  expect_holds<asked_during_a_batch>({2, 2, unexplored});
  expect_holds_by_chance<asked_during_a_batch>(10000);
}
TEST(engine, seeded_batch_answers_nobody) {
  expect_found<asked_during_a_batch>("batch answers nobody",
                                     {harm::ignore, "queue.requests: batch"}, "nobody can go on");
}

// The first task from outside comes while a caller leaves the seat of a lone worker, which has no
// standby thread before.
struct left_alone : explorer::scenario {
  explored_engine engine{1};
  countdown left{2, engine};
  counted_job job_outside{left};

  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 0) {
      for (int i = 0; i < 2; ++i) {
        if (!engine.workers().take_seat(occupant::caller, this)) break;
        engine.workers().end_call_at_seat();
        engine.workers().leave_seat();
      }
      left.one_less();
    } else if (k == 1) {
      job_outside.carried = 1;
      engine.workers().inject(job_outside.work.word(), std::nullopt);
    } else {
      engine.serve_standby();
    }
  }
  void check() override { job_outside.check_run(); }
};

TEST(engine, left_alone_while_the_first_task_comes) { expect_holds<left_alone>({2, 2, 1}); }
TEST(engine, seeded_left_alone_without_order) {
  expect_found<left_alone>("lone seat left without order", {harm::postpone, "leave", action::store},
                           "nobody can go on");
}

// A message comes for worker 0 while the caller leaves the caller's seat. The thread that takes its
// place runs the task, or worker 1 does, which is idle.
template <strategy_kind Way, bool Standby>
struct mail_while_leaving : explorer::scenario {
  explored_engine engine{2, Way};
  countdown left{2, engine};
  counted_job sent{left};

  mail_while_leaving() {
    engine.workers().take_seat(occupant::caller);
    if (Standby) engine.workers().ensure_standby();
  }
  [[nodiscard]] unsigned threads() const override { return Standby ? 4 : 3; }
  void run(unsigned k) override {
    if (k == 0) {
      engine.workers().leave_seat();
      left.one_less();
    } else if (k == 1) {
      sent.carried = 1;
      engine.workers().send(0, sent.work.alone());
    } else if (k == 2) {
      engine.serve_worker(1);
    } else {
      engine.serve_standby();
    }
  }
  void check() override { sent.check_run(); }
};
using mail_to_nobody = mail_while_leaving<strategy_kind::none, false>;

TEST(engine, mail_while_the_caller_leaves) { expect_holds<mail_to_nobody>({2, 2, 1}); }
TEST(engine, mail_while_the_caller_leaves_and_others_pull) {
  expect_holds<mail_while_leaving<strategy_kind::planned, false>>({2, 1, 1});
}
TEST(engine, mail_while_the_caller_leaves_to_standby) {
  expect_holds<mail_while_leaving<strategy_kind::none, true>>({1, 1, unexplored});
  expect_holds_by_chance<mail_while_leaving<strategy_kind::none, true>>(10000);
}

TEST(engine, seeded_no_look_for_mail_after_leaving) {
  expect_found<mail_to_nobody>("no look for mail after leaving", {harm::ignore, "seat.vacancy"},
                               "nobody can go on");
}
TEST(engine, seeded_message_sent_without_release) {
  expect_found<mail_to_nobody>("message sent without release",
                               {harm::weaken, "send", action::compare_exchange}, "data race");
}

// -- Holding ------------------------------------------------------------------------------------

// Tasks and the holder write the same variable, but never at the same time.
template <bool Caller>
struct hold_while_entering : explorer::scenario {
  explored_engine engine{1};
  countdown left{Caller ? 3U : 2U, engine};
  explored::plain<unsigned> world{0};
  job work{[this](engine_worker&) {
    ++world;
    left.one_less();
  }};

  [[nodiscard]] unsigned threads() const override { return Caller ? 4 : 3; }
  void run(unsigned k) override {
    engine_workers& all = engine.workers();
    if (k == 0) {
      all.close_gate();
      ++world;
      all.settle();
      all.open_gate();
      left.one_less();
    } else if (k == 1) {
      all.inject(work.word(), std::nullopt);
    } else if (k == 2) {
      engine.serve_standby();
    } else {
      if (all.take_seat(occupant::caller)) {
        ++world;
        all.leave_seat();
      }
      left.one_less();
    }
  }
};

TEST(engine, hold_while_standby_enters) { expect_holds<hold_while_entering<false>>({2, 2, 1}); }
TEST(engine, hold_while_a_caller_enters) {
  expect_holds<hold_while_entering<true>>({1, 1, unexplored});
  expect_holds_by_chance<hold_while_entering<true>>(10000);
}
TEST(engine, seeded_holder_not_told) {
  expect_found<hold_while_entering<false>>(
      "seat left, and no holder told", {harm::omit, "change", action::wake}, "nobody can go on");
}
TEST(engine, seeded_slot_left_without_order) {
  expect_found<hold_while_entering<false>>(
      "seat left without order", {harm::postpone, "leave", action::store}, "nobody can go on");
}
TEST(engine, seeded_gate_looked_at_without_order) {
  expect_found<hold_while_entering<false>>("gate looked at without order",
                                           {harm::weaken, "closed", action::load}, "data race",
                                           memory_model::weak);
}

// -- Idle workers -------------------------------------------------------------------------------

// Threads outside inject a task each. The workers, of which the last thread is the first, sleep
// when they find nothing, and end when all is done.
template <unsigned Workers, unsigned Injectors, strategy_kind Way>
struct inject_and_stop : explorer::scenario {
  explored_engine engine{Workers, Way};
  countdown left{Injectors, engine};
  std::array<counted_job, Injectors> jobs = make(std::make_index_sequence<Injectors>{});

  template <std::size_t... I>
  std::array<counted_job, Injectors> make(std::index_sequence<I...>) {
    return {((void)I, counted_job{left})...};
  }
  [[nodiscard]] unsigned threads() const override { return Workers + Injectors; }
  void run(unsigned k) override {
    if (k < Injectors) {
      jobs[k].carried = 1;
      engine.workers().inject(jobs[k].work.word(), std::nullopt);
    } else if (k < threads() - 1) {
      engine.serve_worker(1 + k - Injectors);
    } else {
      engine.serve_standby();
    }
  }
  void check() override {
    for (const counted_job& j : jobs) j.check_run();
  }
};
using one_idle = inject_and_stop<1, 2, strategy_kind::none>;

TEST(engine, one_idle_and_two_inject) { expect_holds<one_idle>({2, 2, 1}); }
TEST(engine, two_idle_and_one_injects) {
  expect_holds<inject_and_stop<2, 1, strategy_kind::none>>({2, 1, 1});
}
TEST(engine, two_idle_and_two_inject) {
  expect_holds_by_chance<inject_and_stop<2, 2, strategy_kind::none>>(10000);
}
TEST(engine, two_who_pull_and_two_inject) {
  expect_holds_by_chance<inject_and_stop<2, 2, strategy_kind::planned>>(10000);
}

/// The scene with workers that stay awake before they park, long enough to check once more.
struct stays_awake {
  stays_awake() { engine_policy::awake_ns = 6'000; }
};
template <typename Scene>
struct awake : stays_awake, Scene {};

TEST(engine, one_awake_and_two_inject) { expect_holds<awake<one_idle>>({2, 2, 1}); }
TEST(engine, two_awake_and_one_injects) {
  expect_holds<awake<inject_and_stop<2, 1, strategy_kind::none>>>({2, 2, 1});
}
TEST(engine, two_awake_who_pull_and_two_inject) {
  expect_holds_by_chance<awake<inject_and_stop<2, 2, strategy_kind::planned>>>(5000);
}
TEST(engine, one_awake_in_a_wait_for_an_injected_task) {
  expect_holds<awake<wait_for_injected<1>>>({3, 3, 2});
}
TEST(engine, two_awake_in_a_wait_for_an_injected_task) {
  expect_holds<awake<wait_for_injected<2>>>({2, 2, 1});
}
TEST(engine, seeded_awake_not_announced) {
  expect_found<awake<one_idle>>("idle worker not announced after it was awake",
                                {harm::omit, "announce", action::fetch_or}, "nobody can go on");
}
TEST(engine, seeded_awake_in_a_wait_and_no_match) {
  expect_found<awake<wait_for_injected<1>>>("last sleeper gives nothing out after it was awake",
                                            {harm::ignore, "waiting.match"}, "nobody can go on");
}

// Threads outside inject more than the ring holds: they sleep until the only worker has made room.
template <unsigned Injectors, unsigned Each>
struct full_ring : explorer::scenario {
  explored_engine engine{1};
  countdown left{Injectors * Each, engine};
  std::array<counted_job, Injectors * Each> jobs =
      make(std::make_index_sequence<Injectors * Each>{});

  template <std::size_t... I>
  std::array<counted_job, Injectors * Each> make(std::index_sequence<I...>) {
    return {((void)I, counted_job{left})...};
  }
  [[nodiscard]] unsigned threads() const override { return Injectors + 1; }
  void run(unsigned k) override {
    if (k == Injectors) {
      engine.serve_standby();
      return;
    }
    for (unsigned i = 0; i < Each; ++i) {
      counted_job& mine = jobs[k * Each + i];
      mine.carried = 1;
      engine.workers().inject(mine.work.word(), std::nullopt);
    }
  }
  void check() override {
    for (const counted_job& j : jobs) j.check_run();
  }
};

TEST(engine, full_ring) { expect_holds<full_ring<1, 4>>({2, 2, 1}); }
TEST(engine, seeded_room_not_told) {
  expect_found<full_ring<1, 4>>("room made without waking",
                                {harm::omit, "wake_blocked", action::wake}, "nobody can go on");
}
TEST(engine, seeded_taken_without_release) {
  expect_found<full_ring<1, 4>>("word taken without order",
                                {harm::weaken, "take", action::compare_exchange},
                                "nobody can go on", memory_model::weak);
}
TEST(engine, full_ring_of_two) { expect_holds_by_chance<full_ring<2, 3>>(10000); }

// Two threads outside fill the ring in turn, while the only worker sleeps in a wait that ends only
// after all that one of them has to bring.
struct full_while_all_wait : explorer::scenario {
  explored_engine engine{1};
  countdown left{6, engine};
  awaited_job awaited{engine};
  std::array<counted_job, 5> jobs{counted_job(left), counted_job(left), counted_job(left),
                                  counted_job(left), counted_job(left)};
  job waiter{[this](engine_worker& by) {
    by.wait_for(awaited.group);
    left.one_less();
  }};

  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 2) return engine.serve_standby();
    if (k == 0) engine.workers().inject(waiter.word(), std::nullopt);
    for (unsigned i = k == 0 ? 0 : 3; i < (k == 0 ? 3U : 5U); ++i) {
      jobs[i].carried = 1;
      engine.workers().inject(jobs[i].work.word(), std::nullopt);
    }
    if (k == 0) {
      awaited.carried = 1;
      engine.workers().send(0, awaited.work.alone());
    }
  }
  void check() override {
    for (const counted_job& j : jobs) j.check_run();
  }
};

TEST(engine, full_while_all_wait) {
  expect_holds<full_while_all_wait>({1, 1, unexplored});
  expect_holds_by_chance<full_while_all_wait>(10000);
}
TEST(engine, seeded_full_ring_not_told) {
  expect_found<full_while_all_wait>("nobody is rung for a full ring",
                                    {harm::ignore, "injector.room: full"}, "nobody can go on");
}

TEST(engine, seeded_idle_not_announced) {
  expect_found<one_idle>("idle worker not announced", {harm::omit, "announce", action::fetch_or},
                         "nobody can go on");
}

// -- Priority lists
// --------------------------------------------------------------------------------------

// The workers wait for a task that a thread outside puts into a priority list: one of them takes it
// out.
template <unsigned Waiters>
struct wait_for_a_priority_list : explorer::scenario {
  explored_engine engine{Waiters};
  awaited_job awaited{engine};

  wait_for_a_priority_list() {
    engine.workers().take_seat(occupant::caller);
    engine.workers()
        .seat()
        .set_standby();  // the worker in the caller's seat stays: it would only sleep
  }
  [[nodiscard]] unsigned threads() const override { return 1 + Waiters; }
  void run(unsigned k) override {
    if (k == 0) {
      awaited.carried = 1;
      engine.enqueue(awaited.work.word(), priority::low);
      return;
    }
    engine.at(k - 1).wait_for(awaited.group);
    require(awaited.result == 1, "the wait ended before its task");
  }
  void check() override { require(awaited.result == 1, "the task did not run"); }
};

TEST(engine, one_awake_in_a_wait_for_a_priority_list) {
  expect_holds<awake<wait_for_a_priority_list<1>>>({3, 3, 2});
}
TEST(engine, one_waits_for_a_priority_list) {
  expect_holds<wait_for_a_priority_list<1>>({3, 3, 2});
}
TEST(engine, two_wait_for_a_priority_list) { expect_holds<wait_for_a_priority_list<2>>({2, 2, 1}); }

TEST(engine, seeded_priority_list_without_lock) {
  expect_found<wait_for_a_priority_list<1>>("priority_list locked without order",
                                            {harm::weaken, "unlock", action::exchange},
                                            "data race");
}

// A worker that goes on with other work brings the task that the other worker waits for. No other
// thread comes: the waiter sees the task before it parks, or is notified.
template <priority Level>
struct priority_list_of_a_busy_worker : explorer::scenario {
  explored_engine engine{2};
  awaited_job awaited{engine};

  priority_list_of_a_busy_worker() { engine.workers().take_seat(occupant::caller); }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) {
      awaited.carried = 1;
      engine.at(1).workers().enqueue(awaited.work.word(), Level);
      return;
    }
    engine.at(0).wait_for(awaited.group);
    require(awaited.result == 1, "the wait ended before its task");
  }
  void check() override { require(awaited.result == 1, "the task did not run"); }
};
using low_of_a_busy_worker = priority_list_of_a_busy_worker<priority::low>;

TEST(engine, high_of_a_busy_worker) {
  expect_holds<priority_list_of_a_busy_worker<priority::high>>({4, 4, 2});
}
TEST(engine, low_of_a_busy_worker) { expect_holds<low_of_a_busy_worker>({4, 4, 2}); }

TEST(engine, seeded_sleeper_not_told_of_the_priority_list) {
  expect_found<low_of_a_busy_worker>("who needs it is not told",
                                     {harm::ignore, "priority.notified: one"}, "nobody can go on");
}
TEST(engine, seeded_sleepers_not_roused_for_the_priority_list) {
  expect_found<low_of_a_busy_worker>("a worker that parks meanwhile is not notified",
                                     {harm::ignore, "priority.notified: all"}, "nobody can go on");
}
TEST(engine, seeded_no_look_at_the_priority_list_in_the_room) {
  expect_found<low_of_a_busy_worker>("no look before parking", {harm::ignore, "priority.seen"},
                                     "nobody can go on");
}

// Threads outside put a task into each priority list. The workers sleep when they find nothing, and
// end when all is done. Tasks that were in the priority lists before run in the order of the
// priorities.
template <unsigned Workers, unsigned Makers>
struct priority_lists_and_stop : explorer::scenario {
  explored_engine engine{Workers};
  countdown left{2 * Makers, engine};
  std::array<counted_job, 2 * Makers> jobs = make(std::make_index_sequence<2 * Makers>{});

  template <std::size_t... I>
  std::array<counted_job, 2 * Makers> make(std::index_sequence<I...>) {
    return {((void)I, counted_job{left})...};
  }
  [[nodiscard]] unsigned threads() const override { return Workers + Makers; }
  void run(unsigned k) override {
    if (k < Makers) {
      jobs[2 * k].carried = 1;
      engine.enqueue(jobs[2 * k].work.word(), priority::low);
      jobs[2 * k + 1].carried = 1;
      engine.enqueue(jobs[2 * k + 1].work.word(), priority::high);
    } else if (k < threads() - 1) {
      engine.serve_worker(1 + k - Makers);
    } else {
      engine.serve_standby();
    }
  }
  void check() override {
    for (const counted_job& j : jobs) j.check_run();
  }
};
using priority_lists_of_one = priority_lists_and_stop<1, 1>;

TEST(engine, priority_lists_of_one) { expect_holds<priority_lists_of_one>({3, 2, 1}); }
TEST(engine, priority_lists_of_two) {
  expect_holds<priority_lists_and_stop<2, 1>>({1, 1, unexplored});
  expect_holds_by_chance<priority_lists_and_stop<2, 1>>(10000);
}
TEST(engine, priority_lists_of_two_and_two_makers) {
  expect_holds_by_chance<priority_lists_and_stop<2, 2>>(10000);
}

TEST(engine, seeded_priority_list_looked_at_without_order) {
  expect_found<priority_lists_of_one>("priority_list looked at without order",
                                      {harm::weaken, "occupied", action::load}, "nobody can go on",
                                      memory_model::weak);
}
TEST(engine, seeded_priority_list_filled_without_order) {
  expect_found<priority_lists_of_one>("priority_list filled without order",
                                      {harm::postpone, "link", action::fetch_add},
                                      "nobody can go on");
}

// Tasks are in the priority lists and come from outside while no worker is there yet.
struct order_of_priority_lists : explorer::scenario {
  explored_engine engine{1};
  countdown left{4, engine};
  explored::plain<unsigned> begun{0};
  job low{[this](engine_worker&) { expect_place(3); }};
  job normal{[this](engine_worker&) { expect_place(2); }};
  job first{[this](engine_worker&) { expect_place(0); }};
  job second{[this](engine_worker&) { expect_place(1); }};

  order_of_priority_lists() {
    engine.enqueue(low.word(), priority::low);
    engine.workers().inject(normal.word(), std::nullopt);
    engine.enqueue(first.word(), priority::high);
  }
  void expect_place(unsigned place) {
    require(begun == place, "a task began before its turn");
    ++begun;
    left.one_less();
  }
  [[nodiscard]] unsigned threads() const override { return 1; }
  void run(unsigned) override {
    engine.enqueue(second.word(), priority::high);
    engine.serve_standby();
  }
};

TEST(engine, order_of_priority_lists) { expect_holds<order_of_priority_lists>({1, 1, 1}); }

// -- The end ------------------------------------------------------------------------------------

// Does what the destructor of a runtime does: waits for the remaining tasks, then stops all
// threads, which may be at work, looking for work, or parking.
template <unsigned Workers>
struct stop_while_parking : explorer::scenario {
  explored_engine engine{Workers};
  awaited_job last{engine};

  [[nodiscard]] unsigned threads() const override { return 1 + Workers; }
  void run(unsigned k) override {
    if (k == 0) {
      last.carried = 1;
      engine.workers().inject(last.work.word(), std::nullopt);
      last.group.wait(nullptr);
      require(last.result == 1, "stopped before the last task has ended");
      engine.stop();
    } else if (k < Workers) {
      engine.serve_worker(k);
    } else {
      engine.serve_standby();
    }
  }
};

TEST(engine, stop_one) { expect_holds<stop_while_parking<1>>({3, 3, 2}); }
TEST(engine, stop_two) {
  expect_holds<stop_while_parking<2>>({2, 1, unexplored});
  expect_holds_by_chance<stop_while_parking<2>>(10000);
}

TEST(engine, seeded_stop_without_waking) {
  expect_found<stop_while_parking<1>>("stop raised without waking",
                                      {harm::omit, "raise", action::wake}, "nobody can go on");
}
TEST(engine, seeded_end_without_release) {
  expect_found<stop_while_parking<1>>(
      "task ends without release", {harm::weaken, "end_by_others", action::fetch_add}, "data race");
}

// -- Waits for one another ----------------------------------------------------------------------

// Each of two workers has the task queued for which the other one waits, and neither takes from the
// other: the worker that parks last hands the tasks over.
template <strategy_kind Way>
struct crosswise : explorer::scenario {
  explored_engine engine{2, Way};
  awaited_job first{engine};
  awaited_job second{engine};

  crosswise() { engine.workers().take_seat(occupant::caller); }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    awaited_job& mine = k == 0 ? first : second;
    awaited_job& others = k == 0 ? second : first;
    mine.carried = 1;
    engine.at(k).spawn(mine.work.word(), std::nullopt);
    engine.at(k).wait_for(others.group);
    require(others.result == 1, "the wait ended before its task");
    if (k == 0) engine.workers().leave_seat();
  }
};

TEST(engine, crosswise) { expect_holds<crosswise<strategy_kind::none>>({2, 2, 1}); }
TEST(engine, crosswise_with_pulls) {
  expect_holds<crosswise<strategy_kind::planned>>({1, 1, unexplored});
  expect_holds_by_chance<crosswise<strategy_kind::planned>>(10000);
}

TEST(engine, seeded_no_match_of_queues) {
  expect_found<crosswise<strategy_kind::none>>("last sleeper gives nothing out",
                                               {harm::ignore, "waiting.match"}, "nobody can go on");
}

}  // namespace
}  // namespace evencube::test
