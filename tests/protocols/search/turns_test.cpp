// No task waits for ever while others come without end: tasks from outside, of queues and mailboxes
// that nobody looks after, set aside, or parked in arenas (injector.turns in
// runtime/src/queues/injector.md).

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "engine/jobs.hpp"
#include "explored_engine.hpp"

namespace evencube::test {
namespace {

using detail::occupant;
using detail::strategy_kind;

// A task that the worker runs, and that makes a successor of itself, `most` times in all. No more
// than `patience` of them may begin one after another while another task waits.
class chain {
 public:
  static constexpr unsigned most = 4 * explored::turn;
  using queueing = std::function<void(engine_worker&, job&)>;

  // pass_on(worker, task) queues each successor.
  chain(countdown& left, unsigned patience, std::function<bool()> other_waits, queueing pass_on)
      : left_(left),
        patience_(patience),
        other_waits_(std::move(other_waits)),
        pass_on_(std::move(pass_on)) {
    add();
  }
  [[nodiscard]] job& first() noexcept { return *links_[0]; }
  void go_on(engine_worker& by) {
    since_ = other_waits_() ? since_ + 1 : 0;
    require(since_ <= patience_, "a task starves");
    if (made_ == most) return left_.one_less();
    pass_on_(by, add());
  }

  static void spawn(engine_worker& by, job& next) { by.spawn(next.word(), std::nullopt, {}); }
  static queueing inject_into(explored_engine& engine) {
    return [&engine](engine_worker&, job& next) {
      engine.workers().inject(next.word(), std::nullopt);
    };
  }
  static queueing send_to_the_seat(explored_engine& engine) {
    return [&engine](engine_worker&, job& next) { engine.workers().send(0, next.alone()); };
  }

 private:
  job& add() {
    return links_[made_++].emplace([this](engine_worker& by) { go_on(by); });
  }

  countdown& left_;
  const unsigned patience_;
  const std::function<bool()> other_waits_;
  const queueing pass_on_;
  unsigned made_ = 0;
  unsigned since_ = 0;  // links that began while the other task waited
  std::array<std::optional<job>, most> links_;
};

// A worker finds a task from outside while mail comes for it: a task that makes successors of
// itself. With no strategy, nobody else may take what lies in this worker's queue.
struct outside_next_to_mail : explorer::scenario {
  explored_engine engine{2, strategy_kind::none};
  countdown left{2, engine};
  counted_job injected{left};
  chain own{left, 2, [this] { return injected.runs == 0 && !engine.workers().injected(); },
            chain::spawn};

  outside_next_to_mail() { engine.workers().take_seat(occupant::caller); }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return engine.serve_worker(1);
    injected.carried = 1;
    engine.workers().inject(injected.work.word(), std::nullopt);
    engine.workers().send(1, own.first().alone());
  }
  void check() override { injected.check_run(); }
};

TEST(turns, outside_next_to_mail) { expect_holds<outside_next_to_mail>({2, 2, unexplored}); }

// Two tasks lie in the mailbox of the caller's seat, which is vacant. The worker that takes one of
// them hides the other one for a moment, in which the second worker may look and go to sleep. The
// task that was taken ends after the other one, so the second worker must be told of it.
struct rest_of_deserted_mail : explorer::scenario {
  explored_engine engine{3, strategy_kind::none};
  countdown left{2, engine};
  explorer::atomic<std::uint32_t> ran{0};
  job older{[this](engine_worker&) {
    ran.store(1, std::memory_order_release);
    engine_policy::wake(ran, 1);
    left.one_less();
  }};
  job newer{[this](engine_worker&) {
    while (ran.load(std::memory_order_acquire) == 0) engine_policy::wait(ran, 0);
    left.one_less();
  }};

  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k != 0) return engine.serve_worker(k);
    detail::message both;
    both.add_newest(older.word());
    both.add_newest(newer.word());
    engine.workers().send(0, both);
  }
  void check() override { require(ran.load(std::memory_order_relaxed) == 1, "a task was lost"); }
};

