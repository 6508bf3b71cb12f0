// Calls: workers that never run out of tasks of their own are called for tasks that only a worker
// without work would take, from outside and of blocking workers (injector.turns in
// runtime/src/queues/injector.md).

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>

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

}  // namespace
}  // namespace evencube::test
