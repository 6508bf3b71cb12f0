// Workers that wait for coroutines (runtime/src/coroutines/coroutines.md), alone and below a
// when_any: what these come to need, their queued parts, their ends.

#include <gtest/gtest.h>

#include "search_scene.hpp"

namespace evencube::test {
namespace {

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
  std::uint32_t place = 0;

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
  /// It awaits that one, and ends afterwards: a suspension with number `k`.
  void await(engine_worker& by, future* needed, unsigned k) {
    auto* const suspension = new future(this->fates[k], kind::then, {needed}, &go_on, this->id());
    place = c->need(*suspension, this->news);
    if (!needed->attach(*suspension, 0)) {
      c->need_no_longer(place);
      bool nobody = false;
      suspension->settle(false, this->news, nobody);
      suspension->compute();
      suspension->drop();
      end_coroutine(by);
    }
    suspension->drop();
  }
  static void go_on(detail::task& self, detail::runner& by) noexcept {
    auto& task = static_cast<future&>(self);
    auto& on = static_cast<engine_worker&>(by);
    auto& fate = static_cast<typename scene::task_fate&>(task.what());
    auto& of = static_cast<coroutine_scene&>(*fate.of);
    task.compute();
    of.c->need_no_longer(of.place);
    of.end_coroutine(on);
    detail::end_task<engine_policy>(task, false, on, of.tracker, of.news);
    of.tracker.finish(nullptr);
  }
  void check_all(const std::array<unsigned, Futures>& runs) {
    this->check_fates(runs);
    require(gone == 1, "a coroutine was not dropped once");
  }
};

// Worker 0 waits for a coroutine, which worker 1 runs, and which comes to need a future: one that
// worker 1 has begun, and ends, or one that nobody has begun and worker 1 leaves to who waits
// (coroutines.needs).
template <bool Begun>
struct wait_for_coroutine : coroutine_scene<2> {
  future* needed = Begun ? make_begun(0) : make(0);

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
    await(by, needed, 1);
    if (!Begun) return;
    run_begun(by, needed);
    engine->serve_worker(1);
  }
  void check() override { check_all({1, 1}); }
};

TEST(coroutine_wait, for_one_that_comes_to_need) {
  expect_holds<wait_for_coroutine<false>>({1, 1, 1});
}
TEST(coroutine_wait, for_one_whose_future_ends) {
  expect_holds<wait_for_coroutine<true>>({1, 1, unexplored});
}

TEST(coroutine_wait, seeded_watchers_not_told) {
  expect_found<wait_for_coroutine<false>>("watchers of a coroutine not told",
                                          {harm::ignore, "coroutines.needs: watchers"},
                                          "nobody can go on");
}
TEST(coroutine_wait, seeded_wait_not_announced) {
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

TEST(coroutine_wait, for_any_with_a_queued_part) { expect_holds<wait_for_any_part>({1, 1, 1}); }

TEST(coroutine_wait, seeded_parts_not_looked_for) {
  expect_found<wait_for_any_part>("queued parts not looked for",
                                  {harm::ignore, "coroutines.needs: parts"}, "nobody can go on");
}

// Worker 0 waits for any of one coroutine, which comes to need a future that nobody has begun. The
// worker that it is on waits for what worker 0 does afterwards.
struct wait_for_any_need : coroutine_scene<3> {
  unsigned any_gone = 0;
  any_of_one* any = new any_of_one(id(), *c, any_gone);
  future* later = make_begun(0);
  future* needed = make(1);

  wait_for_any_need() { detail::attach_all<engine_policy>(*any, news); }
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
    await(by, needed, 2);
    by.wait_for(*later);
    later->drop();
  }
  void check() override {
    check_all({1, 1, 1});
    require(any_gone == 1, "a future was not dropped once");
  }
};

TEST(coroutine_wait, for_any_that_comes_to_need) {
  expect_holds<wait_for_any_need>({1, 1, unexplored});
}

TEST(coroutine_wait, seeded_new_need_not_told) {
  expect_found<wait_for_any_need>("a new need not told", {harm::ignore, "waiting.any: new need"},
                                  "nobody can go on");
}

}  // namespace
}  // namespace evencube::test
