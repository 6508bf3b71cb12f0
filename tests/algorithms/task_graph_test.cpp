// Graphs of functions: each is called once and after those before it; graphs run again, and several
// times at once; branches are taken and meet again; cycles are named; an exception, or a stop, ends
// a run.
#include <array>
#include <atomic>
#include <cstdint>
#include <evencube/task_graph.hpp>
#include <limits>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support.hpp"

namespace evencube::task_graph_test {
namespace {

using graphs = test::on_workers;

TEST_P(graphs, run_in_order) {
  task_graph graph;
  std::atomic<int> clock{0};
  std::array<int, 4> at{};
  const auto stamp = [&](std::size_t k) { return [&, k] { at[k] = ++clock; }; };
  const auto a = graph.add(stamp(0), "a");
  const auto b = graph.add(stamp(1));
  const auto c = graph.add(stamp(2));
  const auto d = graph.add(stamp(3));
  graph.precede(a, b);
  graph.precede(a, c);
  graph.precede(b, d);
  graph.precede(c, d);
  for (int n = 0; n < 50; ++n) {
    clock = 0;
    EXPECT_EQ(n % 2 == 0 ? graph.run(rt_) : rt_.run([&] { return graph.run(); }),
              wait_status::completed);
    ASSERT_EQ(at[0], 1);
    ASSERT_EQ(at[1] + at[2], 5);
    ASSERT_EQ(at[3], 4);
  }
}

TEST_P(graphs, may_be_empty_or_without_edges) {
  task_graph graph;
  EXPECT_EQ(graph.run(rt_), wait_status::completed);
  std::atomic<int> ran{0};
  for (int i = 0; i < 1000; ++i) graph.add([&] { ++ran; });
  EXPECT_EQ(graph.size(), 1000U);
  graph.run(rt_);
  EXPECT_EQ(ran, 1000);
  EXPECT_THROW(graph.run(), error);  // no task calls
}

/// Nodes in random order, each after some of those before it in that order.
TEST_P(graphs, keep_every_edge_of_random_ones_that_run_at_once) {
  std::mt19937 random(GetParam());
  constexpr std::size_t nodes = 300;
  constexpr int runs = 4;
  for (int n = 0; n < 5; ++n) {
    // What the runs see: how often each function was called, all before all of the next.
    std::array<std::atomic<int>, nodes> calls{};
    std::vector<std::vector<std::size_t>> before(nodes);
    std::atomic<int> too_early{0};
    task_graph graph;
    std::vector<task_graph::node> made;
    for (std::size_t k = 0; k < nodes; ++k) {
      made.push_back(graph.add([&, k] {
        const int mine = ++calls[k];
        // So many runs have come here: those before must have been called as often.
        for (const std::size_t b : before[k]) too_early += calls[b] < mine;
      }));
    }
    for (std::size_t k = 1; k < nodes; ++k) {
      for (unsigned e = random() % 4; e > 0; --e) {
        before[k].push_back(random() % k);
        graph.precede(made[before[k].back()], made[k]);
      }
    }
    std::vector<std::jthread> threads;
    for (int r = 0; r < runs; ++r) threads.emplace_back([&] { graph.run(rt_); });
    threads.clear();
    for (const auto& c : calls) ASSERT_EQ(c, runs);
    ASSERT_EQ(too_early, 0);
    deadline_.renew();
  }
}

TEST_P(graphs, need_no_stack_for_long_ones) {
  task_graph graph;
  int length = 0;
  task_graph::node last = graph.add([&] { ++length; });
  for (int i = 1; i < 100'000; ++i) {
    const auto next = graph.add([&] { ++length; });
    graph.precede(last, next);
    last = next;
  }
  graph.run(rt_);
  EXPECT_EQ(length, 100'000);
}

enum class way { left, right, neither };

TEST_P(graphs, take_one_of_several_branches_that_meet_again) {
  task_graph graph;
  way chosen = way::left;
  std::atomic<int> left{0};
  std::atomic<int> right{0};
  std::atomic<int> behind{0};
  std::atomic<int> both{0};
  std::atomic<int> met{0};
  const auto choose = graph.add([&] { return chosen; }, "choose");
  const auto l = graph.add([&] { ++left; });
  const auto r = graph.add([&] { ++right; });
  const auto r2 = graph.add([&] { ++behind; });
  const auto meet = graph.add([&] { ++met; });
  // After something that is always there, but only if right was chosen.
  const auto other = graph.add([] {});
  const auto if_right = graph.add([&] { ++both; });
  graph.precede(choose, l, way::left);
  graph.precede(choose, r, way::right);
  graph.precede(r, r2);
  graph.precede(l, meet);
  graph.precede(r2, meet);
  graph.precede(choose, if_right, way::right);
  graph.precede(other, if_right);
  const auto expect = [&](int l_ran, int r_ran, int met_ran) {
    left = right = behind = both = met = 0;
    EXPECT_EQ(graph.run(rt_), wait_status::completed);
    EXPECT_EQ(left, l_ran);
    EXPECT_EQ(right, r_ran);
    EXPECT_EQ(behind, r_ran);
    EXPECT_EQ(both, r_ran);
    EXPECT_EQ(met, met_ran);
  };
  for (int n = 0; n < 20; ++n) {
    chosen = way::left;
    expect(1, 0, 1);
    chosen = way::right;
    expect(0, 1, 1);
    chosen = way::neither;
    expect(0, 0, 0);
  }
}

TEST_P(graphs, choose_by_truth) {
  task_graph graph;
  bool truth = false;
  int ran = 0;
  const auto ask = graph.add([&] { return truth; });
  const auto answer = graph.add([&] { ++ran; });
  graph.precede(ask, answer, true);
  graph.run(rt_);
  EXPECT_EQ(ran, 0);
  truth = true;
  graph.run(rt_);
  EXPECT_EQ(ran, 1);
}

TEST_P(graphs, take_no_edge_for_a_number_that_none_can_ask_for) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  std::int64_t given = 0;
  int ran = 0;
  task_graph graph;
  const auto choose = graph.add([&] { return given; });
  graph.precede(choose, graph.add([&] { ++ran; }), most);
  graph.precede(choose, graph.add([&] { ++ran; }), 0);
  for (const std::int64_t negative :
       {std::int64_t{-1}, std::int64_t{-2}, std::int64_t{-3}, -most}) {
    given = negative;
    graph.run(rt_);
    EXPECT_EQ(ran, 0) << negative;
  }
  given = most;
  graph.run(rt_);
  EXPECT_EQ(ran, 1);
}

TEST_P(graphs, end_with_the_first_exception) {
  task_graph graph;
  std::atomic<int> after{0};
  const auto first = graph.add([] { throw std::runtime_error("first"); });
  const auto second = graph.add([&] { ++after; });
  graph.precede(first, second);
  for (int n = 0; n < 20; ++n) EXPECT_THROW(graph.run(rt_), std::runtime_error);
  EXPECT_EQ(after, 0);
}

TEST_P(graphs, are_stopped_by_a_token) {
  task_graph graph;
  std::stop_source source;
  std::atomic<int> after{0};
  const auto first = graph.add([&] { source.request_stop(); });
  const auto second = graph.add([&] { ++after; });
  graph.precede(first, second);
  EXPECT_EQ(graph.run(rt_, source.get_token()), wait_status::stopped);
  EXPECT_EQ(graph.run(rt_, source.get_token()), wait_status::stopped);
  EXPECT_EQ(after, 0);
  EXPECT_EQ(graph.run(rt_), wait_status::completed);
  EXPECT_EQ(after, 1);
}

TEST_P(graphs, run_within_functions_of_others) {
  task_graph inner;
  std::atomic<int> ran{0};
  const auto a = inner.add([&] { ++ran; });
  const auto b = inner.add([&] { ++ran; });
  inner.precede(a, b);
  task_graph outer;
  for (int i = 0; i < 20; ++i) outer.add([&] { inner.run(); });
  outer.run(rt_);
  EXPECT_EQ(ran, 40);
}

TEST_P(graphs, are_not_changed_while_they_run) {
  task_graph graph;
  std::atomic<int> refused{0};
  const auto self = graph.add([&] {
    try {
      graph.add([] {});
    } catch (const error&) {
      ++refused;
    }
  });
  graph.run(rt_);
  EXPECT_EQ(refused, 1);
  const auto later = graph.add([&] { ++refused; });
  graph.precede(self, later);
  graph.run(rt_);
  EXPECT_EQ(refused, 3);
}

TEST_P(graphs, are_refused_to_who_holds_the_runtime) {
  task_graph graph;
  int calls = 0;
  graph.add([&] { ++calls; });
  {
    const auto held = rt_.hold();
    EXPECT_THROW(graph.run(rt_), error);
  }
  EXPECT_EQ(calls, 0);
  graph.run(rt_);
  EXPECT_EQ(calls, 1);
}

INSTANTIATE_TEST_SUITE_P(on, graphs, testing::Values(1, 2, 3, 8), test::workers_name);

TEST(task_graph_of_nothing, refuses_a_cycle_and_names_its_nodes) {
  task_graph graph;
  const auto start = graph.add([] {}, "start");
  const auto a = graph.add([] {}, "a");
  const auto b = graph.add([] {});
  const auto c = graph.add([] {}, "c");
  graph.precede(start, a);
  graph.precede(a, b);
  graph.precede(b, c);
  graph.check();
  graph.precede(c, a);
  try {
    graph.check();
    FAIL() << "a cycle was not noticed";
  } catch (const error& e) {
    EXPECT_STREQ(e.what(), "task_graph: a cycle: \"a\" -> node 2 -> \"c\" -> \"a\"");
  }
  runtime rt({.workers = 1});
  EXPECT_THROW(graph.run(rt), error);
  task_graph self;
  const auto lone = self.add([] {}, "lone");
  self.precede(lone, lone);
  EXPECT_THROW(self.check(), error);
}

TEST(task_graph_of_nothing, refuses_what_is_not_its_own) {
  task_graph graph;
  task_graph other;
  const auto mine = graph.add([] {});
  const auto its = other.add([] {});
  EXPECT_THROW(graph.precede(mine, its), std::invalid_argument);
  EXPECT_THROW(graph.precede(task_graph::node(), mine), std::invalid_argument);
  EXPECT_THROW(graph.precede(mine, mine, 1), std::invalid_argument);  // it gives nothing
  const auto chooses = graph.add([] { return 1; });
  EXPECT_THROW(graph.precede(chooses, mine, -1), std::invalid_argument);
}

TEST(task_graph_of_nothing, is_drawn_by_dot) {
  task_graph graph;
  const auto a = graph.add([] { return true; }, "is \"it\"?");
  const auto b = graph.add([] {});
  graph.precede(a, b, true);
  graph.precede(a, b);
  EXPECT_EQ(graph.to_dot(),
            "digraph {\n"
            "  n0 [label=\"is \\\"it\\\"?\", shape=diamond];\n"
            "  n1 [label=\"1\"];\n"
            "  n0 -> n1 [label=\"1\", style=dashed];\n"
            "  n0 -> n1;\n"
            "}\n");
}

}  // namespace
}  // namespace evencube::task_graph_test
