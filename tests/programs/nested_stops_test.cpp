// What a stop reaches: the runtime and the reference with a thread for every task must agree.
#include <gtest/gtest.h>

#include <evencube/algorithms.hpp>
#include <evencube/evencube.hpp>
#include <stop_token>
#include <utility>

namespace evencube {
namespace {

struct seen {
  wait_status inner = wait_status::completed;
  int called = 0;
};

/// In a node of a graph that is stopped by its token: another graph, in a run() of its own, whose
/// first node asks for the stop. The second one begins after that, so it is not called.
seen stop_from_within(runtime& rt) {
  seen result;
  std::stop_source source;
  task_graph outer;
  outer.add([&] {
    rt.run([&] {
      task_graph inner;
      const auto first = inner.add([&] { source.request_stop(); });
      const auto second = inner.add([&] { ++result.called; });
      inner.precede(first, second);
      result.inner = inner.run(rt);
    });
  });
  EXPECT_EQ(outer.run(source.get_token()), wait_status::stopped);
  return result;
}

void expect_stopped(const seen& s) {
  EXPECT_EQ(s.inner, wait_status::stopped);
  EXPECT_EQ(s.called, 0);
}

TEST(stops, reach_a_graph_in_a_run_in_a_node) {
  runtime rt({.workers = 2});
  expect_stopped(rt.run([&] { return stop_from_within(rt); }));
}

TEST(stops, reach_one_below_an_async) {
  runtime rt({.workers = 2});
  expect_stopped(rt.async([&] { return stop_from_within(rt); }).get());
}

TEST(stops, reach_one_below_a_continuation) {
  runtime rt({.workers = 2});
  auto ready = make_ready_future(rt, 1L);
  expect_stopped(ready.then([&](long) { return stop_from_within(rt); }).get());
}

TEST(stops, reach_a_group_in_a_node_below_a_continuation) {
  runtime rt({.workers = 2});
  auto ready = make_ready_future(rt, 1L);
  const auto inner = [&](long) {
    auto told = wait_status::completed;
    std::stop_source source;
    task_graph outer;
    outer.add([&] {
      source.request_stop();
      task_group group(rt);
      group.spawn([] {});
      told = group.wait();
    });
    static_cast<void>(outer.run(source.get_token()));
    return told;
  };
  EXPECT_EQ(ready.then(inner).get(), wait_status::stopped);
}

// One that continues a task of a stopped group is no part of it: a future has no group.
TEST(stops, do_not_reach_a_continuation_that_a_stopped_task_makes) {
  runtime rt({.workers = 2});
  task_group group(rt);
  future<bool> continued;
  group.spawn([&] {
    group.request_stop();
    continued = make_ready_future(rt, 1L).then([](long) { return this_task::stop_requested(); });
  });
  static_cast<void>(group.wait());
  EXPECT_FALSE(continued.get());
}

}  // namespace
}  // namespace evencube
