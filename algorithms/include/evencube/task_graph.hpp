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

/// A node is called without arguments, if no values of others are named beside its function.
template <typename F>
concept runs_as_a_node = callable_without_arguments<F>;

/// What a node gives is an object, or nothing.
template <typename T>
concept gives_an_object_or_nothing = std::is_void_v<T> || std::is_object_v<T>;

/// What another node gives is an argument only if it gives something.
template <typename T>
concept gives_a_value = std::is_object_v<T>;

/// A function is called with the values of the nodes named beside it, in their order: each as a
/// `const T&`, or as a `T&&` if it takes it.
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

/// Functions and which of them must have ended before which begin. Made once and run as often as
/// wished, several times at once if wished. Changing it is for one thread at a time, and not while
/// it runs.
class task_graph {
 public:
  /// One function of a graph. Good as long as the graph is.
  class node {
   public:
    node() = default;

   protected:
    friend task_graph;
    node(const task_graph& of, std::uint32_t number) : of_(&of), number_(number) {}

    const task_graph* of_ = nullptr;
    std::uint32_t number_ = 0;
  };

  /// One that gives a T, which can be an argument of others: `values_of`. T may be void.
  template <typename T>
  class node_giving : public node {
   public:
    node_giving() = default;

    /// For `values_of`: the one function that is called with it may change what this one gives, and
    /// move from it.
    [[nodiscard]] detail::graph_argument<T, true> take() const
      requires rule::gives_a_value<T>
    {
      return {from_, of_, number_};
    }
    /// For `values_of`, which means this where a node itself is named: any number may look at it.
    [[nodiscard]] detail::graph_argument<T, false> look() const
      requires rule::gives_a_value<T>
    {
      return {from_, of_, number_};
    }

   private:
    friend task_graph;
    node_giving(const task_graph& of, std::uint32_t number, detail::graph_giver<T>& from)
        : node(of, number), from_(&from) {}

    detail::graph_giver<T>* from_ = nullptr;
  };

  task_graph() = default;
  task_graph(const task_graph&) = delete;
  task_graph& operator=(const task_graph&) = delete;
  ~task_graph() = default;

  /// Adds a function; the name is for people. It is shared by the runs, which call it at the same
  /// time if they run at the same time. What it gives can be an argument of others (below); what
  /// it means where it is a number, `precede` says. Throws evencube::error while the graph runs,
  /// std::bad_alloc.
  template <rule::runs_as_a_node F>
    requires rule::movable_into_a_task<F> &&
             rule::gives_an_object_or_nothing<detail::node_result_t<F>>
  auto add(F&& f, std::string name = {}) -> node_giving<detail::node_result_t<F>> {
    return add_call(std::forward<F>(f), std::tuple<>(), std::move(name));
  }

  /// Adds a function that is called with what others give, in the order in which `values_of` names
  /// them, and that begins when these have ended: `add(f, values_of(a, b))` calls f(a's, b's). Each
  /// run has values of its own, which live until it ends; a value that nobody wants is dropped at
  /// once. If one of these nodes is skipped or throws, so there is no value, it is skipped, too.
  /// Throws also std::invalid_argument for a node of another graph, and where a value is taken by
  /// one function and named for another.
  template <typename F, typename... Arguments>
    requires rule::takes_the_values_of_the_nodes<F, typename Arguments::type...> &&
             rule::movable_into_a_task<F> &&
             rule::gives_an_object_or_nothing<detail::node_result_t<F, typename Arguments::type...>>
  auto add(F&& f, const node_values<Arguments...>& values, std::string name = {})
      -> node_giving<detail::node_result_t<F, typename Arguments::type...>> {
    return add_call(std::forward<F>(f), values.arguments_, std::move(name));
  }

  /// `after` begins when `before` has ended. Throws std::invalid_argument for a node of another
  /// graph, evencube::error while the graph runs, std::bad_alloc.
  void precede(node before, node after) { add_edge(before, after, detail::graph_edge::always); }

  /// The same, but only if `before` gives `choice` (false and true are 0 and 1).
  ///
  /// A node is skipped, which means ended without having been called, if it has conditional edges
  /// that lead to it and none of them was chosen, or if all before it were skipped. So branches may
  /// meet again: what follows after both runs after the one that was taken.
  /// Throws std::invalid_argument also if the function of `before` gives no number, or for a
  /// negative choice.
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
  /// their own. 16 bytes for each node while it runs, and the values that are arguments.
  /// Throws evencube::error outside of a runtime's tasks, and as `check`; std::bad_alloc.
  wait_status run(std::stop_token token = {});
  /// The same as a task of `on`: from any thread. Throws as `runtime::run` does.
  wait_status run(runtime& on, std::stop_token token = {});

  /// The graph as Graphviz's program `dot` reads it; choices stand at their edges, which are
  /// dashed. Where a value goes along an edge it is bold, and the number of the argument, from 1
  /// on, stands at its head.
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

/// What `values_of` names is a node whose function gives a value, or such a node's `take()`.
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

/// Names the nodes of a graph whose values a function is called with, in this order: see
/// `task_graph::add`. `a` means that the function looks at what a gives, as any number of others
/// may, through a `const T&`; `a.take()` that it is the only one, and gets a `T&&`. The same node
/// may be named twice, unless it is taken.
template <rule::node_that_gives_a_value... Nodes>
[[nodiscard]] auto values_of(const Nodes&... nodes) {
  return node_values<decltype(detail::argument_of(nodes))...>(detail::argument_of(nodes)...);
}
namespace detail {
using evencube::values_of;  // where it is looked for beside `take()`
}  // namespace detail

}  // namespace evencube

#include <evencube/detail/task_graph_code.hpp>
