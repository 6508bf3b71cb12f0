// Series of small tasks (runtime/src/wait/waiting.md): tasks of one group that follow each other in
// one frame, by the shipped `spawned::run` and `begin_next_of_series`, with everything that may
// come in between. Every task begins once and ends or is dropped. A wait ends after all of them and
// not before. A thread that needs the worker gets it before the next task.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <evencube/detail/stopping.hpp>
#include <evencube/task_group.hpp>

#include "explored_engine.hpp"

namespace evencube::test {
namespace {

using detail::occupant;
using detail::strategy_kind;
using explorer::explored;
using explorer::require;

/// An engine, and a group of `Tasks` small tasks. All have the same function, and record what they
/// see.
template <unsigned Tasks>
struct series_scene : explorer::scenario {
  /// The function of a task.
  struct part {
    series_scene* of;
    unsigned number;

    part(series_scene& scene, unsigned k) noexcept : of(&scene), number(k) {}
    part(part&& other) noexcept : of(std::exchange(other.of, nullptr)), number(other.number) {}
    part& operator=(part&&) = delete;
    ~part() {
      if (of != nullptr) of->destroyed[number] = of->destroyed[number] + 1;
    }
    void operator()() const { of->call(number, this); }
  };
  using small_task = detail::spawned<part, engine_policy>;

  explored_engine engine;
  engine_group group;
  /// Written by the worker that runs the task, read by a worker that has waited for it.
  explored::plain<unsigned> runs[Tasks];
  explored::plain<unsigned> destroyed[Tasks];

  /// The group belongs to worker `owner`, or to no worker.
  explicit series_scene(std::uint32_t workers, strategy_kind way = strategy_kind::none,
                        int owner = -1)
      : engine(workers, way),
        group(engine.workers(), owner < 0 ? nullptr : &engine.at(static_cast<unsigned>(owner))) {
    for (auto& n : runs) n = 0;
    for (auto& n : destroyed) n = 0;
    // Forgets stops from a run that ended early.
    detail::forget_all_stops();
  }

  /// The worker that runs the task of this function: its innermost frame names the task.
  engine_worker& who_runs(const part* function) {
    for (std::uint32_t k = 0; k < engine.workers().size(); ++k) {
      engine_worker& w = engine.at(k);
      const auto task = reinterpret_cast<std::uintptr_t>(w.running());
      const auto its = reinterpret_cast<std::uintptr_t>(function);
      if (task < its && its < task + sizeof(small_task)) return w;
    }
    require(false, "the innermost frame does not name the task that runs");
    return engine.at(0);
  }
  void call(unsigned k, const part* function) {
    engine_worker& by = who_runs(function);
    const std::uint32_t end = by.queue().head_index();
    require(by.innermost().base == end, "a frame does not begin where the queue ends");
    for (const auto* f = by.stack().innermost(); f != nullptr; f = f->outer) {
      require(static_cast<std::int32_t>(end - f->base) >= 0, "a task was taken from below a frame");
    }
    require(runs[k] == 0, "a task ran twice");
    runs[k] = 1;
    body(k, by);
  }
  /// The work of task k.
  virtual void body(unsigned, engine_worker&) {}

