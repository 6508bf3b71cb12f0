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

/// A coroutine that was started, whose first part somebody runs. The scenario says when it ends.
class coroutine final : public core {
 public:
  coroutine(std::uint64_t runtime_id, unsigned& gone)
      : core(runtime_id, stage::released, 2, nullptr, &destroy, &needs_), gone_(&gone) {
    require(begin(), "somebody has begun it");
  }
  coroutine(const coroutine&) = delete;
  coroutine& operator=(const coroutine&) = delete;

 private:
  ~coroutine() { ++*gone_; }
  static void destroy(core& of) noexcept { delete static_cast<coroutine*>(&of); }

  detail::basic_coroutine_needs<engine_policy> needs_;
  unsigned* gone_;
};

template <unsigned Futures>
struct coroutine_scene : search_scene<Futures> {
  using scene = search_scene<Futures>;

  unsigned gone = 0;
  coroutine* c = make_coroutine();

  coroutine* make_coroutine() {
    auto* const made = new coroutine(this->id(), gone);
    made->parent_ = &this->tracker;
    this->tracker.add(nullptr);
    return made;
  }
  void end_coroutine(engine_worker& by) {
    detail::end_task<engine_policy>(*c, false, by, this->tracker, this->news);
    this->tracker.finish(nullptr);
    c->drop();
  }
  void check_all(const std::array<unsigned, Futures>& runs) {
    this->check_fates(runs);
    require(gone == 1, "a coroutine was not dropped once");
  }
};

// Worker 0 waits for a coroutine, which worker 1 runs, and which comes to need a future: one that
// worker 1 has begun, and ends, or one that nobody has begun and worker 1 leaves to who waits (C1).
template <bool Begun>
struct wait_for_coroutine : coroutine_scene<2> {
  future* needed = Begun ? make_begun(0) : make(0);
  future* suspension = nullptr;
  std::uint32_t place = 0;

  static void go_on(detail::task& self, detail::worker& by) noexcept {
    auto& task = static_cast<future&>(self);
    auto& on = reinterpret_cast<engine_worker&>(by);
    auto& of = static_cast<wait_for_coroutine&>(*static_cast<task_fate&>(task.what()).of);
    task.compute();
    of.c->need_no_longer(of.place);
    of.end_coroutine(on);
    detail::end_task<engine_policy>(task, false, on, of.tracker, of.news);
    of.tracker.finish(nullptr);
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 0) {
      detail::wait_for_tree<engine_policy>(engine->at(0), *c, news.changes, detail::no_deadline);
      require(c->done(), "the wait ended before its coroutine");
      c->drop();
      engine->stop();
      return;
    }
    engine_worker& by = engine->at(1);
    if (!Begun) by.spawn(slot_of(needed), std::nullopt);
    suspension = new future(fates[1], kind::then, {needed}, &go_on, id());
    place = c->need(*suspension, news);
    if (!needed->attach(*suspension, 0)) {
      c->need_no_longer(place);
      bool nobody = false;
      suspension->settle(false, news, nobody);
      suspension->compute();
      suspension->drop();
      end_coroutine(by);
    }
    suspension->drop();
    if (!Begun) return;
    run_begun(by, needed);
    engine->serve_worker(1);
  }
  void check() override { check_all({1, 1}); }
};

TEST(future_search, wait_for_coroutine_that_comes_to_need) {
  expect_holds<wait_for_coroutine<false>>({1, 1, 1});
}
TEST(future_search, wait_for_coroutine_whose_future_ends) {
  expect_holds<wait_for_coroutine<true>>({1, 1, unexplored});
}

TEST(future_search, seeded_watchers_not_told) {
  expect_found<wait_for_coroutine<false>>("watchers of a coroutine not told",
                                          {harm::ignore, "watchers"}, "nobody can go on");
}
TEST(future_search, seeded_wait_for_coroutine_not_announced) {
  expect_found<wait_for_coroutine<true>>("wait for a coroutine not announced",
                                         {harm::omit, "announce_waiter", action::fetch_or},
                                         "nobody can go on");
}