TEST(turns, rest_of_deserted_mail) { expect_holds<rest_of_deserted_mail>({2, 2, unexplored}); }

// Tasks come from outside without end, and a task lies in the mailbox of the caller's seat, which
// is vacant.
struct stream_next_to_what_is_left : explorer::scenario {
  explored_engine engine{2, strategy_kind::none};
  countdown left{2, engine};
  counted_job deserted{left};
  explorer::atomic<bool> sent{false};
  chain stream{left, 2 * explored::turn,
               [this] { return sent.load(std::memory_order_relaxed) && deserted.runs == 0; },
               chain::inject_into(engine)};

  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return engine.serve_worker(1);
    deserted.carried = 1;
    engine.workers().inject(stream.first().word(), std::nullopt);
    engine.workers().send(0, deserted.work.alone());
    sent.store(true, std::memory_order_relaxed);
  }
  void check() override { deserted.check_run(); }
};

TEST(turns, stream_next_to_what_is_left) {
  expect_holds<stream_next_to_what_is_left>({2, 2, unexplored});
}
TEST(turns, seeded_stream_before_what_is_left) {
  expect_found<stream_next_to_what_is_left>("tasks from outside always come first",
                                            {harm::ignore, "injector.turns: between"}, "starves");
}

// The ring is full, and threads in blocking scopes bring tasks without end, which are set aside.
struct ring_next_to_what_is_set_aside : explorer::scenario {
  explored_engine engine{2, strategy_kind::none};
  countdown left{3, engine};
  std::array<counted_job, 2> jobs{counted_job(left), counted_job(left)};
  explorer::atomic<bool> sent{false};
  chain stream{left, explored::turn,
               [this] { return sent.load(std::memory_order_relaxed) && jobs[0].runs == 0; },
               chain::inject_into(engine)};

  ring_next_to_what_is_set_aside() { engine.block_all(); }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return engine.serve_worker(1);
    for (counted_job& each : jobs) {
      each.carried = 1;
      engine.workers().inject(each.work.word(), std::nullopt);
    }
    sent.store(true, std::memory_order_relaxed);
    engine.workers().inject(stream.first().word(), std::nullopt);
  }
  void check() override {
    for (const counted_job& each : jobs) each.check_run();
  }
};

TEST(turns, ring_next_to_what_is_set_aside) {
  expect_holds<ring_next_to_what_is_set_aside>({2, 2, unexplored});
}
TEST(turns, seeded_ring_after_what_is_set_aside) {
  expect_found<ring_next_to_what_is_set_aside>("what is set aside always comes first",
                                               {harm::ignore, "injector.turns: ring"}, "starves");
}

// A worker in a blocking scope has left a task in its queue, and tasks are mailed to it without
// end.
struct queue_next_to_deserted_mail : explorer::scenario {
  explored_engine engine{2, strategy_kind::none};
  countdown left{2, engine};
  counted_job queued{left};
  explorer::atomic<bool> sent{false};
  chain mailed{left, 1, [this] { return sent.load(std::memory_order_relaxed) && queued.runs == 0; },
               chain::send_to_the_seat(engine)};

  queue_next_to_deserted_mail() { engine.workers().take_seat(occupant::caller); }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return engine.serve_worker(1);
    queued.carried = 1;
    engine.at(0).spawn(queued.work.word(), std::nullopt);
    engine.workers().begin_blocking(engine.at(0));
    sent.store(true, std::memory_order_relaxed);
    engine.workers().send(0, mailed.first().alone());
  }
  void check() override { queued.check_run(); }
};

TEST(turns, queue_next_to_deserted_mail) {
  expect_holds<queue_next_to_deserted_mail>({2, 2, unexplored});
}
TEST(turns, seeded_deserted_mail_before_the_queue) {
  expect_found<queue_next_to_deserted_mail>("the mail of a place comes before its queue",
                                            {harm::ignore, "injector.turns: queue"}, "starves");
}

