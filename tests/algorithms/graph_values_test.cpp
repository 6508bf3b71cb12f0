// Values along the edges of a graph. Each function gets the values of the nodes named with it, from
// the same run and in their order. A value that is read is not copied, a value that is taken is
// moved once, and no value is left behind, however a run ends.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <evencube/task_graph.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support.hpp"

namespace evencube::graph_values_test {
namespace {

using graph_with_values = test::on_workers;

TEST_P(graph_with_values, calls_functions_with_what_others_gave_in_the_order_named) {
  task_graph graph;
  const auto three = graph.add([] { return 3; });
  const auto text = graph.add([] { return std::string("text"); });
  const auto half = graph.add([] { return 0.5; });
  std::string seen;
  const auto all = graph.add(
      [](const std::string& t, int n, double h, int again) {
        return t + " " + std::to_string(n) + " " + std::to_string(h).substr(0, 3) + " " +
               std::to_string(again);
      },
      values_of(text, three, half, three));
  graph.add([&](const std::string& t) { seen = t; }, values_of(all), "last");
  EXPECT_EQ(graph.size(), 5U);
  for (int n = 0; n < 20; ++n) {
    seen.clear();
    EXPECT_EQ(graph.run(rt_), wait_status::completed);
    ASSERT_EQ(seen, "text 3 0.5 3");
  }
}

/// Counts its objects, copies and moves.
struct counting {
  static inline std::atomic<int> alive{0};
  static inline std::atomic<int> copies{0};
  static inline std::atomic<int> moves{0};

  explicit counting(int of) : number(of) { ++alive; }
  counting(const counting& other) : number(other.number) {
    ++alive;
    ++copies;
  }
  counting(counting&& other) noexcept : number(std::exchange(other.number, -1)) {
    ++alive;
    ++moves;
  }
  counting& operator=(const counting&) = delete;
  ~counting() { --alive; }

  static void reset() { copies = moves = 0; }

  int number;
};

TEST_P(graph_with_values, copies_nothing_that_is_looked_at_and_moves_once_what_is_taken) {
  task_graph graph;
  const auto looked_at = graph.add([] { return counting(1); });
  const auto taken = graph.add([] { return counting(2); });
  std::atomic<const counting*> first{nullptr};
  std::atomic<const counting*> second{nullptr};
  std::atomic<int> sum{0};
  graph.add([&](const counting& c) { first = &c, sum += c.number; }, values_of(looked_at));
  graph.add([&](const counting& c) { second = &c, sum += c.number; }, values_of(looked_at));
  graph.add([&](counting c, const counting& d) { sum += c.number + d.number; },
            values_of(taken.take(), looked_at));
  for (int n = 0; n < 20; ++n) {
    counting::reset();
    sum = 0;
    graph.run(rt_);
    ASSERT_EQ(sum, 5);
    ASSERT_EQ(first, second);
    ASSERT_EQ(counting::copies, 0);
    ASSERT_EQ(counting::moves, 1);
    ASSERT_EQ(counting::alive, 0);
  }
  // A function that takes the value by value gets a copy.
  task_graph copying;
  const auto given = copying.add([] { return counting(7); });
  for (int n = 0; n < 3; ++n) copying.add([&](counting c) { sum += c.number; }, values_of(given));
  counting::reset();
  sum = 0;
  copying.run(rt_);
  EXPECT_EQ(sum, 21);
  EXPECT_EQ(counting::copies, 3);
  EXPECT_EQ(counting::moves, 0);
  EXPECT_EQ(counting::alive, 0);
}

struct alignas(256) wide {
  explicit wide(int of) : number(of) {}
  wide(const wide&) = delete;  // can be neither copied nor moved
  wide& operator=(const wide&) = delete;
  ~wide() = default;

  int number;
};

TEST_P(graph_with_values, carries_what_can_be_moved_only_and_what_cannot_even_be_moved) {
  task_graph graph;
  const auto owned = graph.add([] { return std::make_unique<int>(5); });
  const auto small = graph.add([] { return 'a'; });
  const auto fixed = graph.add([] { return wide(7); });
  const auto passed_on = graph.add(
      [](std::unique_ptr<int> p, char c) {
        *p += c - 'a';
        return p;
      },
      values_of(owned.take(), small));
  const auto shared = graph.add(
      [](const std::unique_ptr<int>& p, const wide& w) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&w) % alignof(wide), 0U);
        return *p + w.number;
      },
      values_of(passed_on, fixed));
  int seen = 0;
  graph.add([&](int n, const std::unique_ptr<int>& p) { seen = n + *p; },
            values_of(shared, passed_on));
  for (int n = 0; n < 20; ++n) {
    seen = 0;
    graph.run(rt_);
    ASSERT_EQ(seen, 17);
  }
}