  /// The slot of task k of a group, made by a worker, or by a thread outside.
  detail::slot_word make(engine_group& of, unsigned k, engine_worker* by = nullptr) {
    void* const memory = by != nullptr ? by->memory().pool().allocate(small_task::size_class())
                                       : ::operator new(sizeof(small_task), std::align_val_t{64});
    auto* const made = ::new (memory)
        small_task(part(*this, k), of, by != nullptr ? &by->memory().pool() : nullptr);
    of.add(by);
    return detail::make_slot(made, 1);
  }
  /// Queues tasks without notifying other workers; the last task comes first.
  void queue(engine_worker& by, unsigned first = 0, unsigned last = Tasks) {
    for (unsigned k = first; k < last; ++k) by.queue().push(make(group, k, &by));
  }
  void require_ended(unsigned first = 0, unsigned last = Tasks) {
    for (unsigned k = first; k < last; ++k) {
      require(runs[k] == 1, "a wait ended before a task");
      require(destroyed[k] == 1, "a wait ended before a task's function was destroyed");
    }
  }
};

/// Worker 0 owns the group, queues the first `Queued` tasks and waits for it. Worker 1 has no task
/// and looks for some.
template <unsigned Tasks, unsigned Queued = Tasks>
struct owner_waits : series_scene<Tasks> {
  explicit owner_waits(strategy_kind way = strategy_kind::planned)
      : series_scene<Tasks>(2, way, 0) {
    this->engine.workers().take_seat(occupant::caller);
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return this->engine.serve_worker(1);
    this->queue(this->engine.at(0), 0, Queued);
    this->engine.at(0).wait_for(this->group);
    this->require_ended();
    waited();
    this->engine.stop();
  }
  /// Called after the wait.
  virtual void waited() {}
};

// -- While other workers take tasks -------------------------------------------------------------

template <strategy_kind Way>
struct beside_a_thief : owner_waits<3> {
  beside_a_thief() : owner_waits(Way) {}
};

TEST(series, beside_one_who_pulls) {
  expect_holds<beside_a_thief<strategy_kind::planned>>({2, 1, 1});
  expect_holds_by_chance<beside_a_thief<strategy_kind::planned>>(5000);
}
TEST(series, beside_one_who_steals) {
  expect_holds<beside_a_thief<strategy_kind::random_stealing>>({2, 1, unexplored});
  expect_holds_by_chance<beside_a_thief<strategy_kind::random_stealing>>(5000);
}

// The newest task lasts until the other worker has asked for work. That worker is notified before
// the next task, which lasts until that worker has got some.
struct asked_for_work : owner_waits<3> {
  explorer::atomic<std::uint32_t> taken{0};

  void body(unsigned k, engine_worker& by) override {
    if (k == 2) {
      while (!by.lifeline().asked()) engine_policy::pause();
    } else if (by.index() == 1) {
      taken.store(1, std::memory_order_release);
      engine_policy::wake(taken, 1);
    } else {
      while (taken.load(std::memory_order_acquire) == 0) engine_policy::wait(taken, 0);
    }
  }
};

TEST(series, ends_when_asked_for_work) { expect_holds<asked_for_work>({2, 1, 1}); }
TEST(series, seeded_no_look_at_requests) {
  expect_found<asked_for_work>("no look at requests between two",
                               {harm::ignore, "queue.requests: series"}, "nobody can go on");
}

// A round moves tasks out of the queue while its worker runs them, takes some back, and goes on.
struct beside_a_round : owner_waits<3> {
  beside_a_round() : owner_waits(strategy_kind::none) {}
  [[nodiscard]] unsigned threads() const override { return 3; }
  void run(unsigned k) override {
    if (k == 1) return engine.serve_worker(1);
    if (k == 2) return move_one();
    queue(engine.at(0), 0, 2);
    engine.at(0).share_all();
    queue(engine.at(0), 2, 3);
    engine.at(0).wait_for(group);
    require_ended();
    engine.stop();
  }
  void move_one() {
    detail::slot_word one = 0;
    if (engine.at(0).queue().claim(1, &one).tasks == 0) return;
    detail::message sent;
    sent.add_newest(one);
    engine.workers().send(1, sent);
  }
};

TEST(series, beside_a_round) {
  expect_holds<beside_a_round>({2, 1, unexplored});
  expect_holds_by_chance<beside_a_round>(5000);
}

// A task that a round brings comes before the next task: the newest lasts until it has been sent.
struct next_to_mail : owner_waits<3> {
  explorer::atomic<std::uint32_t> came{0};
  detail::slot_word brought = make(group, 0);

