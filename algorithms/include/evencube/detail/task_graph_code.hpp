#pragma once

#include <algorithm>
#include <stdexcept>

#include <evencube/detail/call_on.hpp>
#include <evencube/task_graph.hpp>

// The bodies of the members of task_graph.

namespace evencube {

namespace detail {

/// Counts a run, so that changes are refused meanwhile.
struct graph_run_under_way {
  std::atomic<std::uint32_t>& runs;
  explicit graph_run_under_way(std::atomic<std::uint32_t>& counter) : runs(counter) {
    runs.fetch_add(1, std::memory_order_relaxed);  // published together with the run
  }
  graph_run_under_way(const graph_run_under_way&) = delete;
  graph_run_under_way& operator=(const graph_run_under_way&) = delete;
  // Release: pairs with the acquire in `check_idle`: a thread that changes the graph comes after
  // the run.
  ~graph_run_under_way() { runs.fetch_sub(1, std::memory_order_release); }
};

/// Puts a text between quotes, for the dot language.
inline std::string dot_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace detail

inline void task_graph::check_idle() const {
  // Acquire: pairs with the release at the end of a run.
  if (runs_.load(std::memory_order_acquire) != 0) {
    throw error("task_graph: it cannot be changed while it runs");
  }
}

inline void task_graph::check_own(const void* graph) const {
  if (graph != this) {
    throw std::invalid_argument("task_graph: a node of another graph, or of none");
  }
}

// Everything that can throw comes first, so that the graph does not change if it does.
inline void task_graph::add_vertex(vertex made, std::initializer_list<named_value> arguments) {
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  for (const named_value* a = arguments.begin(); a != arguments.end(); ++a) {
    check_own(a->graph);
    std::uint32_t others = a->from->uses;
    for (const named_value& b : arguments) others += b.from == a->from && &b != a ? 1 : 0;
    bool taken = a->from->taken;
    for (const named_value& b : arguments) taken = taken || (b.from == a->from && b.taken);
    if (taken && others != 0) {
      throw std::invalid_argument("task_graph: the value of " + name_of(a->number) +
                                  " is taken by one function and named for another");
    }
  }
  if (edges_.capacity() - edges_.size() < arguments.size()) {
    edges_.reserve(2 * edges_.capacity() + arguments.size());
  }
  nodes_.push_back(std::move(made));
  std::uint32_t argument = 0;
  for (const named_value& a : arguments) {
    edges_.push_back({a.number, number, detail::graph_edge::value, argument++});
    ++a.from->uses;
    a.from->taken = a.taken;
  }
  ready_ = false;
}

inline void task_graph::add_edge(node before, node after, std::int64_t choice) {
  check_idle();
  check_own(before.graph_);
  check_own(after.graph_);
  if (choice != detail::graph_edge::always && !nodes_[before.number_].chooses) {
    throw std::invalid_argument("task_graph: " + name_of(before.number_) +
                                " gives no number to choose by");
  }
  edges_.push_back({before.number_, after.number_, choice});
  ready_ = false;
}

inline std::string task_graph::name_of(std::uint32_t number) const {
  const std::string& name = nodes_[number].name;
  return name.empty() ? "node " + std::to_string(number) : "\"" + name + "\"";
}

inline void task_graph::check() const {
  detail::graph_shape shape;
  shape.build(nodes_.size(), edges_);
  enum class seen : std::uint8_t { never, on_the_way, done };
  std::vector<seen> state(nodes_.size(), seen::never);
  std::vector<std::uint32_t> way;
  std::vector<std::uint32_t> next(shape.first.begin(), shape.first.end() - 1);
  for (std::uint32_t start = 0; start < nodes_.size(); ++start) {
    if (state[start] != seen::never) continue;
    way.push_back(start);
    state[start] = seen::on_the_way;
    while (!way.empty()) {
      const std::uint32_t at = way.back();
      if (next[at] == shape.first[at + 1]) {
        state[at] = seen::done;
        way.pop_back();
        continue;
      }
      const std::uint32_t to = shape.edges[next[at]++].to;
      if (state[to] == seen::never) {
        state[to] = seen::on_the_way;
        way.push_back(to);
      } else if (state[to] == seen::on_the_way) {
        std::string path;
        for (auto i = std::find(way.begin(), way.end(), to); i != way.end(); ++i) {
          path += name_of(*i) + " -> ";
        }
        throw error("task_graph: a cycle: " + path + name_of(to));
      }
    }
  }
}

inline void task_graph::prepare() {
  const std::lock_guard lock(preparing_);
  if (ready_) return;
  check();
  shape_.build(nodes_.size(), edges_);
  shape_.calls.clear();
  for (const vertex& v : nodes_) shape_.calls.push_back(v.call.get());
  shape_.place_values();
  ready_ = true;
}

inline wait_status task_graph::run_in(task_group& group) {
  const detail::graph_run_under_way counted(runs_);
  prepare();
  detail::graph_run run(shape_, group);
  try {
    run.begin();
  } catch (...) {
    // Tasks that were queued refer to the run.
    group.request_stop();
    try {
      static_cast<void>(run.wait());
    } catch (...) {  // the first exception is the one that is thrown
    }
    throw;
  }
  return run.wait();
}

inline wait_status task_graph::run(std::stop_token token) {
  task_group group(std::move(token));
  return run_in(group);
}

inline wait_status task_graph::run(runtime& runtime, std::stop_token token) {
  return detail::call_on(runtime, [&] { return run(std::move(token)); });
}

inline std::string task_graph::to_dot() const {
  std::vector<bool> chooses(nodes_.size());
  for (const detail::graph_edge& e : edges_) {
    if (e.conditional()) chooses[e.from] = true;
  }
  std::string out = "digraph {\n";
  for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
    const std::string& name = nodes_[k].name;
    out += "  n" + std::to_string(k) +
           " [label=" + detail::dot_quoted(name.empty() ? std::to_string(k) : name) +
           (chooses[k] ? ", shape=diamond" : "") + "];\n";
  }
  for (const detail::graph_edge& e : edges_) {
    out += "  n" + std::to_string(e.from) + " -> n" + std::to_string(e.to);
    if (e.conditional()) {
      out += " [label=\"" + std::to_string(e.choice) + "\", style=dashed]";
    } else if (e.choice == detail::graph_edge::value) {
      out += " [headlabel=\"" + std::to_string(e.argument + 1) + "\", style=bold]";
    }
    out += ";\n";
  }
  return out + "}\n";
}

}  // namespace evencube
