#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/detail/callable.hpp>
#include <evencube/detail/graph_node.hpp>
#include <evencube/detail/graph_run.hpp>
#include <evencube/error.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>

namespace evencube {

template <typename... Arguments>
class node_values;

namespace rule {

/// A node's function takes no arguments if `add` is called without values of other nodes.
template <typename F>
concept runs_as_a_node = callable_without_arguments<F>;

/// A node's function returns an object or void.
template <typename T>
concept gives_an_object_or_nothing = std::is_void_v<T> || std::is_object_v<T>;

/// The result of another node can be an argument only if it is an object.
template <typename T>
concept gives_a_value = std::is_object_v<T>;

/// A function can be called with the values of the named nodes, in the same order. Each argument is
/// a `const T&`, or a `T&&` if the node was named with `take()`.
template <typename F, typename... Values>
concept takes_the_values_of_the_nodes =
    requires(std::decay_t<F>& f, Values... values) { f(static_cast<Values>(values)...); };

}  // namespace rule

namespace detail {

template <typename F, typename... Values>
struct node_result {
  using type = void;
};
template <typename F, typename... Values>
  requires rule::takes_the_values_of_the_nodes<F, Values...>
struct node_result<F, Values...> {
  using type = std::remove_cv_t<decltype(std::declval<std::decay_t<F>&>()(
      static_cast<Values>(std::declval<Values>())...))>;
};
template <typename F, typename... Values>
using node_result_t = typename node_result<F, Values...>::type;

}  // namespace detail

/// A set of functions, some of which begin only after others have ended. A graph is made once and
/// can be run many times, even several times concurrently. One thread at a time may change the
/// graph, but not while the graph is running.
class task_graph {
 public:
  /// A reference to one function of a graph; valid as long as the graph exists.
  class node {
   public:
    node() = default;

   protected:
    friend task_graph;
    node(const task_graph& graph, std::uint32_t number) : graph_(&graph), number_(number) {}

    const task_graph* graph_ = nullptr;
    std::uint32_t number_ = 0;
  };

  /// A node whose function returns a T, or nothing if T is void. The result can be an argument of
  /// other nodes (`values_of`).
  template <typename T>
  class node_giving : public node {
   public:
    node_giving() = default;

    /// For `values_of`: only one function is called with this node's value; it may change the value
    /// or move from it.
    [[nodiscard]] detail::graph_argument<T, true> take() const
      requires rule::gives_a_value<T>
    {
      return {from_, graph_, number_};
    }
    /// For `values_of`: any number of functions may read this node's value. Naming the node itself
    /// in `values_of` means the same.
    [[nodiscard]] detail::graph_argument<T, false> look() const
      requires rule::gives_a_value<T>
    {
      return {from_, graph_, number_};
    }

   private:
    friend task_graph;
    node_giving(const task_graph& graph, std::uint32_t number, detail::graph_giver<T>& from)
        : node(graph, number), from_(&from) {}

    detail::graph_giver<T>* from_ = nullptr;
  };

  task_graph() = default;
  task_graph(const task_graph&) = delete;
  task_graph& operator=(const task_graph&) = delete;
  ~task_graph() = default;

  /// Adds the function `f` and returns its node; `name` appears in messages and in `to_dot`. All
  /// runs share the function, and concurrent runs may call it concurrently. The function's result
  /// can be an argument of other nodes (see the overload with `values_of`), or select a branch (see
  /// `precede` with a choice). Throws evencube::error if the graph is running. May throw
  /// std::bad_alloc.
  template <rule::runs_as_a_node F>
    requires rule::movable_into_a_task<F> &&
             rule::gives_an_object_or_nothing<detail::node_result_t<F>>
  auto add(F&& f, std::string name = {}) -> node_giving<detail::node_result_t<F>> {
    return add_call(std::forward<F>(f), std::tuple<>(), std::move(name));
  }

  /// Adds a function that is called with the values of other nodes, in the order in which
  /// `values_of` names the nodes. The function begins when these nodes have ended.
  /// `add(f, values_of(a, b))` calls f with the values of a and b. Each run has its own values,
  /// which live until the run ends; a value that no node needs is dropped immediately. If one of
  /// the named nodes is skipped or throws, it has no value, and the function is also skipped.
  /// Throws evencube::error if the graph is running. May throw std::bad_alloc. Throws
  /// std::invalid_argument for a node of another graph, and if one function takes a value that
  /// another function uses.
  template <typename F, typename... Arguments>
    requires rule::takes_the_values_of_the_nodes<F, typename Arguments::type...> &&
             rule::movable_into_a_task<F> &&
             rule::gives_an_object_or_nothing<detail::node_result_t<F, typename Arguments::type...>>
  auto add(F&& f, const node_values<Arguments...>& values, std::string name = {})
      -> node_giving<detail::node_result_t<F, typename Arguments::type...>> {
    return add_call(std::forward<F>(f), values.arguments_, std::move(name));
  }

  /// Makes `after` begin only when `before` has ended. Throws std::invalid_argument for a node of
  /// another graph, evencube::error if the graph is running, and std::bad_alloc.
  void precede(node before, node after) { add_edge(before, after, detail::graph_edge::always); }

