// stop() while a coroutine ends outside of its runtime (shutdown.drained).

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

// Nobody is in the caller's seat, and worker 1 is idle or about to be. A coroutine, which was
// started there, ends on a thread outside; a future continues it, and spawns. Meanwhile the runtime
// is stopped. All of that was begun by what counts, so it runs, once, before the workers end.
struct stop_while_a_coroutine_ends : explorer::scenario {
  struct task_fate : future::fate {
    stop_while_a_coroutine_ends* of = nullptr;
  };

  std::unique_ptr<explored_engine> engine = std::make_unique<explored_engine>(2);
  explored_news<engine_policy> news{engine->workers().room()};
  engine_group tracker{engine->workers(), nullptr};
  task_fate fates[2];
  future* coroutine = make_coroutine();
  unsigned spawned_ran = 0;
  bool at_rest = false;
  job spawned{[this](engine_worker&) {
    require(!at_rest, "a task runs when all was at rest");
    ++spawned_ran;
  }};

  stop_while_a_coroutine_ends() {
    for (task_fate& f : fates) f.of = this;
    auto* const continuation = new future(fates[1], kind::then, {coroutine}, &execute, id());
    detail::attach_all<engine_policy>(*continuation, news);
    continuation->drop();  // by whom it was made; its slot has it still
    coroutine->drop();
  }
  future* make_coroutine() {
    auto* const made = new future(fates[0], nullptr, id());
    made->share();
    made->parent_ = &tracker;
    tracker.add(nullptr);
    require(made->begin(), "somebody has begun it");
    return made;
  }
  [[nodiscard]] std::uint64_t id() { return engine->workers().sleepers().id; }
  static void execute(detail::task& self, detail::runner& by) noexcept {
    auto& task = static_cast<future&>(self);
    auto& all = *static_cast<task_fate&>(task.what()).of;
    require(!all.at_rest, "a task runs when all was at rest");
    task.compute();
    static_cast<engine_worker&>(by).spawn(all.spawned.word(), std::nullopt);
    detail::end_task<engine_policy>(task, false, static_cast<engine_worker&>(by), all.tracker,
                                    all.news);
    all.tracker.finish(nullptr);
  }

  // The library's look, or one with a seeded fault.
  [[nodiscard]] bool nothing_left() {
    engine_workers& scheduler = engine->workers();
    if (!engine_policy::checks("what counts")) return scheduler.nothing_left();
    if (!engine_policy::checks("what counts first")) {
      return scheduler.nothing_left() && tracker.count().done_for_others();
    }
    return detail::nothing_left<engine_policy>(tracker, scheduler);
  }

  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 0) return engine->serve_worker(1);
    engine_workers& scheduler = engine->workers();
    if (k == 1) {
      coroutine->compute();
      detail::end_outside<engine_policy>(*coroutine, false, scheduler, tracker, news);
      tracker.finish(nullptr);
      return coroutine->drop();
    }
    scheduler.close();
    detail::wait_for_rest<engine_policy>(
        scheduler, [this] { return nothing_left(); }, [] { engine_policy::pause(); });
    at_rest = true;
    engine->stop();
  }
  void check() override {
    engine.reset();
    require(spawned_ran == 1, "a task was lost or ran twice");
    for (const task_fate& f : fates) {
      require(f.runs == 1, "a task was lost or ran twice");
      require(f.gone == 1, "a future was not dropped once");
    }
  }
};

TEST(rest, stop_while_a_coroutine_ends) { expect_holds<stop_while_a_coroutine_ends>({2, 2, 1}); }

TEST(rest, seeded_what_counts_not_asked) {
  expect_found<stop_while_a_coroutine_ends>("a coroutine that counts is not waited for",
                                            {harm::ignore, "what counts"}, "a task was lost");
}
TEST(rest, seeded_tasks_looked_for_first) {
  expect_found<stop_while_a_coroutine_ends>("tasks looked for before what counts",
                                            {harm::ignore, "what counts first"},
                                            "a task runs when");
}
}  // namespace
}  // namespace evencube::test
