#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/task_group.hpp>

namespace evencube::detail {

/// A node's function. Gives the number that it chose, or one of those of `graph_edge`.
class graph_callable {
 public:
  graph_callable() = default;
  graph_callable(const graph_callable&) = delete;
  graph_callable& operator=(const graph_callable&) = delete;
  virtual ~graph_callable() = default;
  virtual std::int64_t call() = 0;
};

/// From one node to another.
struct graph_edge {
  static constexpr std::int64_t always = -1;
  /// What a node gives that was skipped: none of its edges is taken.
  static constexpr std::int64_t skipped = -2;
  /// What one gives whose number no edge can ask for.
  static constexpr std::int64_t none = -3;

  std::uint32_t from;
  std::uint32_t to;
  /// The number that `from` must give; `always`: none.
  std::int64_t choice;
};

/// The number behind a condition. Throws std::invalid_argument if it is none that can be chosen.
template <typename Choice>
std::int64_t choice_of(Choice choice) {
  if constexpr (std::is_enum_v<Choice>) {
    return detail::choice_of(static_cast<std::underlying_type_t<Choice>>(choice));
  } else {
    const auto number = static_cast<std::int64_t>(choice);  // too large a one is negative
    if (number < 0) {
      throw std::invalid_argument("task_graph: the choice " + std::to_string(choice) +
                                  " is not allowed; at least 0, at most 2^63 - 1");
    }
    return number;
  }
}

template <typename F>
class graph_call final : public graph_callable {
 public:
  template <typename G>
  explicit graph_call(G&& function) : function_(std::forward<G>(function)) {}

  std::int64_t call() override {
    if constexpr (std::is_void_v<decltype(function_())>) {
      function_();
      return graph_edge::always;
    } else {
      const auto number = static_cast<std::int64_t>(function_());  // too large a one is negative
      return number < 0 ? graph_edge::none : number;
    }
  }

 private:
  F function_;
};

/// A graph as its runs read it: the edges of each node stand together.
struct graph_shape {
  struct edge {
    std::uint32_t to;
    std::int64_t choice;
  };
  std::vector<std::uint32_t> first;  // of node k's edges; one more than there are nodes
  std::vector<edge> edges;
  std::vector<std::uint32_t> before;       // how many edges lead to node k, ...
  std::vector<std::uint32_t> conditional;  // ... and how many of them on a condition
  std::vector<graph_callable*> calls;

  /// In the order in which `edges` came. Throws std::bad_alloc.
  void build(std::size_t nodes, const std::vector<graph_edge>& made) {
    first.assign(nodes + 1, 0);
    before.assign(nodes, 0);
    conditional.assign(nodes, 0);
    for (const graph_edge& e : made) {
      ++first[e.from + 1];
      ++before[e.to];
      if (e.choice != graph_edge::always) ++conditional[e.to];
    }
    for (std::size_t k = 0; k < nodes; ++k) first[k + 1] += first[k];
    edges.resize(made.size());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (const graph_edge& e : made) edges[next[e.from]++] = {e.to, e.choice};
  }
};

/// One run of a graph: what each node still waits for.
class graph_run {
 public:
  /// Throws std::bad_alloc.
  graph_run(const graph_shape& shape, task_group& group);

  /// Queues the nodes that wait for nothing.
  void begin();
  [[nodiscard]] wait_status wait() { return group_->wait(); }

 private:
  struct state {
    /// Edges that have not been decided, and in the upper half those that were not taken.
    std::atomic<std::uint64_t> open;
    std::atomic<std::uint32_t> conditions_failed;
  };
  enum class decision { open, run, skip };
  static constexpr std::uint64_t not_taken = std::uint64_t{1} << 32;

  void spawn(std::uint32_t node);
  void run_from(std::uint32_t node);
  decision decide(const graph_shape::edge& e, bool taken) noexcept;

  const graph_shape* shape_;
  task_group* group_;
  std::unique_ptr<state[]> states_;
  std::atomic<bool> failed_{false};
};

inline graph_run::graph_run(const graph_shape& shape, task_group& group)
    : shape_(&shape), group_(&group), states_(new state[shape.calls.size()]) {
  for (std::size_t k = 0; k < shape.calls.size(); ++k) {
    states_[k].open.store(shape.before[k], std::memory_order_relaxed);
    states_[k].conditions_failed.store(0, std::memory_order_relaxed);
  }
}

inline void graph_run::begin() {
  for (std::uint32_t k = 0; k < shape_->calls.size(); ++k) {
    if (shape_->before[k] == 0) spawn(k);
  }
}

inline void graph_run::spawn(std::uint32_t node) {
  group_->spawn([this, node] {
    try {
      run_from(node);
    } catch (...) {
      failed_.store(true, std::memory_order_relaxed);
      throw;
    }
  });
}

// One edge to a node has been decided; what that means for the node.
inline graph_run::decision graph_run::decide(const graph_shape::edge& e, bool taken) noexcept {
  state& to = states_[e.to];
  if (!taken && e.choice != graph_edge::always) {
    to.conditions_failed.fetch_add(1, std::memory_order_relaxed);  // published by the next
  }
  // Release: what the node before has done comes before this one; acquire: whoever decides the last
  // edge passes on what the others released.
  const std::uint64_t before =
      to.open.fetch_add((taken ? 0 : not_taken) - 1, std::memory_order_acq_rel);
  if ((before & (not_taken - 1)) != 1) return decision::open;
  const std::uint32_t conditional = shape_->conditional[e.to];
  const bool none_chosen =
      conditional != 0 && to.conditions_failed.load(std::memory_order_relaxed) == conditional;
  const std::uint64_t refused = (before >> 32) + (taken ? 0 : 1);
  return none_chosen || refused == shape_->before[e.to] ? decision::skip : decision::run;
}

// Runs the node, and in the same task one of those that only waited for it, and so on.
inline void graph_run::run_from(std::uint32_t node) {
  constexpr auto none = ~std::uint32_t{0};
  std::vector<std::uint32_t> skipped;  // whose edges are still to be decided
  while (node != none) {
    if (failed_.load(std::memory_order_relaxed) || group_->stop_requested()) return;
    std::int64_t chosen = shape_->calls[node]->call();
    std::uint32_t next = none;
    for (std::uint32_t ended = node;;) {
      for (std::uint32_t i = shape_->first[ended]; i != shape_->first[ended + 1]; ++i) {
        const graph_shape::edge& e = shape_->edges[i];
        const bool taken =
            chosen != graph_edge::skipped && (e.choice == graph_edge::always || e.choice == chosen);
        switch (decide(e, taken)) {
          case decision::open:
            break;
          case decision::run:
            if (next != none) spawn(next);
            next = e.to;
            break;
          case decision::skip:
            skipped.push_back(e.to);
            break;
        }
      }
      if (skipped.empty()) break;
      ended = skipped.back();
      skipped.pop_back();
      chosen = graph_edge::skipped;
    }
    node = next;
  }
}

}  // namespace evencube::detail
