// Tasks that only a worker without work would take: from outside, and left in queues and mailboxes
// that nobody looks after (injector.turns in runtime/src/queues/injector.md). They begin although
// workers never run out of tasks of their own.

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

// The origin of a task that only a worker without work would take.
enum class from { outside, blocking_worker };

// Such tasks come one after another while the only busy worker makes a successor of each of its own
// tasks. It takes both kinds in turn.
template <from Source>
struct call : explorer::scenario {
  static constexpr unsigned brought = Source == from::outside ? 2 : 1;
  static constexpr unsigned most = 10;
  explored_engine engine{2};
  countdown left{brought + 1, engine};
  std::array<counted_job, 2> jobs{counted_job(left), counted_job(left)};
  explorer::atomic<unsigned> here{0};  // number of queued tasks
  // own: tasks of the worker; since: those since a brought task was to begin
  unsigned own = 0;
  unsigned since = 0;
  std::array<std::optional<job>, most> successors;

  call() { engine.workers().take_seat(occupant::caller); }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 0) {
      for (unsigned i = 0; i < brought; ++i) {
        jobs[i].carried = 1;
        if (Source == from::outside) {
          engine.workers().inject(jobs[i].work.word(), std::nullopt);
        } else {
          engine.at(0).spawn(jobs[i].work.word(), std::nullopt);
          engine.workers().begin_blocking(engine.at(0));
        }
        here.fetch_add(1, std::memory_order_relaxed);
      }
      return;
    }
    renew(engine.at(1));
    engine.serve_worker(1);
  }
  void renew(engine_worker& by) {
    unsigned begun = 0;
    while (begun != brought && jobs[begun].runs == 1) ++begun;
    since = here.load(std::memory_order_relaxed) > begun ? since + 1 : 0;
    require(since <= 2 * explored::turn + 1, "work from outside starves");
    if (own == most) {
      left.one_less();
      return;
    }
    successors[own].emplace([this](engine_worker& w) { renew(w); });
    by.spawn(successors[own++]->word(), std::nullopt, {});
  }
  void check() override {
    for (unsigned i = 0; i < brought; ++i) jobs[i].check_run();
  }
};
using call_from_outside = call<from::outside>;
using call_from_a_scope = call<from::blocking_worker>;

// In the weak memory model, loads may give the old value any number of times.
TEST(calls, call) { expect_holds<call_from_outside>({2, 2, unexplored}); }
TEST(calls, call_from_a_scope) { expect_holds<call_from_a_scope>({2, 2, unexplored}); }

TEST(calls, seeded_nobody_called) {
  expect_found<call_from_outside>("nobody is called",
                                  {harm::ignore, "injector.turns: from outside"}, "starves");
}
TEST(calls, seeded_nobody_called_for_what_is_left) {
  expect_found<call_from_a_scope>("nobody is called for what is left",
                                  {harm::ignore, "injector.turns: left"}, "starves");
}
TEST(calls, seeded_call_ended_too_early) {
  expect_found<call_from_outside>("the end of a call overlooks what has come",
                                  {harm::ignore, "injector.turns: again"}, "starves");
}

// A worker is called for a task from outside while mail comes for it. The mailed task ends after
// the task from outside. The other worker, which is idle, runs that task.
struct call_next_to_mail : explorer::scenario {
  explored_engine engine{3, strategy_kind::planned};
  countdown left{2, engine};
  counted_job injected{left};
  explorer::atomic<std::uint32_t> ran{0};
  job first{[this](engine_worker& by) {
    injected.work.body(by);
    ran.store(1, std::memory_order_release);
    engine_policy::wake(ran, 1);
  }};
  job mail{[this](engine_worker&) {
    while (ran.load(std::memory_order_acquire) == 0) engine_policy::wait(ran, 0);
    left.one_less();
  }};

  call_next_to_mail() { engine.workers().take_seat(occupant::caller); }
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k != 0) return engine.serve_worker(k);
    injected.carried = 1;
    engine.workers().send(1, mail.alone());
    engine.workers().inject(first.word(), std::nullopt);
  }
  void check() override { injected.check_run(); }
};

TEST(calls, call_next_to_mail) { expect_holds<call_next_to_mail>({2, 1, unexplored}); }

TEST(calls, seeded_call_lost_next_to_mail) {
  expect_found<call_next_to_mail>("a worker with mail keeps its call",
                                  {harm::ignore, "parking.calls"}, "nobody can go on");
}

// A task that the worker runs, and that makes a successor of itself, `most` times in all.
class chain {
 public:
  static constexpr unsigned most = 4 * explored::turn;

  // check() is called by each of them, and pass_on(worker, task) queues each successor.
  chain(countdown& left, std::function<void()> check,
        std::function<void(engine_worker&, const job&)> pass_on)
      : left_(left), check_(std::move(check)), pass_on_(std::move(pass_on)) {
    add();
  }
  [[nodiscard]] const job& first() const noexcept { return *links_[0]; }
  void go_on(engine_worker& by) {
    check_();
    if (made_ == most) return left_.one_less();
    pass_on_(by, add());
  }

  static void spawn(engine_worker& by, const job& next) { by.spawn(next.word(), std::nullopt, {}); }

 private:
  const job& add() {
    return links_[made_++].emplace([this](engine_worker& by) { go_on(by); });
  }

  countdown& left_;
  const std::function<void()> check_;
  const std::function<void(engine_worker&, const job&)> pass_on_;
  unsigned made_ = 0;
  std::array<std::optional<job>, most> links_;
};

