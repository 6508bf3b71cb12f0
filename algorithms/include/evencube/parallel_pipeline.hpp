#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/detail/call_on.hpp>
#include <evencube/detail/pipeline_run.hpp>
#include <evencube/detail/pipeline_stages.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>

namespace evencube {

/// A stage of a pipeline whose function is called by several workers at once.
template <rule::movable_into_a_stage F>
auto parallel(F&& f) {
  return detail::pipeline_stage<detail::stage_kind::parallel, std::decay_t<F>>{std::forward<F>(f)};
}
/// One whose function is called by one worker at a time, with the values in the order in which the
/// first stage gave them.
template <rule::movable_into_a_stage F>
auto serial_in_order(F&& f) {
  return detail::pipeline_stage<detail::stage_kind::serial_in_order, std::decay_t<F>>{
      std::forward<F>(f)};
}
/// One whose function is called by one worker at a time, with the values as they come.
template <rule::movable_into_a_stage F>
auto serial_out_of_order(F&& f) {
  return detail::pipeline_stage<detail::stage_kind::serial_out_of_order, std::decay_t<F>>{
      std::forward<F>(f)};
}

namespace detail {

/// The stages of a pipeline, and the values between them: of each token, one before each stage.
template <typename Input, typename... Stages>
class typed_line {
  using first_value = optional_value<decltype(std::declval<Input&>()())>;
  using values = typename values_between<first_value, Stages...>::type;

 public:
  static constexpr std::array<stage_kind, sizeof...(Stages)> kinds{Stages::kind...};

  typed_line(std::size_t tokens, Input& input, std::tuple<Stages...>& stages)
      : input_(input), stages_(stages), values_(tokens) {}

  bool fetch(std::size_t token) {
    std::optional<first_value> fetched = input_();
    if (!fetched) return false;
    std::get<0>(values_[token]).emplace(std::move(*fetched));
    return true;
  }
  void call(std::size_t stage, std::size_t token) {
    call_one_of(stage, values_[token], std::index_sequence_for<Stages...>());
  }
  /// What ends it from outside is its group.
  [[nodiscard]] static bool cancelled() noexcept { return false; }

 private:
  template <std::size_t... I>
  void call_one_of(std::size_t stage, values& of, std::index_sequence<I...>) {
    static_cast<void>(((stage == I && (call_stage<I>(of), true)) || ...));
  }
  template <std::size_t Stage>
  void call_stage(values& of) {
    auto& stage = std::get<Stage>(stages_);
    auto& value = std::get<Stage>(of);
    if constexpr (Stage + 1 == sizeof...(Stages)) {
      stage.function(std::move(*value));
    } else {
      std::get<Stage + 1>(of).emplace(stage.function(std::move(*value)));
    }
    value.reset();
  }

  Input& input_;
  std::tuple<Stages...>& stages_;
  std::vector<values> values_;
};

/// Each has its place in memory from the beginning.
inline constexpr std::size_t most_tokens = std::size_t{1} << 24;

template <typename Input, typename... Stages>
wait_status run_pipeline(task_group& group, std::size_t tokens, Input& input,
                         std::tuple<Stages...>& stages) {
  if (tokens == 0 || tokens > most_tokens) {
    throw std::invalid_argument("parallel_pipeline: " + std::to_string(tokens) +
                                " tokens; at least 1, at most " + std::to_string(most_tokens));
  }
  typed_line<Input, Stages...> line(tokens, input, stages);
  pipeline_run run(group, line, tokens, stage_kind::serial_in_order, line.kinds);
  run.begin();
  return group.wait();
}

}  // namespace detail

/// Carries values through stages. `input()` is called by one worker at a time and gives a
/// std::optional: a value, or nothing when there are no more. Each of the `stages`, made by
/// `parallel`, `serial_in_order` or `serial_out_of_order`, is called with what the one before it
/// gave; what the last one gives is dropped. At most `tokens` values, of which there may be 2^24,
/// are under way at a time, with memory for so many from the beginning, and nobody blocks: a value
/// that may not go into a serial stage is put aside until that is free, and its worker does
/// something else. Works on one worker as on many.
///
/// Returns when all values have come to the end. Where something throws, nothing more is fetched,
/// values under way go no further, and the first exception is thrown in the end. When a group
/// that the caller's task stands below is stopped, the same happens, and the result is `stopped`:
/// unlike a loop, a pipeline may have no end of its own.
/// Throws evencube::error outside of a runtime's tasks, std::invalid_argument for no tokens
/// or too many, std::bad_alloc.
template <typename Input, typename... Stages>
  requires rule::pipeline_of_stages<Input, Stages...>
wait_status parallel_pipeline(std::size_t tokens, Input&& input, Stages... stages) {
  std::tuple<Stages...> all(std::move(stages)...);
  task_group group;
  return detail::run_pipeline(group, tokens, input, all);
}
/// The same as a task of `on`: from any thread. Throws as `runtime::run` does.
template <typename Input, typename... Stages>
  requires rule::pipeline_of_stages<Input, Stages...>
wait_status parallel_pipeline(runtime& on, std::size_t tokens, Input&& input, Stages... stages) {
  return detail::call_on(
      on, [&] { return evencube::parallel_pipeline(tokens, input, std::move(stages)...); });
}

}  // namespace evencube