// A worker in a scope has a task in its queue. Tasks are mailed without end to another worker,
// which sleeps in a scope, too.
struct places_take_turns : explorer::scenario {
  explored_engine engine{3, strategy_kind::none};
  countdown left{2, engine};
  counted_job queued{left};
  explorer::atomic<bool> sent{false};
  chain mailed{left, 2, [this] { return sent.load(std::memory_order_relaxed) && queued.runs == 0; },
               chain::send_to_the_seat(engine)};

  places_take_turns() { engine.workers().take_seat(occupant::caller); }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return engine.serve_worker(2);
    engine.workers().begin_blocking(engine.at(0));
    queued.carried = 1;
    engine.at(1).spawn(queued.work.word(), std::nullopt);
    engine.workers().begin_blocking(engine.at(1));
    sent.store(true, std::memory_order_relaxed);
    engine.workers().send(0, mailed.first().alone());
  }
  void check() override { queued.check_run(); }
};

TEST(turns, places_take_turns) { expect_holds<places_take_turns>({2, 2, unexplored}); }
TEST(turns, seeded_same_place_first) {
  expect_found<places_take_turns>("the search always begins at the same place",
                                  {harm::ignore, "injector.turns: places"}, "starves");
}

// The only worker sleeps in a wait, and takes what lies in the mailbox of the vacant seat: a task
// for which it waits, and one that it does not need. Then it has tasks of its own without end.
struct left_while_all_sleep : explorer::scenario {
  explored_engine engine{2, strategy_kind::none};
  countdown left{2, engine};
  awaited_job awaited{engine};
  counted_job deserted{left};
  chain own{left, 2 * explored::turn, [this] { return deserted.runs == 0; }, chain::spawn};
  job waiter{[this](engine_worker& by) {
    by.wait_for(awaited.group);
    own.go_on(by);
  }};

  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return engine.serve_worker(1);
    deserted.carried = 1;
    awaited.carried = 1;
    engine.workers().send(1, waiter.alone());
    engine.workers().send(0, deserted.work.alone());
    engine.workers().send(0, awaited.work.alone());
  }
  void check() override { deserted.check_run(); }
};

TEST(turns, left_while_all_sleep) { expect_holds<left_while_all_sleep>({2, 2, unexplored}); }
TEST(turns, seeded_left_to_the_last_sleeper) {
  expect_found<left_while_all_sleep>("the last sleeper keeps what was left",
                                     {harm::ignore, "injector.turns: aside"}, "starves");
}

// A task comes from outside while the only worker sleeps in a wait. Afterwards the worker has tasks
// of its own without end.
struct outside_while_all_sleep : explorer::scenario {
  explored_engine engine{1};
  countdown left{2, engine};
  awaited_job awaited{engine};
  counted_job brought{left};
  chain own{left, 2 * explored::turn, [this] { return brought.runs == 0; }, chain::spawn};
  job waiter{[this](engine_worker& by) {
    by.wait_for(awaited.group);
    own.go_on(by);
  }};

  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return engine.serve_standby();
    brought.carried = 1;
    awaited.carried = 1;
    engine.workers().inject(waiter.word(), std::nullopt);
    engine.workers().inject(brought.work.word(), std::nullopt);
    engine.workers().send(0, awaited.work.alone());
  }
  void check() override { brought.check_run(); }
};

TEST(turns, outside_while_all_sleep) { expect_holds<outside_while_all_sleep>({2, 2, unexplored}); }
TEST(turns, seeded_outside_while_all_sleep) {
  expect_found<outside_while_all_sleep>("nobody is called while all sleep",
                                        {harm::ignore, "injector.turns: to sleepers"}, "starves");
}