// A worker finds a task from outside while mail comes for it: a task that makes successors of
// itself. With no strategy, nobody else may take what lies in this worker's queue.
struct outside_next_to_mail : explorer::scenario {
  explored_engine engine{2, strategy_kind::none};
  countdown left{2, engine};
  counted_job injected{left};
  unsigned since = 0;  // tasks of the worker since the task from outside had left the injector
  chain own{left,
            [this] {
              since = injected.runs == 0 && !engine.workers().injected() ? since + 1 : 0;
              require(since <= 2, "work from outside starves");
            },
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

TEST(calls, outside_next_to_mail) { expect_holds<outside_next_to_mail>({2, 2, unexplored}); }

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

TEST(calls, rest_of_deserted_mail) { expect_holds<rest_of_deserted_mail>({2, 2, unexplored}); }

// Tasks come from outside without end, and a task lies in the mailbox of the caller's seat, which
// is vacant.
struct stream_next_to_what_is_left : explorer::scenario {
  explored_engine engine{2, strategy_kind::none};
  countdown left{2, engine};
  counted_job deserted{left};
  explorer::atomic<bool> sent{false};
  unsigned since = 0;
  chain stream{left,
               [this] {
                 since = sent.load(std::memory_order_relaxed) && deserted.runs == 0 ? since + 1 : 0;
                 require(since <= 2 * explored::turn, "a task that was left starves");
               },
               [this](engine_worker&, const job& next) {
                 engine.workers().inject(next.word(), std::nullopt);
               }};

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

TEST(calls, stream_next_to_what_is_left) {
  expect_holds<stream_next_to_what_is_left>({2, 2, unexplored});
}
TEST(calls, seeded_stream_before_what_is_left) {
  expect_found<stream_next_to_what_is_left>("tasks from outside always come first",
                                            {harm::ignore, "injector.turns: between"}, "starves");
}

// The ring is full, and threads in blocking scopes bring tasks without end, which are set aside.
struct ring_next_to_what_is_set_aside : explorer::scenario {
  explored_engine engine{2, strategy_kind::none};
  countdown left{3, engine};
  std::array<counted_job, 2> jobs{counted_job(left), counted_job(left)};
  explorer::atomic<bool> sent{false};
  unsigned since = 0;
  chain stream{left,
               [this] {
                 const bool waits = sent.load(std::memory_order_relaxed) && jobs[0].runs == 0;
                 since = waits ? since + 1 : 0;
                 require(since <= explored::turn, "a task in the ring starves");
               },
               [this](engine_worker&, const job& next) {
                 engine.workers().inject(next.word(), std::nullopt);
               }};

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

TEST(calls, ring_next_to_what_is_set_aside) {
  expect_holds<ring_next_to_what_is_set_aside>({2, 2, unexplored});
}
TEST(calls, seeded_ring_after_what_is_set_aside) {
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
  unsigned since = 0;
  chain mailed{left,
               [this] {
                 since = sent.load(std::memory_order_relaxed) && queued.runs == 0 ? since + 1 : 0;
                 require(since <= 1, "a task in the queue starves");
               },
               [this](engine_worker&, const job& next) { engine.workers().send(0, next.alone()); }};

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

TEST(calls, queue_next_to_deserted_mail) {
  expect_holds<queue_next_to_deserted_mail>({2, 2, unexplored});
}

// The only worker sleeps in a wait, and takes what lies in the mailbox of the vacant seat: a task
// for which it waits, and one that it does not need. Then it has tasks of its own without end.
struct left_while_all_sleep : explorer::scenario {
  explored_engine engine{2, strategy_kind::none};
  countdown left{2, engine};
  awaited_job awaited{engine};
  counted_job deserted{left};
  unsigned since = 0;
  chain own{left,
            [this] {
              since = deserted.runs == 0 ? since + 1 : 0;
              require(since <= 2 * explored::turn, "a task that was left starves");
            },
            chain::spawn};
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

TEST(calls, left_while_all_sleep) { expect_holds<left_while_all_sleep>({2, 2, unexplored}); }
TEST(calls, seeded_left_to_the_last_sleeper) {
  expect_found<left_while_all_sleep>("the last sleeper keeps what was left",
                                     {harm::ignore, "injector.turns: aside"}, "starves");
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
  unsigned since = 0;
  bool ran = false;
  job deserted{[this](engine_worker&) {
    ran = true;
    left.one_less();
    engine.workers().send(0, first.work.alone());
  }};
  chain own{left,
            [this] {
              since = spawned.load(std::memory_order_relaxed) && !ran ? since + 1 : 0;
              require(since <= 3 * explored::turn, "a task that was left starves");
            },
            chain::spawn};
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

TEST(calls, left_by_a_sleeper) { expect_holds<left_by_a_sleeper>({1, 1, unexplored}); }
TEST(calls, seeded_left_by_a_sleeper) {
  expect_found<left_by_a_sleeper>("the last sleeper keeps what another one left",
                                  {harm::ignore, "injector.turns: aside"}, "starves");
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
  unsigned since = 0;  // tasks of the worker since the permit became free
  chain own{left,
            [this] {
              since = free.load(std::memory_order_relaxed) && parked.runs == 0 ? since + 1 : 0;
              require(since <= 2, "a parked task starves");
            },
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

TEST(calls, parked_next_to_mail) { expect_holds<parked_next_to_mail>({2, 2, unexplored}); }
TEST(calls, seeded_parked_next_to_mail) {
  expect_found<parked_next_to_mail>("the loop looks for no parked task",
                                    {harm::ignore, "arenas.found: loop"}, "starves");
}

}  // namespace
}  // namespace evencube::test
