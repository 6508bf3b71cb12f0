#pragma once

// Graphs and pipelines, as far as random programs use them, in the thread that calls. What may come
// in several orders comes in the one that is furthest from that in which it was written.

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "evencube.hpp"

namespace evencube {

namespace reference {

/// What stands below the caller's group, and may be stopped by a token.
class part {
 public:
  explicit part(std::stop_token token) : stopped_by_(std::move(token), stopper{state_.get()}) {
    state_->above = now.group;
  }
  template <typename F>
  auto call(const F& f) {
    return as({now.runtime, state_}, f);
  }
  [[nodiscard]] bool stopped() const { return state_->stopped(); }
  [[nodiscard]] wait_status status() const {
    return stopped() ? wait_status::stopped : wait_status::completed;
  }

 private:
  struct stopper {
    stoppable* state;
    void operator()() const { state->requested = true; }
  };
  std::shared_ptr<stoppable> state_ = std::make_shared<stoppable>();
  std::stop_callback<stopper> stopped_by_;
};

}  // namespace reference

namespace reference {

/// What another node gives, as an argument.
template <typename T, bool Taken>
struct argument {
  using type = std::conditional_t<Taken, T&&, const T&>;
  std::size_t number;
};

}  // namespace reference

template <typename... Arguments>
struct node_values {
  std::tuple<Arguments...> all;
};

class task_graph {
 public:
  struct node {
    std::size_t number = 0;
  };
  template <typename T>
  struct node_giving : node {
    [[nodiscard]] reference::argument<T, true> take() const { return {number}; }
  };
  template <typename F>
  auto add(F f) {
    return add(std::move(f), node_values<>{});
  }
  template <typename F, typename... Arguments>
  auto add(F f, const node_values<Arguments...>& values) {
    using result = std::invoke_result_t<F&, typename Arguments::type...>;
    std::vector<condition> before;
    std::apply([&](const auto&... a) { (before.push_back({a.number, -1, true}), ...); },
               values.all);
    const auto number = nodes_.size();
    nodes_.push_back({[task = std::move(f), number, of = values.all](given& all) -> int {
                        return std::apply(
                            [&](const auto&... a) {
                              if constexpr (std::is_void_v<result>) {
                                static_cast<void>(number);  // nobody asks for its value
                                task(value_of(a, all)...);
                                return -1;
                              } else {
                                auto made = std::make_shared<result>(task(value_of(a, all)...));
                                all[number] = made;
                                if constexpr (std::is_same_v<result, int>) return *made;
                                return -1;
                              }
                            },
                            of);
                      },
                      std::move(before)});
    node_giving<result> made;
    made.number = number;
    return made;
  }
  void precede(node before, node after) { precede(before, after, -1); }
  void precede(node before, node after, int choice) {
    nodes_[after.number].before.push_back({before.number, choice, false});
  }

  wait_status run(std::stop_token token = {}) const {
    reference::part all(std::move(token));
    std::vector<end> ends(nodes_.size());
    given values(nodes_.size());
    for (std::optional<std::size_t> k; (k = next(ends)).has_value();) {
      if (all.stopped()) break;
      end& its = ends[*k];
      its.ended = true;
      its.called = is_called(*k, ends);
      if (its.called) its.choice = all.call([&] { return nodes_[*k].call(values); });
    }
    return all.status();
  }
  wait_status run(runtime& on, std::stop_token token = {}) const {
    return on.run([&] { return run(std::move(token)); });
  }

 private:
  struct condition {
    std::size_t node;
    int choice;  // -1: any
    bool value;  // one must be there
  };
  using given = std::vector<std::shared_ptr<void>>;
  template <typename T, bool Taken>
  static decltype(auto) value_of(const reference::argument<T, Taken>& a, const given& all) {
    T& value = *static_cast<T*>(all[a.number].get());
    return static_cast<typename reference::argument<T, Taken>::type>(value);
  }
  struct vertex {
    std::function<int(given&)> call;
    std::vector<condition> before;
  };
  struct end {
    bool ended = false;
    bool called = false;
    int choice = -1;
  };

  /// The last of those that may begin.
  [[nodiscard]] std::optional<std::size_t> next(const std::vector<end>& ends) const {
    for (std::size_t k = nodes_.size(); k-- > 0;) {
      const auto has_ended = [&](const condition& c) { return ends[c.node].ended; };
      if (!ends[k].ended && std::ranges::all_of(nodes_[k].before, has_ended)) return k;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool is_called(std::size_t k, const std::vector<end>& ends) const {
    const auto& before = nodes_[k].before;
    const auto called = [&](const condition& c) { return ends[c.node].called; };
    const auto asks = [](const condition& c) { return c.choice >= 0; };
    const auto chosen = [&](const condition& c) {
      return asks(c) && called(c) && ends[c.node].choice == c.choice;
    };
    const auto lacks = [&](const condition& c) { return c.value && !called(c); };
    if (std::ranges::any_of(before, lacks)) return false;
    if (std::ranges::any_of(before, asks) && std::ranges::none_of(before, chosen)) return false;
    return before.empty() || std::ranges::any_of(before, called);
  }

  std::vector<vertex> nodes_;
};

namespace reference {

template <typename T>
argument<T, false> argument_of(const task_graph::node_giving<T>& from) {
  return {from.number};
}
template <typename T>
argument<T, true> argument_of(const argument<T, true>& taken) {
  return taken;
}

}  // namespace reference

template <typename... Nodes>
auto values_of(const Nodes&... nodes) {
  return node_values<decltype(reference::argument_of(nodes))...>{
      {reference::argument_of(nodes)...}};
}

namespace reference {

template <bool InOrder, typename F>
struct stage {
  static constexpr bool in_order = InOrder;
  F function;
};

/// All values that are under way go through a stage before the next one does.
template <typename Value, typename Stage>
void pass(part& all, std::vector<Value>& values, const Stage& with) {
  if (!Stage::in_order) std::reverse(values.begin(), values.end());
  for (Value& v : values) {
    if (all.stopped()) return;
    v.second = all.call([&] { return with.function(std::move(v.second)); });
  }
  std::sort(values.begin(), values.end(),
            [](const Value& a, const Value& b) { return a.first < b.first; });
}

}  // namespace reference

template <typename F>
auto parallel_stage(F f) {
  return reference::stage<false, F>{std::move(f)};
}
template <typename F>
auto serial_in_order(F f) {
  return reference::stage<true, F>{std::move(f)};
}
template <typename F>
auto serial_out_of_order(F f) {
  return reference::stage<false, F>{std::move(f)};
}

template <typename Input, typename... Stages>
wait_status parallel_pipeline(std::size_t tokens, const Input& input, const Stages&... stages) {
  using value = typename std::invoke_result_t<const Input&>::value_type;
  reference::part all({});
  int number = 0;
  for (bool more = true; more && !all.stopped();) {
    std::vector<std::pair<int, value>> values;
    while (more && values.size() < tokens && !all.stopped()) {
      std::optional<value> next = all.call(input);
      more = next.has_value();
      if (more) values.emplace_back(number++, std::move(*next));
    }
    (reference::pass(all, values, stages), ...);
  }
  return all.status();
}
template <typename Input, typename... Stages>
wait_status parallel_pipeline(runtime& on, std::size_t tokens, const Input& input,
                              const Stages&... stages) {
  return on.run([&] { return parallel_pipeline(tokens, input, stages...); });
}

}  // namespace evencube
