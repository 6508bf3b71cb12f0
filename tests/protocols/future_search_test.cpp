// Workers that wait for futures that need others (runtime/docs/waiting.md): their way through the
// tree, what they run of it, and how they sleep where any of several is needed.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "explored_engine.hpp"
#include "explored_future.hpp"
#include "future_waiting.hpp"

namespace evencube::test {
namespace {

using explorer::require;
using core = detail::basic_future_core<engine_policy>;
using future = explored_future<engine_policy>;
using kind = future::kind;

/// Some futures whose tasks the workers of an engine run.
template <unsigned Futures>
struct search_scene : explorer::scenario {
  struct task_fate : future::fate {
    search_scene* of = nullptr;
    /// What its task does first.
    std::function<void(engine_worker&)> body = [](engine_worker&) {};
  };

  std::unique_ptr<explored_engine> engine = std::make_unique<explored_engine>(2);
  explored_news<engine_policy> news{engine->scheduler().room()};
  engine_group tracker{engine->scheduler(), nullptr};
  std::array<task_fate, Futures> fates{};

  search_scene() {
    for (task_fate& f : fates) f.of = this;
    engine->scheduler().enter_slot(detail::occupant::caller);
    engine->scheduler().slot().set_standby();
  }

  static void execute(detail::task& self, detail::worker& by) noexcept {
    auto& task = static_cast<future&>(self);
    auto& on = reinterpret_cast<engine_worker&>(by);
    auto& to = static_cast<task_fate&>(task.what());
    to.body(on);
    task.compute();
    detail::end_task<engine_policy>(task, false, on, to.of->tracker, to.of->news);
    to.of->tracker.finish(nullptr);
  }
  [[nodiscard]] std::uint64_t id() { return engine->scheduler().sleepers().id; }
  future* make(unsigned k) {
    auto* const made = new future(fates[k], &execute, id());
    made->parent_ = &tracker;
    tracker.add(nullptr);
    return made;
  }
  future* make(unsigned k, kind what, std::vector<future*> antecedents) {
    auto* const made = new future(fates[k], what, std::move(antecedents), &execute, id());
    detail::attach_all<engine_policy>(*made, news);
    return made;
  }
  /// `then`, by a worker.
  future* go_on(engine_worker& by, unsigned k, future* antecedent) {
    auto* const made = new future(fates[k], kind::then, {antecedent}, &execute, id());
    if (antecedent->attach(*made, 0)) return made;
    made->parent_ = &tracker;
    tracker.add(nullptr);
    made->release();
    by.spawn(slot_of(made), std::nullopt);
    return made;
  }
  static detail::slot_word slot_of(const future* queued) {
    return detail::make_slot(queued, 1) | detail::future_bit;
  }
  /// It has been begun by a worker, whose slot is gone.
  future* make_begun(unsigned k) {
    future* const made = make(k);
    require(made->begin(), "somebody has begun it");
    return made;
  }
  void run_begun(engine_worker& by, future* begun) {
    by.run_begun(*begun);
    begun->drop();
  }
  void wait(engine_worker& by, future* root) {
    detail::wait_for_tree<engine_policy>(by, *root, news.changes, detail::no_deadline);
    require(root->done(), "the wait ended before its future");
  }
  /// So many tasks have run, and with the queues nothing is left.
  void check_fates(const std::array<unsigned, Futures>& runs) {
    engine.reset();
    for (unsigned i = 0; i < Futures; ++i) {
      require(fates[i].runs == runs[i], "a task was lost or ran twice");
    }
    for (const future::fate& f : fates) require(f.gone == 1, "a future was not dropped once");
  }
};

// The worker in slot 0 waits for a continuation of two others, of which worker 1 has one begun and
// the other one queued.
struct wait_for_all : search_scene<4> {
  future* a = make_begun(0);
  future* b = make(1);
  future* both = make(2, kind::all, {a, b});
  future* c = go_on(engine->at(1), 3, both);

  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 0) {
      wait(engine->at(0), c);
      c->drop();
      engine->stop();
      return;
    }
    engine->at(1).spawn(slot_of(b), std::nullopt);
    run_begun(engine->at(1), a);
    engine->serve_worker(1);
  }
  void check() override { check_fates({1, 1, 0, 1}); }
};