TEST_P(graph_with_values, skips_whom_a_value_is_missing) {
  task_graph graph;
  bool left = false;
  std::atomic<int> called{0};
  const auto choose = graph.add([&] { return left; });
  const auto on_left = graph.add([] { return counting(1); });
  const auto on_right = graph.add([] { return counting(2); });
  graph.precede(choose, on_left, true);
  graph.precede(choose, on_right, false);
  const auto always = graph.add([] { return 10; });
  graph.add([&](const counting& c, int n) { called += c.number + n; }, values_of(on_left, always));
  const auto next = graph.add([&](const counting& c) { return c.number; }, values_of(on_right));
  graph.add([&](int n) { called += 100 * n; }, values_of(next));
  graph.add([&](const counting&, const counting&) { called += 1000; },
            values_of(on_left, on_right));
  // Paths with plain edges meet again as without values.
  const auto meet = graph.add([&] { called += 10'000; });
  graph.precede(on_left, meet);
  graph.precede(on_right, meet);
  // A value can also be the number of the edge to choose.
  const auto twice = graph.add([&](bool l) { return l ? 7 : 8; }, values_of(choose));
  const auto by_number = graph.add([&] { called += 100'000; });
  graph.precede(twice, by_number, 7);
  for (int n = 0; n < 20; ++n) {
    left = n % 2 == 0;
    called = 0;
    EXPECT_EQ(graph.run(rt_), wait_status::completed);
    ASSERT_EQ(called, left ? 110'011 : 10'200);
    ASSERT_EQ(counting::alive, 0);
  }
}

TEST_P(graph_with_values, leaves_no_value_behind_where_a_function_throws_or_a_run_is_stopped) {
  task_graph graph;
  std::stop_source source;
  std::atomic<bool> throws{true};
  std::atomic<int> after{0};
  const auto a = graph.add([] { return counting(1); });
  const auto b = graph.add(
      [&](const counting& c) {
        if (throws) throw std::runtime_error("b");
        source.request_stop();
        return counting(c.number + 1);
      },
      values_of(a));
  graph.add([&](const counting&, const counting&) { ++after; }, values_of(b, a));
  for (int n = 0; n < 20; ++n) EXPECT_THROW(graph.run(rt_), std::runtime_error);
  EXPECT_EQ(counting::alive, 0);
  throws = false;
  EXPECT_EQ(graph.run(rt_, source.get_token()), wait_status::stopped);
  EXPECT_EQ(counting::alive, 0);
  EXPECT_EQ(after, 0);
  EXPECT_EQ(graph.run(rt_), wait_status::completed);
  EXPECT_EQ(after, 1);
  EXPECT_EQ(counting::alive, 0);
}

/// A graph of random functions of the values of earlier nodes, which can also be computed serially.
/// The runs differ by a number that the first node draws.
class random_graph {
 public:
  using value = std::vector<std::uint64_t>;  // a type with a destructor that can be moved

  explicit random_graph(std::mt19937& random, std::size_t size) : inputs_(size), takes_(size) {
    std::vector<task_graph::node_giving<value>> nodes;
    nodes.push_back(graph_.add([this] { return value{++runs_}; }));
    std::vector<int> uses(size, 0);
    for (const std::size_t wanted : {std::size_t{0}, size - 1, size / 2}) ++uses[wanted];
    for (std::size_t k = 1; k < size; ++k) {
      const std::size_t arguments = 1 + random() % 3;
      // Mostly near nodes: chains as well as fans.
      for (std::size_t i = 0; i < arguments; ++i) {
        const std::size_t back =
            1 + random() % (random() % 4 == 0 ? k : std::min<std::size_t>(k, 4));
        inputs_[k].push_back(k - back);
        ++uses[k - back];
      }
    }
    for (std::size_t k = 1; k < size; ++k) {
      const auto& from = inputs_[k];
      // A node may take a value that no other node uses.
      takes_[k] = uses[from[0]] == 1 && random() % 2 == 0;
      switch (from.size()) {
        case 1:
          if (takes_[k]) {
            nodes.push_back(graph_.add([k](value&& a) { return changed(k, std::move(a)); },
                                       values_of(nodes[from[0]].take())));
          } else {
            nodes.push_back(
                graph_.add([k](const value& a) { return of(k, {&a}); }, values_of(nodes[from[0]])));
          }
          break;
        case 2:
          nodes.push_back(
              graph_.add([k](const value& a, const value& b) { return of(k, {&a, &b}); },
                         values_of(nodes[from[0]], nodes[from[1]])));
          break;
        default:
          nodes.push_back(graph_.add(
              [k](const value& a, const value& b, value c) { return of(k, {&a, &b, &c}); },
              values_of(nodes[from[0]], nodes[from[1]], nodes[from[2]])));
      }
    }
    // The result: the run's number and the last values of the run.
    graph_.add(
        [this](const value& first, const value& last, const value& middle) {
          const std::lock_guard lock(mutex_);
          results_[first[0]] = {last, middle};
        },
        values_of(nodes[0], nodes[size - 1], nodes[size / 2]));
  }

  void run(runtime& on) { EXPECT_EQ(graph_.run(on), wait_status::completed); }

  /// Checks the results of `runs` runs, each of which has a number of its own.
  void check(std::size_t runs) const {
    ASSERT_EQ(results_.size(), runs);
    for (const auto& [number, result] : results_) {
      ASSERT_EQ(result, serially(number)) << number;
    }
  }

 private:
  static value of(std::size_t k, const std::vector<const value*>& arguments) {
    value result{k};
    for (const value* a : arguments) {
      for (const std::uint64_t x : *a) result[0] = result[0] * 6364136223846793005U + x;
      result.push_back((*a)[0]);  // the order counts
    }
    return result;
  }
  static value changed(std::size_t k, value&& a) {
    for (std::uint64_t& x : a) x = x * 31 + k;
    return std::move(a);
  }

  [[nodiscard]] std::pair<value, value> serially(std::uint64_t number) const {
    std::vector<value> values{{number}};
    for (std::size_t k = 1; k < inputs_.size(); ++k) {
      std::vector<const value*> arguments;
      for (const std::size_t from : inputs_[k]) arguments.push_back(&values[from]);
      const bool takes = takes_[k] && arguments.size() == 1;
      values.push_back(takes ? changed(k, value(*arguments[0])) : of(k, arguments));
    }
    return {values.back(), values[inputs_.size() / 2]};
  }

  std::vector<std::vector<std::size_t>> inputs_;
  std::vector<bool> takes_;
  std::atomic<std::uint64_t> runs_{0};
  task_graph graph_;
  std::mutex mutex_;  // guards `results_`
  std::map<std::uint64_t, std::pair<value, value>> results_;
};

TEST_P(graph_with_values, gives_what_a_serial_evaluation_gives) {
  std::mt19937 random(GetParam() * 7 + 1);
  for (int n = 0; n < 12; ++n) {
    random_graph graph(random, 2 + random() % (n % 4 == 0 ? 400 : 40));
    for (int again = 0; again < 3; ++again) graph.run(rt_);
    // Runs several at once, from a thread outside the runtime and from tasks.
    std::thread outside([&] { graph.run(rt_); });
    rt_.run([&] {
      task_group group;
      for (int at_once = 0; at_once < 4; ++at_once) group.spawn([&] { graph.run(rt_); });
      group.wait();
    });
    outside.join();
    graph.check(8);
  }
}

INSTANTIATE_TEST_SUITE_P(on, graph_with_values, testing::Values(1, 2, 3, 8, 64),
                         test::workers_name);

TEST(values_of_a_graph, are_refused_where_they_cannot_be) {
  task_graph graph;
  task_graph other;
  const auto number = graph.add([] { return 3; }, "number");
  const auto its = other.add([] { return 4; });
  const auto takes_one = [](int) {};
  EXPECT_THROW(graph.add(takes_one, values_of(its)), std::invalid_argument);
  EXPECT_THROW(graph.add(takes_one, values_of(task_graph::node_giving<int>())),
               std::invalid_argument);
  const auto takes_two = [](int, int) {};
  EXPECT_THROW(graph.add(takes_two, values_of(number, number.take())), std::invalid_argument);
  EXPECT_THROW(graph.add(takes_two, values_of(number.take(), number.take())),
               std::invalid_argument);
  EXPECT_EQ(graph.size(), 1U);
  graph.add(takes_two, values_of(number, number));
  try {
    graph.add(takes_one, values_of(number.take()));
    FAIL() << "taken from others";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(),
                 "task_graph: the value of \"number\" is taken by one function and named for "
                 "another");
  }
  const auto second = graph.add([] { return 3; });
  graph.add(takes_one, values_of(second.take()));
  EXPECT_THROW(graph.add(takes_one, values_of(second)), std::invalid_argument);
  EXPECT_EQ(graph.size(), 4U);
  // Only a plain edge can close a cycle.
  const auto third = graph.add([](int n) { return n; }, values_of(number), "third");
  graph.precede(third, number);
  EXPECT_THROW(graph.check(), error);
}

TEST(values_of_a_graph, are_drawn_by_dot) {
  task_graph graph;
  const auto a = graph.add([] { return 1; }, "a");
  const auto b = graph.add([] { return std::string("b"); });
  const auto c = graph.add([](const std::string&, int) {}, values_of(b, a), "c");
  graph.precede(a, c);
  EXPECT_EQ(graph.to_dot(),
            "digraph {\n"
            "  n0 [label=\"a\"];\n"
            "  n1 [label=\"1\"];\n"
            "  n2 [label=\"c\"];\n"
            "  n1 -> n2 [headlabel=\"1\", style=bold];\n"
            "  n0 -> n2 [headlabel=\"2\", style=bold];\n"
            "  n0 -> n2;\n"
            "}\n");
}

}  // namespace
}  // namespace evencube::graph_values_test