/// Ends with the coroutine, as the first of one.
class any_of_one final : public core {
 public:
  any_of_one(std::uint64_t runtime_id, coroutine& of, unsigned& gone)
      : core(runtime_id, stage::unreleased, 2, nullptr, &destroy, &needs_),
        of_{&of},
        needs_{kind::any, 1, of_.data(), 1},
        gone_(&gone) {
    needs_.index = &first_;
  }
  any_of_one(const any_of_one&) = delete;
  any_of_one& operator=(const any_of_one&) = delete;

  void take() {
    close();
    of_[0]->drop();
  }

 private:
  ~any_of_one() { ++*gone_; }
  static void destroy(core& one) noexcept { delete static_cast<any_of_one*>(&one); }

  std::array<core*, 1> of_;
  dependency_type needs_;
  engine_policy::plain<std::size_t> first_{99};
  unsigned* gone_;
};

// Worker 0 waits for any of one coroutine, of which a part lies in the queue of worker 1. That one
// waits for a future which worker 0 ends afterwards.
struct wait_for_any_part : coroutine_scene<1> {
  unsigned any_gone = 0;
  any_of_one* any = new any_of_one(id(), *c, any_gone);
  future* later = make_begun(0);
  job part{[this](engine_worker& by) { end_coroutine(by); }};

  wait_for_any_part() {
    part.parent_ = c;
    detail::attach_all<engine_policy>(*any, news);
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) {
      engine->at(1).spawn(part.word(), std::nullopt);
      engine->at(1).wait_for(*later);
      return later->drop();
    }
    detail::wait_for_tree<engine_policy>(engine->at(0), *any, news.changes, detail::no_deadline);
    require(any->done(), "the wait ended before its future");
    any->take();
    any->drop();
    run_begun(engine->at(0), later);
  }
  void check() override {
    check_all({1});
    require(any_gone == 1, "a future was not dropped once");
  }
};

TEST(future_search, wait_for_any_coroutine_with_a_queued_part) {
  expect_holds<wait_for_any_part>({1, 1, 1});
}

TEST(future_search, seeded_parts_not_looked_for) {
  expect_found<wait_for_any_part>("queued parts not looked for", {harm::ignore, "parts"},
                                  "nobody can go on");
}

// Worker 0 waits for any of one coroutine, which comes to need a future that nobody has begun. The
// worker that it is on waits for what worker 0 does afterwards.
struct wait_for_any_need : coroutine_scene<3> {
  unsigned any_gone = 0;
  any_of_one* any = new any_of_one(id(), *c, any_gone);
  future* later = make_begun(0);
  future* needed = make(1);
  future* suspension = nullptr;
  std::uint32_t place = 0;

  wait_for_any_need() { detail::attach_all<engine_policy>(*any, news); }
  static void go_on(detail::task& self, detail::worker& by) noexcept {
    auto& task = static_cast<future&>(self);
    auto& on = reinterpret_cast<engine_worker&>(by);
    auto& of = static_cast<wait_for_any_need&>(*static_cast<task_fate&>(task.what()).of);
    task.compute();
    of.c->need_no_longer(of.place);
    of.end_coroutine(on);
    detail::end_task<engine_policy>(task, false, on, of.tracker, of.news);
    of.tracker.finish(nullptr);
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 0) {
      detail::wait_for_tree<engine_policy>(engine->at(0), *any, news.changes, detail::no_deadline);
      any->take();
      any->drop();
      return run_begun(engine->at(0), later);
    }
    engine_worker& by = engine->at(1);
    by.spawn(slot_of(needed), std::nullopt);
    suspension = new future(fates[2], kind::then, {needed}, &go_on, id());
    place = c->need(*suspension, news);
    if (!needed->attach(*suspension, 0)) {
      c->need_no_longer(place);
      bool nobody = false;
      suspension->settle(false, news, nobody);
      suspension->compute();
      suspension->drop();
      end_coroutine(by);
    }
    suspension->drop();
    by.wait_for(*later);
    later->drop();
  }
  void check() override {
    check_all({1, 1, 1});
    require(any_gone == 1, "a future was not dropped once");
  }
};

TEST(future_search, wait_for_any_coroutine_that_comes_to_need) {
  expect_holds<wait_for_any_need>({1, 1, unexplored});
}

TEST(future_search, seeded_new_need_not_told) {
  expect_found<wait_for_any_need>("a new need not told", {harm::ignore, "new need"},
                                  "nobody can go on");
}

}  // namespace
}  // namespace evencube::test
