// The shipped engine (scheduler, workers, groups) in small scenes: what is sent, injected or left
// behind is run once, every wait ends, and every thread leaves its loop.

#include <gtest/gtest.h>

#include <cstdint>

#include "explored_engine.hpp"

namespace evencube::test {
namespace {

using detail::occupant;
using detail::policy;
using explorer::explored;
using explorer::require;

/// Counts down from `n`; who comes last is told.
class countdown {
 public:
  explicit countdown(unsigned n) : left_(n) {}
  bool last() { return left_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

 private:
  explorer::atomic<unsigned> left_;
};

/// A task of a group, made outside, that writes a result for who waits.
struct awaited_job {
  explicit awaited_job(explored_engine& engine) : group(engine.scheduler(), nullptr) {
    work.parent_ = &group;
    group.add(nullptr);
  }
  void check_result() const { require(result == runs, "the wait ended before its task"); }

  engine_group group;
  /// Written by who makes the task, read by who runs it.
  explored::plain<unsigned> runs{0};
  explored::plain<unsigned> result{0};
  job work{[this](engine_worker& by) {
    require(runs == 1, "what the task carries is not there");
    require(result == 0, "the task ran twice");
    result = 1;
    group.finish(&by);
  }};
};

// -- Waits and injected tasks ----------------------------------------------------------------------

// The worker in slot 0 and maybe another one wait for a task that a thread outside injects.
template <unsigned Waiters>
struct wait_for_injected : explorer::scenario {
  explored_engine engine{Waiters};
  awaited_job awaited{engine};

  wait_for_injected() {
    engine.scheduler().enter_slot(occupant::caller);
    engine.scheduler().slot().set_standby();  // who sits in slot 0 stays: it would only sleep
  }
  [[nodiscard]] unsigned threads() const override { return 1 + Waiters; }
  void run(unsigned k) override {
    if (k == 0) {
      awaited.runs = 1;
      engine.scheduler().inject(awaited.work.word(), -1);
      return;
    }
    engine.at(k - 1).wait_for(awaited.group);
    require(awaited.result == 1, "the wait ended before its task");
  }
  void check() override { require(awaited.result == 1, "the task did not run"); }
};

TEST(engine, one_waits_for_an_injected_task) { expect_holds<wait_for_injected<1>>({3, 3, 2}); }
TEST(engine, two_wait_for_an_injected_task) {
  expect_holds<wait_for_injected<2>>({2, 2, unexplored});
}

}  // namespace
}  // namespace evencube::test