TEST(future_search, wait_for_all) { expect_holds<wait_for_all>({2, 1, 1}); }

// It waits for any of two, of which worker 1 runs one and nobody will run the other one before.
struct wait_for_any : search_scene<3> {
  future* a = make_begun(0);
  future* b = make_begun(1);
  future* any = make(2, kind::any, {a, b});

  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 0) {
      wait(engine->at(0), any);
      require(any->first == 0, "another one was the first");
      run_begun(engine->at(0), b);
      any->take_from_antecedents();
      any->drop();
      engine->stop();
      return;
    }
    run_begun(engine->at(1), a);
  }
  void check() override { check_fates({1, 1, 0}); }
};

TEST(future_search, wait_for_any) { expect_holds<wait_for_any>({2, 2, 1}); }

TEST(future_search, seeded_wait_not_announced) {
  expect_found<wait_for_any>("wait for any not announced",
                             {harm::omit, "begin_wait", action::fetch_add}, "nobody can go on");
}

// The same where what worker 1 runs only releases something, which it leaves to who waits (A).
struct wait_for_release : search_scene<4> {
  future* a = make_begun(0);
  future* b = make_begun(1);
  future* c = go_on(engine->at(1), 2, a);
  future* any = make(3, kind::any, {b, c});

  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return run_begun(engine->at(1), a);
    wait(engine->at(0), any);
    require(any->first == 1, "another one was the first");
    run_begun(engine->at(0), b);
    any->take_from_antecedents();
    any->drop();
  }
  void check() override { check_fates({1, 1, 1, 0}); }
};

TEST(future_search, wait_for_release) { expect_holds<wait_for_release>({1, 1, 1}); }

TEST(future_search, seeded_changes_not_looked_at) {
  expect_found<wait_for_release>("changes not looked at", {harm::ignore, "changes"},
                                 "nobody can go on");
}
TEST(future_search, seeded_change_not_counted) {
  expect_found<wait_for_release>("change not counted", {harm::omit, "note", action::fetch_add},
                                 "nobody can go on");
}
TEST(future_search, seeded_change_looked_at_without_total_order) {
  expect_found<wait_for_release>("waits looked for without total order",
                                 {harm::weaken, "note", action::load}, "nobody can go on",
                                 memory_model::weak);
}

// Worker 0 is on its way through one of those of which any is needed. Another one has ended, and
// what that releases gives the first one to a tree that the wait is not for: nothing of that may
// run within the wait.
struct moved_while_searched : search_scene<7> {
  future* ended = make_begun(0);
  future* below = make_begun(1);
  future* moved = make(2, kind::all, {below});
  future* any = make(3, kind::any, {ended, moved});
  future* root = go_on(engine->at(1), 4, any);
  future* elsewhere = nullptr;
  bool waits = false;

  moved_while_searched() {
    moved->share();
    fates[4].body = [this](engine_worker& by) {
      future* const other = make(6);
      by.spawn(slot_of(other), 1);
      elsewhere = make(5, kind::all, {moved, other});
    };
    fates[6].body = [this](engine_worker& by) {
      require(&by != &engine->at(0) || !waits, "a wait ran what it was not for");
    };
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) {
      run_begun(engine->at(1), ended);
      engine->serve_worker(1);
      return;
    }
    waits = true;
    wait(engine->at(0), root);
    waits = false;
    root->drop();
    run_begun(engine->at(0), below);
    while (!elsewhere->done()) {
      engine->at(0).work_until_dry();
      engine_policy::pause();
    }
    elsewhere->take_from_antecedents();
    elsewhere->drop();
    engine->stop();
  }
  void check() override { check_fates({1, 1, 0, 0, 1, 0, 1}); }
};

TEST(future_search, search_stays_in_its_tree) {
  expect_holds<moved_while_searched>({2, 1, unexplored});
}

TEST(future_search, seeded_search_of_another_tree) {
  expect_found<moved_while_searched>("search of another tree", {harm::ignore, "own tree"},
                                     "a wait ran what it was not for");
}

}  // namespace
}  // namespace evencube::test
