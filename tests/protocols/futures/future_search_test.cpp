// Workers that wait for futures that need others (runtime/src/wait/waiting.md): their way through
// the tree, what they run of it, and how they sleep where any of several is needed.

#include <gtest/gtest.h>

#include "search_scene.hpp"

namespace evencube::test {
namespace {

// The worker in the caller's seat waits for a continuation of two others, of which worker 1 has one
// begun and the other one queued.
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

// The same where what worker 1 runs only releases something, which it leaves to who waits
// (waiting.any).
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
  expect_found<wait_for_release>("changes not looked at", {harm::ignore, "waiting.any: changes"},
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
  expect_found<moved_while_searched>("search of another tree", {harm::ignore, "waiting.one-tree"},
                                     "a wait ran what it was not for");
}

}  // namespace
}  // namespace evencube::test
