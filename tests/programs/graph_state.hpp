#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <utility>
#include <variant>
#include <vector>

#include "execution.hpp"

namespace evencube::programs {

/// One graph: what its nodes must do, and what they have done.
struct execution::graph_state {
  struct node {
    /// In all runs.
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
    std::atomic<int> threw{0};
    std::atomic<int> caught{0};
    /// In this run, where only one is under way: plain, see ticket.
    int ran = 0;
    bool done = false;
    bool failed = false;
    bool stopped = false;  ///< it was known when it ended that the run had been stopped
  };
  graph_state(const step& of, const surroundings& around, const stop_state* above)
      : s(of),
        stops(above),
        here{of.target, nullptr, nullptr, &stops, &source, around.groups},
        nodes(of.inner.size()),
        before(of.inner.size(), std::vector<bool>(of.inner.size())) {
    // Those before it, and those before these; edges lead from lower numbers to higher ones.
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      for (const edge& e : s.edges) {
        if (at(e.to) != k) continue;
        before[k][at(e.from)] = true;
        for (std::size_t i = 0; i < k; ++i) before[k][i] = before[k][i] || before[at(e.from)][i];
      }
    }
  }
  graph_state(const graph_state&) = delete;
  graph_state& operator=(const graph_state&) = delete;
  ~graph_state() = default;

  void begin_run(int number) {
    run = number;
    called = nodes_called(s, number);
    barred = stops.surely();
    for (node& n : nodes) {
      n.ran = 0;
      n.done = n.failed = n.stopped = false;
    }
  }
  [[nodiscard]] bool alone() const { return s.variant == one_by_one; }

  const step& s;
  std::stop_source source;
  stop_state stops;
  const local_group here;
  std::vector<node> nodes;
  std::vector<std::vector<bool>> before;
  std::vector<bool> called;
  int run = 0;
  /// What nodes have given and nobody has destroyed.
  std::atomic<int> values_alive{0};
  bool barred = false;  ///< stopped before it began
  std::atomic<int> completed{0};
};

/// What a node gives: whose it is, and who has had it. It can be moved alone.
class execution::node_value {
 public:
  struct contents {
    contents(std::size_t whose, int when) : node(whose), run(when) {}
    const std::size_t node;
    const int run;
    /// A bit for each node that was called with it. Relaxed: it orders nothing, so that a thread
    /// sanitizer finds a node that is called too early by what is plain here.
    std::atomic<unsigned> had_by{0};
  };
  node_value(std::atomic<int>& alive, std::size_t node, int run)
      : alive_(&alive), inside_(std::make_unique<contents>(node, run)) {
    alive.fetch_add(1, std::memory_order_relaxed);
  }
  node_value(node_value&&) noexcept = default;
  node_value& operator=(node_value&&) = delete;
  ~node_value() {
    if (inside_ != nullptr) alive_->fetch_sub(1, std::memory_order_relaxed);
  }

  [[nodiscard]] contents* inside() const { return inside_.get(); }

 private:
  std::atomic<int>* alive_;
  std::unique_ptr<contents> inside_;
};

/// The nodes of a graph that is being built, by what they give.
struct execution::values_of_graph {
  using giving = task_graph::node_giving<node_value>;
  using choosing = task_graph::node_giving<int>;
  using taking = decltype(std::declval<giving>().take());
  using argument = std::variant<giving, taking, choosing>;

  [[nodiscard]] argument along(const step& s, const edge& e) const {
    if (chooses(s, e.from)) return choosers[at(e.from)];
    if (e.value == passing::to_take) return givers[at(e.from)].take();
    return givers[at(e.from)];
  }

  std::vector<task_graph::node> all;
  std::vector<giving> givers;
  std::vector<choosing> choosers;
};

}  // namespace evencube::programs