// A worker sleeps in a wait over a task in its queue, which it does not need and on which the end
// of its wait depends. The last worker that goes to sleep takes this task, and has tasks of its own
// without end afterwards.
struct left_by_a_sleeper : explorer::scenario {
  explored_engine engine{3, strategy_kind::none};
  countdown left{3, engine};
  awaited_job first{engine};
  awaited_job second{engine};
  explorer::atomic<bool> spawned{false};
  bool ran = false;
  job deserted{[this](engine_worker&) {
    ran = true;
    left.one_less();
    engine.workers().send(0, first.work.alone());
  }};
  chain own{left, 3 * explored::turn,
            [this] { return spawned.load(std::memory_order_relaxed) && !ran; }, chain::spawn};
  job sleeper{[this](engine_worker& by) {
    by.spawn(deserted.word(), std::nullopt, {});
    spawned.store(true, std::memory_order_relaxed);
    by.wait_for(first.group);
    left.one_less();
  }};
  job last{[this](engine_worker& by) {
    by.wait_for(second.group);
    own.go_on(by);
  }};

  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k != 0) return engine.serve_worker(k);
    first.carried = 1;
    second.carried = 1;
    engine.workers().send(1, sleeper.alone());
    engine.workers().send(2, last.alone());
    engine.workers().send(0, second.work.alone());
  }
  void check() override { require(ran, "a task was lost"); }
};

TEST(turns, left_by_a_sleeper) { expect_holds<left_by_a_sleeper>({1, 1, unexplored}); }
TEST(turns, seeded_left_by_a_sleeper) {
  expect_found<left_by_a_sleeper>("the last sleeper keeps what another one left",
                                  {harm::ignore, "injector.turns: aside"}, "starves");
}

// A task of a sleeper is set aside. Then the sleeper comes to need it, while the other worker is
// busy until the sleeper's wait has ended.
struct wait_for_what_is_set_aside : explorer::scenario {
  explored_engine engine{3, strategy_kind::none};
  countdown left{2, engine};
  awaited_job first{engine};
  awaited_job second{engine};
  awaited_job set_aside{engine};
  explorer::atomic<std::uint32_t> ended{0};
  job sleeper{[this](engine_worker& by) {
    by.spawn(set_aside.work.word(), std::nullopt, {});
    by.wait_for(first.group);
    by.wait_for(set_aside.group);
    require(set_aside.result == 1, "the wait ended before its task");
    ended.store(1, std::memory_order_release);
    engine_policy::wake(ended, 1);
    left.one_less();
  }};
  job last{[this](engine_worker& by) {
    by.wait_for(second.group);
    first.work.body(by);
    while (ended.load(std::memory_order_acquire) == 0) engine_policy::wait(ended, 0);
    left.one_less();
  }};

  wait_for_what_is_set_aside() {
    first.carried = 1;
    second.carried = 1;
    set_aside.carried = 1;
  }
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k != 0) return engine.serve_worker(k);
    engine.workers().send(1, sleeper.alone());
    engine.workers().send(2, last.alone());
    engine.workers().send(0, second.work.alone());
  }
};

TEST(turns, wait_for_what_is_set_aside) {
  expect_holds<wait_for_what_is_set_aside>({1, 1, unexplored});
}
TEST(turns, seeded_wait_that_does_not_look_aside) {
  expect_found<wait_for_what_is_set_aside>("a wait does not look among what was set aside",
                                           {harm::ignore, "waiting.match: aside"},
                                           "nobody can go on");
}

// Mail comes for a spare worker that is parked. It sleeps on its bell, but does not take the mail.
struct mail_for_a_parked_spare_worker : explorer::scenario {
  explored_engine engine{2, strategy_kind::none, 1};
  countdown left{1, engine};
  counted_job mailed{left};

  mail_for_a_parked_spare_worker() { engine.workers().take_seat(occupant::caller); }
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 1) return engine.serve_worker(1);
    if (k == 2) return engine.serve_spare(2);
    mailed.carried = 1;
    engine.workers().send(2, mailed.work.alone());
  }
  void check() override { mailed.check_run(); }
};

