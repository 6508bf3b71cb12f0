// What may outlive its runtime, and what it does then: the table in docs/contract.md, line by line.
// Under the address sanitizer these tests show that nothing reads the runtime's memory.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <evencube/arena.hpp>
#include <evencube/balanced_loop.hpp>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <evencube/live_sampler.hpp>
#include <evencube/task_graph.hpp>
#include <evencube/worker_local.hpp>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <utility>

namespace evencube {
namespace {

/// A runtime whose place is known, so that another one can be made in the same place.
class one_place {
 public:
  explicit one_place(unsigned workers = 2) { make(workers); }
  one_place(const one_place&) = delete;
  one_place& operator=(const one_place&) = delete;
  ~one_place() {
    if (alive_) end();
  }
  void make(unsigned workers = 2) {
    ::new (static_cast<void*>(room_)) runtime({.workers = workers});
    alive_ = true;
  }
  void end() {
    (**this).~runtime();
    alive_ = false;
  }
  runtime& operator*() { return *std::launder(reinterpret_cast<runtime*>(room_)); }
  runtime* operator->() { return &**this; }

 private:
  alignas(runtime) std::byte room_[sizeof(runtime)];
  bool alive_ = false;
};

TEST(outlived_runtime, group_that_was_never_used) {
  one_place rt;
  std::optional<task_group> group(*rt);
  rt.end();
  EXPECT_FALSE(group->stop_requested());
  EXPECT_EQ(group->wait(), wait_status::completed);
  group.reset();
}

TEST(outlived_runtime, group_that_was_waited_for) {
  for (const bool stops : {false, true}) {
    one_place rt;
    std::optional<task_group> group(*rt);
    group->spawn([] {});
    group->wait();
    const std::stop_token token = group->stop_token();
    rt.end();
    if (stops) group->request_stop();
    EXPECT_EQ(group->stop_requested(), stops);
    EXPECT_EQ(token.stop_requested(), stops);
    EXPECT_EQ(group->wait(), stops ? wait_status::stopped : wait_status::completed);
    group.reset();
  }
}

TEST(outlived_runtime, group_with_a_token_of_its_own) {
  one_place rt;
  std::stop_source source;
  std::optional<task_group> group(std::in_place, *rt, source.get_token());
  rt.end();
  source.request_stop();
  EXPECT_TRUE(group->stop_requested());
  group.reset();
}

TEST(outlived_runtime, group_whose_tasks_made_it_wait_for_an_exception) {
  one_place rt;
  std::optional<task_group> group(*rt);
  group->spawn([] { throw 1; });
  EXPECT_THROW(group->wait(), int);
  rt.end();
  EXPECT_EQ(group->wait(), wait_status::completed);
}

TEST(outlived_runtime, group_in_a_class_whose_members_are_in_the_wrong_order) {
  struct wrong {
    std::unique_ptr<task_group> group;
    runtime rt{{.workers = 2}};
    wrong() {
      group = std::make_unique<task_group>(rt);
      group->spawn([] {});
      group->wait();
    }
  };
  {
    const wrong made;
  }
}

// That a stopped runtime stands where its own stood is none of its business.
TEST(outlived_runtime, group_is_not_stopped_with_another_runtime_in_the_same_place) {
  one_place rt;
  task_group group(*rt);
  rt.end();
  rt.make();
  rt->stop();
  EXPECT_FALSE(group.stop_requested());
}

TEST(outlived_runtime, group_of_an_arena) {
  one_place rt;
  std::optional<arena> limited(std::in_place, *rt);
  std::optional<task_group> group(*limited);
  group->spawn([] {});
  group->wait();
  rt.end();
  group.reset();
  EXPECT_THROW(task_group again(*limited), error);
}

TEST(outlived_runtime, arena_refuses_everything) {
  one_place rt;
  std::optional<arena> limited(std::in_place, *rt);
  limited->run([] {});
  rt.end();
  EXPECT_EQ(limited->workers(), 1U);
  EXPECT_THROW(limited->run([] {}), error);
  EXPECT_THROW(static_cast<void>(limited->async([] {})), error);
  rt.make();
  EXPECT_THROW(limited->run([] {}), error);
  rt->run([&] { EXPECT_THROW(static_cast<void>(limited->async([] {})), error); });
  limited.reset();
}

TEST(outlived_runtime, future_keeps_its_result_and_has_no_continuation) {
  one_place rt;
  future<int> one = rt->async([] { return 1; });
  future<int> two = rt->async([] { return 2; });
  rt.end();
  EXPECT_EQ(one.get(), 1);
  EXPECT_TRUE(two.ready());
  EXPECT_THROW(static_cast<void>(std::move(two).then([](int i) { return i; })), error);
}

task<int> one() { co_return 1; }

TEST(outlived_runtime, coroutine_that_was_never_started) {
  one_place rt;
  task<int> made = one();
  rt.end();
  EXPECT_TRUE(made.valid());
}

TEST(outlived_runtime, future_of_a_coroutine) {
  one_place rt;
  future<int> started = start(*rt, one());
  rt.end();
  EXPECT_EQ(started.get(), 1);
}

struct receiver {
  bool* failed;
  void set_value() && {}
  void set_stopped() && {}
  void set_error(std::exception_ptr) && { *failed = true; }
};

task<bool> goes_on(runtime_scheduler on) {
  try {
    co_await on.schedule();
    co_return true;
  } catch (const error&) {
    co_return false;
  }
}

TEST(outlived_runtime, scheduler_and_sender_refuse) {
  one_place rt;
  runtime other({.workers = 1});
  const runtime_scheduler on = rt->get_scheduler();
  const schedule_sender sender = rt->schedule();
  EXPECT_TRUE(start(other, goes_on(on)).get());
  rt.end();
  for (const bool again : {false, true}) {
    if (again) rt.make();
    EXPECT_FALSE(start(other, goes_on(on)).get());
    bool failed = false;
    auto operation = sender.connect(receiver{&failed});
    operation.start();
    EXPECT_TRUE(failed);
  }
  EXPECT_FALSE(on == rt->get_scheduler());
}

TEST(outlived_runtime, worker_local_keeps_its_values) {
  one_place rt(3);
  worker_local<int> values(*rt, [] { return 0; });
  rt->run([&] { parallel_for(0, 100, [&](int) { ++values.local(); }); });
  rt.end();
  EXPECT_EQ(values.combine([](int a, int b) { return a + b; }), 100);
}

// It used to give the values of the workers that are gone to those of a runtime in the same place.
TEST(outlived_runtime, worker_local_knows_its_own_workers) {
  for (int life = 0; life < 50; ++life) {
    one_place rt(1);
    worker_local<int> values(*rt, [] { return 0; });
    const int* const before = rt->run([&] { return &values.local(); });
    rt.end();
    rt.make(1);
    EXPECT_NE(rt->run([&] { return &values.local(); }), before);
  }
}

TEST(outlived_runtime, graph_runs_on_another) {
  one_place rt;
  std::atomic<int> ran{0};
  task_graph graph;
  static_cast<void>(graph.add([&] { ++ran; }));
  graph.run(*rt);
  rt.end();
  runtime other({.workers = 2});
  graph.run(other);
  EXPECT_EQ(ran, 2);
}

TEST(outlived_runtime, balanced_loop_refuses_to_run) {
  one_place rt;
  balanced_loop<int> loop(*rt, 0, 100);
  loop.run([](int) {});
  rt.end();
  EXPECT_THROW(loop.run([](int) {}), error);
  rt.make();
  EXPECT_THROW(loop.run([](int) {}), error);
  rt->run([&] { EXPECT_THROW(loop.run([](int) {}), error); });
}

TEST(outlived_runtime, hot_phase_may_be_destroyed) {
  one_place rt;
  const hot_phase phase(*rt);
  rt.end();
  rt.make();
}

TEST(outlived_runtime, live_sampler_refuses) {
  one_place rt;
  live_sampler sampler(*rt);
  static_cast<void>(sampler.sample());
  rt->stop();
  EXPECT_NO_THROW(static_cast<void>(sampler.sample()));  // it can still be asked
  rt.end();
  EXPECT_THROW(static_cast<void>(sampler.sample()), error);
  rt.make();
  EXPECT_THROW(static_cast<void>(sampler.sample()), error);
}

TEST(outlived_runtime, observer_is_let_go_of) {
  auto watching = std::make_shared<observer>();
  {
    runtime rt({.workers = 2, .observer = watching});
    rt.run([] {});
  }
  EXPECT_EQ(watching.use_count(), 1);
}

// Its runtime, which cannot stop workers that stand still, is left as it is.
TEST(outlived_runtime, hold_guard_lets_go) {
  auto rt = std::make_unique<runtime>(runtime_options{.workers = 2});
  std::optional<hold_guard> held(*rt);
  rt.reset();
  EXPECT_EQ(held->loads().size(), 2U);
  held.reset();
}

}  // namespace
}  // namespace evencube
