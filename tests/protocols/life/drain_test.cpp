// stop() while a coroutine ends outside of its runtime, and while a promise is made
// (shutdown.drained).

#include <gtest/gtest.h>

#include <memory>

#include "explored_engine.hpp"
#include "explored_future.hpp"
#include "futures/future_waiting.hpp"
#include "life/drain.hpp"

namespace evencube::test {
namespace {

using explorer::require;
using future = explored_future<engine_policy>;
using kind = future::kind;

// A future of a runtime that is stopped meanwhile ends outside; a continuation runs in the runtime,
// and spawns. All of that was begun by what counts, so it runs, once, before the workers end.
// Nobody is in the caller's seat, and worker 1 is idle or about to be.
struct stopped_meanwhile : explorer::scenario {
  struct task_fate : future::fate {
    stopped_meanwhile* all = nullptr;
  };

  std::unique_ptr<explored_engine> engine = std::make_unique<explored_engine>(2);
  explored_news<engine_policy> news{engine->workers().room()};
  engine_group tracker{engine->workers(), nullptr};
  engine_group nobody{engine->workers(), nullptr};
  task_fate fates[2];
  unsigned made = 0;
  unsigned spawned_ran = 0;
  bool at_rest = false;
  job spawned{[this](engine_worker&) {
    require(!at_rest, "a task runs when all was at rest");
    ++spawned_ran;
  }};

  // A future that counts, with a continuation.
  future* make_future() {
    for (task_fate& f : fates) f.all = this;
    auto* const ends = new future(fates[0], nullptr, id());
    ends->share();
    ends->parent_ = &tracker;
    require(ends->begin(), "somebody has begun it");
    auto* const continuation = new future(fates[1], kind::then, {ends}, &execute, id());
    detail::attach_all<engine_policy>(*continuation, news);
    continuation->drop();  // by whom it was made; its slot has it still
    ends->drop();
    ++made;
    return ends;
  }
  void end_outside(future& ends) {
    ends.compute();
    detail::end_outside<engine_policy>(ends, false, engine->workers(), tracker, news);
    tracker.finish(nullptr);
    ends.drop();
  }
  [[nodiscard]] std::uint64_t id() { return engine->workers().sleepers().id; }
  static void execute(detail::task& self, detail::runner& by) noexcept {
    auto& task = static_cast<future&>(self);
    auto& all = *static_cast<task_fate&>(task.what()).all;
    require(!all.at_rest, "a task runs when all was at rest");
    task.compute();
    static_cast<engine_worker&>(by).spawn(all.spawned.word(), std::nullopt);
    detail::end_task<engine_policy>(task, false, static_cast<engine_worker&>(by), all.tracker,
                                    all.news);
    all.tracker.finish(nullptr);
  }

  // The library's check, or one with a seeded fault.
  [[nodiscard]] bool nothing_left() {
    engine_workers& workers = engine->workers();
    if (!engine_policy::checks("what counts")) return workers.nothing_left(nobody);
    if (!engine_policy::checks("what counts before the tasks")) {
      return workers.nothing_left(nobody) && tracker.count().done_for_others();
    }
    if (!engine_policy::checks("what counts after the workers")) {
      return tracker.count().done_for_others() && workers.nothing_left(nobody);
    }
    return workers.nothing_left(tracker);
  }
  void stop() {
    engine_workers& workers = engine->workers();
    workers.close();
    detail::wait_for_rest<engine_policy>(
        workers, [this] { return nothing_left(); }, [] { engine_policy::pause(); });
    require(tracker.count().done_for_others(), "all was at rest while something counted");
    at_rest = true;
    engine->stop();
  }
  void check() override {
    engine.reset();
    require(spawned_ran == made, "a task was lost or ran twice");
    for (const task_fate& f : fates) {
      require(f.runs == made, "a task was lost or ran twice");
      require(f.gone == made, "a future was not dropped once");
    }
  }
};

// The future is that of a coroutine, which was started before.
struct stop_while_a_coroutine_ends : stopped_meanwhile {
  future* coroutine = make_future();

  stop_while_a_coroutine_ends() { tracker.add(nullptr); }
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 0) return engine->serve_worker(1);
    if (k == 1) return end_outside(*coroutine);
    stop();
  }
};

// The future is that of a promise, which a thread outside makes, or is refused, and keeps.
struct stop_while_a_promise_is_made : stopped_meanwhile {
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 0) return engine->serve_worker(1);
    if (k == 2) return stop();
    try {
      engine->workers().unless_stopping([this] { tracker.add(nullptr); });
    } catch (const refused&) {
      return;
    }
    end_outside(*make_future());
  }
};

// A task makes a promise, which a thread outside keeps.
struct stop_while_a_task_makes_a_promise : stopped_meanwhile {
  explorer::atomic<unsigned> handed_over{0};
  future* promised = nullptr;
  job maker{[this](engine_worker&) {
    tracker.add(nullptr);
    promised = make_future();
    handed_over.store(1, std::memory_order_release);
    engine_policy::wake(handed_over, 1);
  }};

  stop_while_a_task_makes_a_promise() { engine->workers().send(1, maker.alone()); }
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 0) return engine->serve_worker(1);
    if (k == 2) return stop();
    while (handed_over.load(std::memory_order_acquire) == 0) engine_policy::wait(handed_over, 0);
    end_outside(*promised);
  }
};

TEST(rest, stop_while_a_coroutine_ends) { expect_holds<stop_while_a_coroutine_ends>({2, 2, 1}); }
TEST(rest, stop_while_a_promise_is_made) { expect_holds<stop_while_a_promise_is_made>({2, 2, 1}); }
TEST(rest, stop_while_a_task_makes_a_promise) {
  expect_holds<stop_while_a_task_makes_a_promise>({2, 2, 1});
}

TEST(rest, seeded_what_counts_not_asked) {
  expect_found<stop_while_a_coroutine_ends>("a coroutine that counts is not waited for",
                                            {harm::ignore, "what counts"},
                                            "while something counted");
}
TEST(rest, seeded_tasks_looked_for_first) {
  expect_found<stop_while_a_coroutine_ends>("tasks looked for before what counts",
                                            {harm::ignore, "what counts before the tasks"},
                                            "a task runs when");
}
TEST(rest, seeded_what_counts_asked_first) {
  expect_found<stop_while_a_task_makes_a_promise>("what counts is read before the workers sleep",
                                                  {harm::ignore, "what counts after the workers"},
                                                  "while something counted");
}
TEST(rest, seeded_senders_not_asked) {
  expect_found<stop_while_a_promise_is_made>("a thread is about to make a promise",
                                             {harm::ignore, "shutdown.drained: senders"},
                                             "while something counted");
}
}  // namespace
}  // namespace evencube::test