TEST(turns, mail_for_a_parked_spare_worker) {
  expect_holds<mail_for_a_parked_spare_worker>({2, 2, unexplored});
}

// A task waits for a permit, which becomes free while the worker is awake and mail comes for it: a
// task that makes successors of itself.
struct parked_next_to_mail : explorer::scenario {
  explored_engine engine{2, strategy_kind::none};
  countdown left{2, engine};
  detail::basic_arena<engine_policy>* const arena = new detail::basic_arena<engine_policy>(1, 1);
  engine_group group{engine.workers(), nullptr};
  counted_job parked{left};
  job before{[](engine_worker&) {}};
  explorer::atomic<bool> free{false};
  chain own{left, 2, [this] { return free.load(std::memory_order_relaxed) && parked.runs == 0; },
            chain::spawn};

  parked_next_to_mail() {
    group.put_into(*arena);
    parked.work.parent_ = &group;
    engine.at(1).expect_arenas();
    arena->take();
    engine.workers().take_seat(occupant::caller);
  }
  parked_next_to_mail(const parked_next_to_mail&) = delete;
  parked_next_to_mail& operator=(const parked_next_to_mail&) = delete;
  ~parked_next_to_mail() override { arena->release(); }

  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return engine.serve_worker(1);
    parked.carried = 1;
    detail::message begun;
    auto& arenas = engine.workers().arenas();
    arenas.take_or_park(*arena, parked.work.word(), begun);
    engine.workers().send(1, before.alone());
    if (arenas.give_back(*arena).parked) engine.workers().notify_of_permit(false);
    free.store(true, std::memory_order_relaxed);
    engine.workers().send(1, own.first().alone());
  }
  void check() override { parked.check_run(); }
};

TEST(turns, parked_next_to_mail) { expect_holds<parked_next_to_mail>({2, 2, unexplored}); }
TEST(turns, seeded_parked_next_to_mail) {
  expect_found<parked_next_to_mail>("the loop looks for no parked task",
                                    {harm::ignore, "arenas.found: loop"}, "starves");
}

// Each task that was parked in an arena parks another one there, and the first has queued a task.
struct own_next_to_parked : explorer::scenario {
  explored_engine engine{2, strategy_kind::none};
  countdown left{2, engine};
  detail::basic_arena<engine_policy>* const arena = new detail::basic_arena<engine_policy>(1, 1);
  engine_group group{engine.workers(), nullptr};
  counted_job queued{left};
  bool spawned = false;
  chain parked{left, 2, [this] { return spawned && queued.runs == 0; },
               [this](engine_worker& by, job& next) {
                 if (!spawned) by.spawn(queued.work.word(), std::nullopt, {});
                 spawned = true;
                 park(next);
               }};

  own_next_to_parked() {
    queued.carried = 1;
    engine.at(1).expect_arenas();
    engine.workers().take_seat(occupant::caller);
    arena->take();
  }
  own_next_to_parked(const own_next_to_parked&) = delete;
  own_next_to_parked& operator=(const own_next_to_parked&) = delete;
  ~own_next_to_parked() override { arena->release(); }

  void park(job& next) {
    next.parent_ = &group;
    detail::message begun;
    engine.workers().arenas().take_or_park(*arena, next.word(), begun);
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return engine.serve_worker(1);
    group.put_into(*arena);
    park(parked.first());
    engine.workers().arenas().give_back(*arena);
    engine.workers().notify_of_permit(false);
  }
  void check() override { queued.check_run(); }
};

TEST(turns, own_next_to_parked) { expect_holds<own_next_to_parked>({2, 2, unexplored}); }
TEST(turns, seeded_parked_before_own) {
  expect_found<own_next_to_parked>("parked tasks always come first",
                                   {harm::ignore, "arenas.found: own"}, "starves");
}

}  // namespace
}  // namespace evencube::test