  next_to_mail() : owner_waits(strategy_kind::none) {}
  void run(unsigned k) override {
    if (k == 1) {
      detail::message sent;
      sent.add_newest(brought);
      engine.workers().send(0, sent);
      came.store(1, std::memory_order_release);
      engine_policy::wake(came, 1);
      return;
    }
    queue(engine.at(0), 1, 3);
    engine.at(0).wait_for(group);
    require_ended();
  }
  void body(unsigned k, engine_worker& by) override {
    if (k == 2) {
      while (came.load(std::memory_order_acquire) == 0) engine_policy::wait(came, 0);
    } else {
      require(!by.has_mail(), "a task began though a message had come before");
    }
  }
};

TEST(series, ends_when_mail_comes) { expect_holds<next_to_mail>({4, 4, 2}); }
TEST(series, seeded_no_look_at_the_bell) {
  expect_found<next_to_mail>("no look at the bell between two",
                             {harm::ignore, "parking.word: series"},
                             "a task began though a message had come before");
}

// -- Ends are notified --------------------------------------------------------------------------

/// Worker 1 runs the first `Queued` tasks of a group that was made outside. The tasks are there
/// from the beginning. A thread outside waits for the group, unless the scene says otherwise.
template <unsigned Tasks, unsigned Queued = Tasks>
struct run_by_another : series_scene<Tasks> {
  using base = series_scene<Tasks>;
  std::array<detail::slot_word, Queued> slots;

  explicit run_by_another(strategy_kind way = strategy_kind::none) : base(2, way) {
    // The thread in the caller's seat stays, and does only the steps of the scene.
    this->engine.workers().take_seat(occupant::caller);
    this->engine.workers().seat().set_standby();
    for (unsigned k = 0; k < Queued; ++k) slots[k] = this->make(this->group, k);
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) return serve();
    this->group.wait(nullptr);
    this->require_ended();
    this->engine.stop();
  }
  void serve() {
    for (const detail::slot_word word : slots) this->engine.at(1).queue().push(word);
    this->engine.serve_worker(1);
  }
};

using awaited_outside = run_by_another<2>;

TEST(series, is_told_to_who_waits_outside) { expect_holds<awaited_outside>({4, 3, 2}); }
TEST(series, seeded_end_without_release) {
  expect_found<awaited_outside>("series told without release",
                                {harm::weaken, "end_by_others", action::fetch_add}, "data race");
}
TEST(series, seeded_end_not_told) {
  expect_found<awaited_outside>("series that is not told", {harm::ignore, "waiting.ends-later"},
                                "nobody can go on");
}

// The worker of the caller's seat waits for the tasks, and runs some of them if the strategy allows
// that.
template <strategy_kind Way>
struct awaited_by_a_worker : run_by_another<3> {
  awaited_by_a_worker() : run_by_another(Way) {}
  void run(unsigned k) override {
    if (k == 1) return serve();
    engine.at(0).wait_for(group);
    require_ended();
    engine.stop();
  }
};

TEST(series, is_told_to_a_worker) {
  expect_holds<awaited_by_a_worker<strategy_kind::none>>({3, 1, 1});
  expect_holds<awaited_by_a_worker<strategy_kind::planned>>({2, 1, unexplored});
  expect_holds_by_chance<awaited_by_a_worker<strategy_kind::planned>>(5000);
}

// Below the tasks is a task that lasts until the waiter has gone on.
struct told_before_another : run_by_another<2> {
  explorer::atomic<std::uint32_t> went_on{0};
  explored::plain<unsigned> last{0};
  job beneath{[this](engine_worker&) {
    while (went_on.load(std::memory_order_acquire) == 0) engine_policy::wait(went_on, 0);
    last = 1;
    engine.stop();
  }};

  void run(unsigned k) override {
    if (k == 0) {
      group.wait(nullptr);
      require_ended();
      went_on.store(1, std::memory_order_release);
      engine_policy::wake(went_on, 1);
      return;
    }
    engine.at(1).queue().push(beneath.word());
    serve();
  }
  void check() override { require(last == 1, "the other task did not run"); }
};

TEST(series, is_told_before_another_task) { expect_holds<told_before_another>({4, 3, 2}); }

// Tasks of two groups alternate in the queue: each group is notified of its own tasks.
struct of_two_groups : series_scene<4> {
  engine_group other{engine.workers(), nullptr};
  std::array<detail::slot_word, 4> slots;

