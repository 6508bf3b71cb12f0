#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/detail/callable.hpp>
#include <evencube/detail/graph_run.hpp>
#include <evencube/error.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>

namespace evencube {

namespace rule {

/// A node is called without arguments and gives nothing, or a number that conditional edges are
/// compared with.
template <typename F>
concept runs_as_a_node = callable_without_arguments<F> &&
    (std::is_void_v<detail::call_result_t<std::decay_t<F>>> ||
     std::is_enum_v<detail::call_result_t<std::decay_t<F>>> ||
     std::integral<detail::call_result_t<std::decay_t<F>>>);

}  // namespace rule

/// Functions and which of them must have ended before which begin. Made once and run as often as
/// wished, several times at once if wished. Changing it is for one thread at a time, and not while
/// it runs.
class task_graph {
 public:
  /// One function of a graph. Good as long as the graph is.
  class node {
   public:
    node() = default;

   private:
    friend task_graph;
    node(const task_graph& of, std::uint32_t number) : of_(&of), number_(number) {}

    const task_graph* of_ = nullptr;
    std::uint32_t number_ = 0;
  };

  task_graph() = default;
  task_graph(const task_graph&) = delete;
  task_graph& operator=(const task_graph&) = delete;
  ~task_graph() = default;

  /// Adds a function; the name is for people. It is shared by the runs, which call it at the same
  /// time if they run at the same time. What a number means that it gives, `precede` says. Throws
  /// evencube::error while the graph runs, std::bad_alloc.
  template <rule::runs_as_a_node F>
  requires rule::movable_into_a_task<F> node add(F&& f, std::string name = {}) {
    check_idle();
    nodes_.push_back({std::make_unique<detail::graph_call<std::decay_t<F>>>(std::forward<F>(f)),
                      std::move(name), !std::is_void_v<detail::call_result_t<std::decay_t<F>>>});
    ready_ = false;
    return node(*this, static_cast<std::uint32_t>(nodes_.size() - 1));
  }

  /// `after` begins when `before` has ended. Throws std::invalid_argument for a node of another
  /// graph, evencube::error while the graph runs, std::bad_alloc.
  void precede(node before, node after) { add_edge(before, after, detail::graph_edge::always); }

  /// The same, but only if `before` gives `choice` (false and true are 0 and 1).
  ///
  /// A node is skipped, which means ended without having been called, if it has conditional edges
  /// that lead to it and none of them was chosen, or if all before it were skipped. So branches may
  /// meet again: what follows after both runs after the one that was taken.
  /// Throws std::invalid_argument also if the function of `before` gives nothing, or for a negative
  /// choice.
  template <typename Choice>
  requires std::integral<Choice> || std::is_enum_v<Choice>
  void precede(node before, node after, Choice choice) {
    add_edge(before, after, detail::choice_of(choice));
  }

  /// How many functions there are.
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

  /// Throws evencube::error, naming the nodes on the way, if a node would have to end before it
  /// begins. O(nodes + edges). The first run after a change does the same.
  void check() const;

  /// Calls every function that is not skipped, each once and after those before it, as tasks of the
  /// runtime whose task calls; returns when all have ended. A worker that waits runs tasks of this
  /// run alone. Where a function throws, the first exception is thrown in the end, and what had not
  /// begun is not called. When the token is asked to stop, or a group that the caller's task stands
  /// below is, what had not begun is not called, and the result is `stopped`.
  ///
  /// One of the nodes that only waited for this one runs in the same task; the others are tasks of
  /// their own. 16 bytes for each node while it runs.
  /// Throws evencube::error outside of a runtime's tasks, and as `check`; std::bad_alloc.
  wait_status run(std::stop_token token = {});
  /// The same as a task of `on`: from any thread. Throws as `runtime::run` does.
  wait_status run(runtime& on, std::stop_token token = {});

  /// The graph as Graphviz's program `dot` reads it; choices stand at their edges.
  [[nodiscard]] std::string to_dot() const;

 private:
  struct vertex {
    std::unique_ptr<detail::graph_callable> call;
    std::string name;
    bool chooses;
  };

  void check_idle() const;
  void add_edge(node before, node after, std::int64_t choice);
  void prepare();
  [[nodiscard]] std::string name_of(std::uint32_t number) const;
  wait_status run_in(task_group& group);

  std::vector<vertex> nodes_;
  std::vector<detail::graph_edge> edges_;
  std::mutex preparing_;
  bool ready_ = false;
  detail::graph_shape shape_;
  std::atomic<std::uint32_t> runs_{0};
};

}  // namespace evencube

#include <evencube/detail/task_graph_code.hpp>
