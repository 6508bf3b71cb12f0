#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include <evencube/detail/graph_node.hpp>
#include <evencube/task_group.hpp>

namespace evencube::detail {

/// A graph as its runs read it, with the edges of each node next to each other.
struct graph_shape {
  struct edge {
    std::uint32_t to;
    std::int64_t choice;
  };
  std::vector<std::uint32_t> first;  // of node k's edges; one more than there are nodes
  std::vector<edge> edges;
  std::vector<std::uint32_t> before;       // the number of edges to node k
  std::vector<std::uint32_t> conditional;  // the number of conditional edges to node k
  std::vector<graph_callable*> calls;
  std::vector<graph_callable*> valued;  // of the calls, those whose values are used as arguments
  std::size_t memory = 0;               // bytes for the values of a run
  std::size_t alignment = 1;

  /// Sorts the edges by nodes, and keeps the order of `made` at each node. Throws std::bad_alloc.
  void build(std::size_t nodes, const std::vector<graph_edge>& made) {
    first.assign(nodes + 1, 0);
    before.assign(nodes, 0);
    conditional.assign(nodes, 0);
    for (const graph_edge& e : made) {
      ++first[e.from + 1];
      ++before[e.to];
      if (e.conditional()) ++conditional[e.to];
    }
    for (std::size_t k = 0; k < nodes; ++k) first[k + 1] += first[k];
    edges.resize(made.size());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (const graph_edge& e : made) edges[next[e.from]++] = {e.to, e.choice};
  }

  /// Gives each value that is used its place. Call after `calls` has been set. Throws
  /// std::bad_alloc.
  void place_values() {
    valued.clear();
    memory = 0;
    alignment = 1;
    for (graph_callable* const c : calls) {
      if (c->uses == 0) continue;
      const std::size_t aligned = c->value_alignment();
      memory = (memory + aligned - 1) / aligned * aligned;
      c->offset = memory;
      c->flag = static_cast<std::uint32_t>(valued.size());
      memory += c->value_size();
      alignment = (std::max)(alignment, aligned);
      valued.push_back(c);
    }
  }
};

/// The values of one run. They are destroyed together with it.
class graph_storage {
 public:
  /// Throws std::bad_alloc.
  explicit graph_storage(const graph_shape& shape) : shape_(&shape) {
    if (shape.valued.empty()) return;
    made_.reset(new bool[shape.valued.size()]());
    values_.made = made_.get();
    values_.memory =
        static_cast<std::byte*>(::operator new(shape.memory, std::align_val_t{shape.alignment}));
  }
  graph_storage(const graph_storage&) = delete;
  graph_storage& operator=(const graph_storage&) = delete;
  ~graph_storage() {
    if (values_.memory == nullptr) return;
    for (graph_callable* const c : shape_->valued) c->destroy(values_);
    ::operator delete(values_.memory, std::align_val_t{shape_->alignment});
  }

  [[nodiscard]] const graph_values& values() const noexcept { return values_; }

 private:
  const graph_shape* shape_;
  std::unique_ptr<bool[]> made_;
  graph_values values_;
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
    /// The number of undecided edges, and in the upper half the number of edges that were not
    /// taken.
    std::atomic<std::uint64_t> open;
    /// The number of conditions that failed; at least `value_missing` if an argument was not made.
    std::atomic<std::uint32_t> conditions_failed;
  };
  enum class decision { open, run, skip };
  static constexpr std::uint64_t not_taken = std::uint64_t{1} << 32;
  static constexpr std::uint32_t value_missing = std::uint32_t{1} << 31;

  void spawn(std::uint32_t node);
  void run_from(std::uint32_t node);
  decision decide(const graph_shape::edge& e, bool taken) noexcept;

  const graph_shape* shape_;
  task_group* group_;
  std::unique_ptr<state[]> states_;
  graph_storage storage_;
  std::atomic<bool> failed_{false};
};

inline graph_run::graph_run(const graph_shape& shape, task_group& group)
    : shape_(&shape), group_(&group), states_(new state[shape.calls.size()]), storage_(shape) {
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

// Called when one edge to a node has been decided: returns what that means for the node.
inline graph_run::decision graph_run::decide(const graph_shape::edge& e, bool taken) noexcept {
  state& to = states_[e.to];
  // Relaxed, both: published by the next read-modify-write.
  if (!taken && e.choice == graph_edge::value) {
    to.conditions_failed.fetch_or(value_missing, std::memory_order_relaxed);
  } else if (!taken && e.choice != graph_edge::always) {
    to.conditions_failed.fetch_add(1, std::memory_order_relaxed);
  }
  // Release: what the node before has done comes before this node; acquire: the thread that decides
  // the last edge passes on what the others released.
  const std::uint64_t before =
      to.open.fetch_add((taken ? 0 : not_taken) - 1, std::memory_order_acq_rel);
  if ((before & (not_taken - 1)) != 1) return decision::open;
  const std::uint32_t conditional = shape_->conditional[e.to];
  const std::uint32_t failed = to.conditions_failed.load(std::memory_order_relaxed);
  const bool none_chosen = failed >= value_missing || (conditional != 0 && failed == conditional);
  const std::uint64_t refused = (before >> 32) + (taken ? 0 : 1);
  return none_chosen || refused == shape_->before[e.to] ? decision::skip : decision::run;
}

// Runs the node and then, in the same task, one of the nodes that waited only for it, and so on.
inline void graph_run::run_from(std::uint32_t node) {
  constexpr auto none = ~std::uint32_t{0};
  std::vector<std::uint32_t> skipped;  // nodes whose edges are still to be decided
  while (node != none) {
    if (failed_.load(std::memory_order_relaxed) || group_->stop_requested()) return;
    std::int64_t chosen = shape_->calls[node]->call(storage_.values());
    std::uint32_t next = none;
    for (std::uint32_t ended = node;;) {
      for (std::uint32_t i = shape_->first[ended]; i != shape_->first[ended + 1]; ++i) {
        const graph_shape::edge& e = shape_->edges[i];
        const bool taken = chosen != graph_edge::skipped && (e.choice < 0 || e.choice == chosen);
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