  of_two_groups() : series_scene(2) {
    engine.workers().take_seat(occupant::caller);
    engine.workers().seat().set_standby();
    for (unsigned k = 0; k < 4; ++k) slots[k] = make(k % 3 == 0 ? group : other, k);
  }
  [[nodiscard]] unsigned threads() const override { return 2; }
  void run(unsigned k) override {
    if (k == 1) {
      for (const detail::slot_word word : slots) engine.at(1).queue().push(word);
      return engine.serve_worker(1);
    }
    other.wait(nullptr);
    require_ended(1, 3);
    group.wait(nullptr);
    require_ended();
    engine.stop();
  }
};

TEST(series, is_of_one_group) { expect_holds<of_two_groups>({3, 2, 2}); }
TEST(series, seeded_tasks_of_another_group) {
  expect_found<of_two_groups>("a task of another group follows",
                              {harm::ignore, "waiting.descendants: parent"}, "");
}

// -- The order of tasks -------------------------------------------------------------------------

// The newest task lasts until there is a task of high priority, which comes before the others.
struct beside_a_high_one : run_by_another<3> {
  explorer::atomic<std::uint32_t> came{0};
  explored::plain<unsigned> high_runs{0};
  job high{[this](engine_worker&) { high_runs = 1; }};

  void run(unsigned k) override {
    if (k == 1) return serve();
    engine.enqueue(high.word(), priority::high);
    came.store(1, std::memory_order_release);
    engine_policy::wake(came, 1);
    group.wait(nullptr);
    require_ended();
    engine.stop();
  }
  void body(unsigned k, engine_worker&) override {
    if (k == 2) {
      while (came.load(std::memory_order_acquire) == 0) engine_policy::wait(came, 0);
    } else {
      require(high_runs == 1, "a task began before one of high priority");
    }
  }
};

TEST(series, ends_for_one_of_high_priority) { expect_holds<beside_a_high_one>({3, 2, 2}); }
TEST(series, seeded_no_look_at_the_lane) {
  expect_found<beside_a_high_one>("no look at the lane between two",
                                  {harm::ignore, "priority.first: series"},
                                  "a task began before one of high priority");
}

/// A group that is stopped by task number `By` or by a thread outside.
template <unsigned By>
struct stopped : owner_waits<3> {
  /// Whether the group was stopped within a task of this worker.
  std::array<bool, 2> knows{};

  stopped() { group.stop().check_stops = true; }
  ~stopped() override { detail::forget_stop(group.stop()); }
  void stop() {
    detail::request_stop(group.stop(), &group);
    engine_policy::stops().fetch_add(1, std::memory_order_release);
  }
  [[nodiscard]] unsigned threads() const override { return By < 3 ? 2 : 3; }
  void run(unsigned k) override {
    if (k == 1) return engine.serve_worker(1);
    if (k == 2) return stop();
    queue(engine.at(0));
    engine.at(0).wait_for(group);
    for (unsigned i = 0; i < 3; ++i) {
      require(destroyed[i] == 1, "a wait ended before a task was run or dropped");
    }
    engine.stop();
  }
  void body(unsigned k, engine_worker& by) override {
    require(!knows[by.index()], "a task began after its group was stopped");
    if (k != By) return;
    stop();
    knows[by.index()] = true;
  }
};

TEST(series, ends_with_a_stop_by_its_task) { expect_holds<stopped<2>>({2, 1, 1}); }
TEST(series, ends_with_a_stop_by_its_second_task) {
  expect_holds<stopped<1>>({2, 1, unexplored});
  expect_holds_by_chance<stopped<1>>(5000);
}
TEST(series, ends_with_a_stop_from_outside) {
  expect_holds<stopped<3>>({1, 1, unexplored});
  expect_holds_by_chance<stopped<3>>(5000);
}
TEST(series, seeded_no_look_at_stops) {
  expect_found<stopped<2>>("no look at stops between two",
                           {harm::ignore, "waiting.stop-version: series"},
                           "a task began after its group was stopped");
}

// A wait with a limit ends after the limit, before the next task; another worker runs the rest.
struct limited : owner_waits<3> {
  static constexpr std::int64_t limit = 1000;
  explorer::atomic<std::uint32_t> nobody_wakes{0};
  bool over = false;
  bool again = false;

