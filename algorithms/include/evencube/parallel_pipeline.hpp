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
#include <evencube/detail/former.hpp>
#include <evencube/detail/pipeline_run.hpp>
#include <evencube/detail/pipeline_stages.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>

namespace evencube {

/// Makes a pipeline stage whose function several workers may call concurrently.
template <rule::movable_into_a_stage F>
[[nodiscard]] auto parallel_stage(F&& f) {
  return detail::pipeline_stage<detail::stage_kind::parallel, std::decay_t<F>>{std::forward<F>(f)};
}
/// The former spelling of `parallel_stage(f)`.
template <rule::movable_into_a_stage F>
EVENCUBE_FORMER("use parallel_stage") [[nodiscard]] auto parallel(F&& f) {
  return evencube::parallel_stage(std::forward<F>(f));
}
/// Makes a pipeline stage whose function is called by one worker at a time, with the values in the
/// order in which the input returned them.
template <rule::movable_into_a_stage F>
[[nodiscard]] auto serial_in_order(F&& f) {
  return detail::pipeline_stage<detail::stage_kind::serial_in_order, std::decay_t<F>>{
      std::forward<F>(f)};
}
/// Makes a pipeline stage whose function is called by one worker at a time, with the values in the
/// order in which they arrive.
template <rule::movable_into_a_stage F>
[[nodiscard]] auto serial_out_of_order(F&& f) {
  return detail::pipeline_stage<detail::stage_kind::serial_out_of_order, std::decay_t<F>>{
      std::forward<F>(f)};
}

namespace detail {

/// A pipeline's stages and the values between them: for each token, one value before each stage.
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
  /// Returns false, because this pipeline is stopped through its group.
  [[nodiscard]] static bool cancelled() noexcept { return false; }

 private:
  template <std::size_t... I>
  void call_one_of(std::size_t stage, values& row, std::index_sequence<I...>) {
    static_cast<void>(((stage == I && (call_stage<I>(row), true)) || ...));
  }
  template <std::size_t Stage>
  void call_stage(values& row) {
    auto& stage = std::get<Stage>(stages_);
    auto& value = std::get<Stage>(row);
    if constexpr (Stage + 1 == sizeof...(Stages)) {
      stage.function(std::move(*value));
    } else {
      std::get<Stage + 1>(row).emplace(stage.function(std::move(*value)));
    }
    value.reset();
  }

  Input& input_;
  std::tuple<Stages...>& stages_;
  std::vector<values> values_;
};

/// The maximum number of tokens. The memory for each token is allocated at the beginning.
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

/// Passes values through stages. One worker at a time calls `input()`, which returns a value in a
/// std::optional, or an empty one if there are no more values. Each of the `stages`, made by
/// `parallel_stage`, `serial_in_order` or `serial_out_of_order`, is called with the previous
/// stage's result. The last stage's results are discarded. At most `tokens` values (with `tokens`
/// <= 2^24) are in progress at a time; memory for these values is allocated at the beginning. No
/// worker blocks. A value that may not enter a serial stage yet is set aside until the stage is
/// free; meanwhile, its worker does other work. A pipeline also works with a single worker.
///
/// Returns when all values have passed the last stage. If a call throws, no more values are
/// fetched, values in progress go no further, and the first exception is rethrown at the end. If a
/// group above the caller's task is stopped, the pipeline ends in the same way with the result
/// `stopped`. (A loop is not stopped, but a pipeline might never end on its own.)
/// Throws evencube::error if called outside of a runtime's tasks, and std::invalid_argument for 0
/// or more than 2^24 `tokens`. May throw std::bad_alloc.
template <typename Input, typename... Stages>
  requires rule::pipeline_of_stages<Input, Stages...>
wait_status parallel_pipeline(std::size_t tokens, Input&& input, Stages... stages) {
  std::tuple<Stages...> all(std::move(stages)...);
  task_group group;
  return detail::run_pipeline(group, tokens, input, all);
}
/// Runs `parallel_pipeline` as a task of `runtime`, from any thread. Also throws the exceptions of
/// `runtime::run`.
template <typename Input, typename... Stages>
  requires rule::pipeline_of_stages<Input, Stages...>
wait_status parallel_pipeline(runtime& runtime, std::size_t tokens, Input&& input,
                              Stages... stages) {
  return detail::call_on(
      runtime, [&] { return evencube::parallel_pipeline(tokens, input, std::move(stages)...); });
}

}  // namespace evencube