  /// Makes `after` begin when `before` has ended, if the result of `before` is `choice` (false and
  /// true are 0 and 1).
  ///
  /// A node is skipped if conditional edges lead to it and no such edge was chosen, or if all nodes
  /// before it were skipped. A skipped node ends without being called. So branches may meet again:
  /// a node after two branches runs after the chosen branch.
  /// Throws the exceptions of `precede` without a choice. Also throws std::invalid_argument if the
  /// result of `before` is not a number, and for a negative choice.
  template <typename Choice>
    requires std::integral<Choice> || std::is_enum_v<Choice>
  void precede(node before, node after, Choice choice) {
    add_edge(before, after, detail::choice_of(choice));
  }

  /// Returns the number of functions.
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

  /// If the graph has a cycle, throws evencube::error, whose message names the nodes of a cycle.
  /// Takes O(nodes + edges) time. The first run after a change also makes this check.
  void check() const;

  /// Calls each function once, after the functions before it, unless it is skipped. The calls are
  /// tasks of the calling task's runtime. Returns when all calls have ended. A waiting worker runs
  /// only tasks of this run. If a function throws, the first exception is rethrown at the end, and
  /// functions that had not begun are not called. If `token`, or a group above the caller's task,
  /// requests a stop, functions that had not begun are not called, and the result is `stopped`.
  ///
  /// When a node has ended, one of the nodes that waited only for this node runs in the same task;
  /// the other nodes become separate tasks. A run needs 16 bytes per node, and memory for the
  /// values that are arguments. Throws evencube::error if called outside of a runtime's tasks, the
  /// exceptions of `check`, and std::bad_alloc.
  wait_status run(std::stop_token token = {});
  /// Runs the graph as a task of `runtime`, from any thread, like `run` without a runtime. Also
  /// throws the exceptions of `runtime::run`.
  wait_status run(runtime& runtime, std::stop_token token = {});

  /// Returns the graph in Graphviz's DOT language. Edges with a choice are dashed and labelled with
  /// the choice. Edges that carry a value are bold, and labelled at the head with the argument's
  /// number, counted from 1.
  [[nodiscard]] std::string to_dot() const;

 private:
  struct vertex {
    std::unique_ptr<detail::graph_callable> call;
    std::string name;
    bool chooses;
  };
  struct named_value {
    detail::graph_callable* from;
    const void* graph;
    std::uint32_t number;
    bool taken;
  };

  void check_idle() const;
  void check_own(const void* graph) const;
  void add_vertex(vertex made, std::initializer_list<named_value> arguments);
  void add_edge(node before, node after, std::int64_t choice);

  template <typename F, typename... Arguments>
  auto add_call(F&& f, const std::tuple<Arguments...>& arguments, std::string name) {
    using result = detail::node_result_t<F, typename Arguments::type...>;
    using call = detail::graph_call<std::decay_t<F>, result, Arguments...>;
    check_idle();
    auto made = std::make_unique<call>(std::forward<F>(f), arguments);
    detail::graph_giver<result>& giver = *made;
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    std::apply(
        [&](const Arguments&... each) {
          add_vertex(
              {std::move(made), std::move(name), std::is_enum_v<result> || std::integral<result>},
              {named_value{each.from, each.graph, each.number, Arguments::taken}...});
        },
        arguments);
    return node_giving<result>(*this, number, giver);
  }

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

namespace detail {

template <typename T>
graph_argument<T, false> argument_of(const task_graph::node_giving<T>& from) {
  return from.look();
}
template <typename T>
graph_argument<T, true> argument_of(const graph_argument<T, true>& taken) {
  return taken;
}
template <typename Node>
struct is_giving : std::false_type {};
template <typename T>
struct is_giving<task_graph::node_giving<T>> : std::bool_constant<rule::gives_a_value<T>> {};
template <typename T>
struct is_giving<graph_argument<T, true>> : std::true_type {};

}  // namespace detail

namespace rule {

/// An argument of `values_of` is a node whose function returns a value, or the result of such a
/// node's `take()`.
template <typename Node>
concept node_that_gives_a_value = detail::is_giving<Node>::value;

}  // namespace rule

/// The arguments of a graph's function; made by `values_of`.
template <typename... Arguments>
class node_values {
 private:
  friend task_graph;
  template <rule::node_that_gives_a_value... Nodes>
  friend auto values_of(const Nodes&... nodes);
  explicit node_values(const Arguments&... arguments) : arguments_(arguments...) {}

  std::tuple<Arguments...> arguments_;
};

/// Lists, in order, the nodes whose values are a function's arguments; see `task_graph::add`. With
/// `a`, the function reads the value of node a through a `const T&`, and other functions may also
/// read the value. With `a.take()`, the function gets a `T&&`, and no other function may use the
/// value. A node may be named twice, unless its value is taken.
template <rule::node_that_gives_a_value... Nodes>
[[nodiscard]] auto values_of(const Nodes&... nodes) {
  return node_values<decltype(detail::argument_of(nodes))...>(detail::argument_of(nodes)...);
}
namespace detail {
using evencube::values_of;  // argument-dependent lookup finds it here for `take()`
}  // namespace detail

}  // namespace evencube

#include <evencube/detail/task_graph_code.hpp>