  void run(unsigned k) override {
    if (k == 1) return engine.serve_worker(1);
    engine_worker& by = engine.at(0);
    queue(by);
    by.wait_for(group, engine_policy::now() + limit);
    again = true;
    by.wait_for(group);
    require_ended();
    engine.stop();
  }
  void body(unsigned k, engine_worker& by) override {
    if (by.index() == 0) require(!over || again, "a task began when the time was over");
    if (k != 2) return;
    while (engine_policy::wait_for(nobody_wakes, 0, limit)) {
    }
    over = by.index() == 0;
  }
};

TEST(series, ends_with_a_limit) {
  expect_holds<limited>({2, 1, unexplored});
  expect_holds_by_chance<limited>(5000);
}

// -- Exceptions and waits in the middle ---------------------------------------------------------

// Two tasks throw: the rest runs, and the wait has one of the exceptions.
struct throwing : owner_waits<3> {
  void waited() override {
    unsigned caught = 0;
    try {
      group.failure().rethrow();
    } catch (unsigned number) {
      caught = number;
    }
    require(caught == 1 || caught == 2, "no exception came out of the group");
  }
  void body(unsigned k, engine_worker&) override {
    if (k != 0) throw k;
  }
};

TEST(series, goes_on_after_an_exception) {
  expect_holds<throwing>({2, 1, unexplored});
  expect_holds_by_chance<throwing>(5000);
}

// The second task waits for tasks of its own, which are a series as well. The tasks below it are
// not among these, and do not run within its wait.
struct within_each_other : owner_waits<5, 3> {
  std::array<unsigned, 2> waits{};

  void body(unsigned k, engine_worker& by) override {
    require(k >= 3 || waits[by.index()] == 0, "a wait ran what is not below its group");
    if (k != 1) return;
    engine_group inner(engine.workers(), &by);
    for (unsigned i = 3; i < 5; ++i) by.queue().push(make(inner, i, &by));
    ++waits[by.index()];
    by.wait_for(inner);
    --waits[by.index()];
    require_ended(3, 5);
  }
};

TEST(series, stands_within_another) {
  expect_holds<within_each_other>({1, 1, unexplored});
  expect_holds_by_chance<within_each_other>(5000);
}

// The last task of another worker's series waits. Ends of earlier tasks may be notified meanwhile,
// and the group does not count as ended.
struct waits_as_the_last : run_by_another<4, 2> {
  void body(unsigned k, engine_worker& by) override {
    if (k != 0) return;
    engine_group inner(engine.workers(), &by);
    for (unsigned i = 2; i < 4; ++i) by.queue().push(make(inner, i, &by));
    by.wait_for(inner);
    require_ended(2, 4);
  }
};

TEST(series, has_not_ended_while_its_last_task_waits) {
  expect_holds<waits_as_the_last>({3, 2, 2});
}

// A task waits for a group whose tasks are below its own place: they run nevertheless, and places
// are lowered before each.
struct from_beneath : run_by_another<2> {
  job above{[this](engine_worker& by) {
    by.wait_for(group);
    require_ended();
    engine.stop();
  }};

  [[nodiscard]] unsigned threads() const override { return 1; }
  void run(unsigned) override {
    engine_worker& by = engine.at(1);
    for (const detail::slot_word word : slots) by.queue().push(word);
    by.queue().push(above.word());
    engine.serve_worker(1);
  }
};

TEST(series, takes_nothing_from_beneath_a_frame) { expect_holds<from_beneath>({2, 2, 2}); }
TEST(series, seeded_place_not_asked_for) {
  expect_found<from_beneath>("a task from beneath a frame follows",
                             {harm::ignore, "waiting.descendants: place"},
                             "a task was taken from below a frame");
}

}  // namespace
}  // namespace evencube::test
