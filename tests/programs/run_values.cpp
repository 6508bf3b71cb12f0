#include <type_traits>
#include <utility>
#include <variant>

#include "graph_state.hpp"

namespace evencube::programs {

execution::node_value execution::make_value(graph_state& g, std::size_t k) {
  return {g.values_alive, mistaken(mistake::spoil_value) ? k + 1 : k, g.run};
}

void execution::look_at(graph_state& g, std::size_t k, std::size_t argument,
                        const node_value& value) {
  const edge& e = *values_to(g.s, static_cast<int>(k))[argument];
  const std::string node = "a node, " + name(g.s.inner[k]) + ", ";
  node_value::contents* const is = value.inside();
  if (is == nullptr) return fail(node + "was given a value that another one had taken");
  if (is->node != at(e.from)) fail(node + "was given the value of another node");
  if (g.alone() && is->run != g.run) fail(node + "was given a value of another run");
  const unsigned mine = 1U << (2 * k + argument);
  if ((is->had_by.fetch_or(mine, std::memory_order_relaxed) & mine) != 0) {
    fail(node + "was given a value of another run of those at once");
  }
}

// What may be taken need not be.
void execution::take(graph_state& g, std::size_t k, std::size_t argument, node_value&& value) {
  look_at(g, k, argument, value);
  if (k % 2 == 0) node_value(std::move(value));
}

void execution::check_choice(graph_state& g, std::size_t k, std::size_t argument, int choice) {
  const edge& e = *values_to(g.s, static_cast<int>(k))[argument];
  if (choice != choice_of(e.from, g.run)) {
    fail("a node, " + name(g.s.inner[k]) + ", was given another choice than was made");
  }
}

void execution::add_node(task_graph& made, graph_state& g, values_of_graph& values, std::size_t k) {
  const std::vector<const edge*> given = values_to(g.s, static_cast<int>(k));
  const auto with = [&](const auto&... arguments) {
    add_node_with(made, g, values, k, arguments...);
  };
  switch (given.size()) {
    case 0:
      return with();
    case 1:
      return std::visit(with, values.along(g.s, *given[0]));
    default:
      return std::visit(with, values.along(g.s, *given[0]), values.along(g.s, *given[1]));
  }
}

template <typename... Arguments>
void execution::add_node_with(task_graph& made, graph_state& g, values_of_graph& values,
                              std::size_t k, const Arguments&... arguments) {
  const auto receive = [this, &g, k](std::size_t argument, auto&& value) {
    using type = decltype(value);
    if constexpr (std::is_same_v<std::remove_cvref_t<type>, int>) {
      check_choice(g, k, argument, value);
    } else if constexpr (std::is_const_v<std::remove_reference_t<type>>) {
      look_at(g, k, argument, value);
    } else {
      take(g, k, argument, std::forward<type>(value));
    }
  };
  const auto called = [this, &g, k, receive]<typename... Values>(Values&&... given) {
    run_node(g, k);
    std::size_t argument = 0;
    (receive(argument++, std::forward<Values>(given)), ...);
  };
  const auto add = [&](auto f) {
    if constexpr (sizeof...(Arguments) == 0) {
      return made.add(std::move(f));
    } else {
      return made.add(std::move(f), values_of(arguments...));
    }
  };
  values.givers.emplace_back();
  values.choosers.emplace_back();
  const int number = static_cast<int>(k);
  if (chooses(g.s, number)) {
    values.choosers.back() = add([&g, number, called]<typename... Values>(Values&&... given) {
      called(std::forward<Values>(given)...);
      return choice_of(number, g.run);
    });
    values.all.push_back(values.choosers.back());
  } else if (gives_a_value(g.s, number)) {
    values.givers.back() = add([this, &g, k, called]<typename... Values>(Values&&... given) {
      called(std::forward<Values>(given)...);
      return make_value(g, k);
    });
    values.all.push_back(values.givers.back());
  } else {
    values.all.push_back(add([called]<typename... Values>(Values&&... given) {
      called(std::forward<Values>(given)...);
    }));
  }
}

}  // namespace evencube::programs
