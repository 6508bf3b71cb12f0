#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/detail/pipeline_run.hpp>
#include <evencube/detail/pipeline_stages.hpp>
#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/detail/call.hpp>
#include <evencube/interop/tbb/detail/filter_stage.hpp>
#include <evencube/interop/tbb/task_group_context.hpp>
#include <evencube/task_group.hpp>

namespace evencube::tbb {

namespace detail {

/// The values in one run of a filter chain.
class filter_line {
 public:
  filter_line(const filter_stages& stages, std::size_t tokens, task_group_context* context)
      : stages_(stages), call_(context), places_(tokens) {
    for (auto& places : places_) {
      for (const auto& stage : stages) places.push_back(stage->make_place());
    }
  }
  bool fetch(std::size_t token) {
    bool more = false;
    call_.within([&] { more = stages_.front()->call(nullptr, places_[token].front().get()); });
    return more;
  }
  void call(std::size_t stage, std::size_t token) {
    const auto& places = places_[token];
    call_.within([&] { stages_[stage + 1]->call(places[stage].get(), places[stage + 1].get()); });
  }
  [[nodiscard]] bool cancelled() const noexcept { return call_.cancelled(); }

 private:
  const filter_stages& stages_;
  detail::call call_;
  std::vector<std::vector<std::unique_ptr<filter_place>>> places_;  // by token, then by stage
};

inline evencube::detail::stage_kind kind_of(filter_mode mode) noexcept {
  using evencube::detail::stage_kind;
  switch (mode) {
    case filter_mode::parallel:
      return stage_kind::parallel;
    case filter_mode::serial_in_order:
      return stage_kind::serial_in_order;
    case filter_mode::serial_out_of_order:
      break;
  }
  return stage_kind::serial_out_of_order;
}

inline void run_filters(std::size_t tokens, const filter_stages& stages,
                        task_group_context* context) {
  if (stages.empty()) throw std::invalid_argument("parallel_pipeline: an empty filter");
  if (tokens == 0) throw std::invalid_argument("parallel_pipeline: 0 tokens; at least 1");
  std::vector<evencube::detail::stage_kind> kinds;
  for (const auto& stage : stages) kinds.push_back(detail::kind_of(stage->mode));
  detail::inside([&] {
    filter_line line(stages, tokens, context);
    evencube::task_group group;
    evencube::detail::pipeline_run run(group, line, tokens, kinds.front(),
                                       std::span(kinds).subspan(1));
    run.begin();
    group.wait();
  });
}

/// Access to a filter's stages, only for the functions below.
struct filter_access {
  template <typename Chain>
  static const filter_stages& stages(const Chain& all) {
    return all.stages_;
  }
  template <typename Chain>
  static Chain made_of(filter_stages&& stages) {
    Chain all;
    all.stages_ = std::move(stages);
    return all;
  }
};

}  // namespace detail

/// A part of a pipeline; it turns values of type Input into values of type Output. At the ends of a
/// pipeline, these types are void. Copies of a filter share the body.
template <typename Input, typename Output>
class filter {
 public:
  /// Makes an empty filter, which can only be assigned to.
  filter() = default;
  /// Makes a filter that calls body(value) in the given mode. A pipeline's first filter calls
  /// body(flow_control&). The body is copied and called as const.
  template <rule::takes_the_input_and_gives_the_output<Input, Output> Body>
  filter(filter_mode mode, const Body& body)
      : stages_{std::make_shared<const detail::filter_of_body<Input, Output, Body>>(mode, body)} {}

  filter& operator&=(const filter<Output, Output>& right) { return *this = *this & right; }
  /// Makes the filter empty.
  void clear() { stages_.clear(); }

 private:
  friend detail::filter_access;

  detail::filter_stages stages_;
};

template <rule::filter_with_types_of_its_own Body>
filter(filter_mode, Body) -> filter<detail::filter_input<Body>, detail::filter_output<Body>>;

/// Returns a filter that runs the left filter and then the right filter. Throws
/// std::invalid_argument for an empty filter.
template <typename Input, typename Middle, typename Output>
[[nodiscard]] filter<Input, Output> operator&(const filter<Input, Middle>& left,
                                              const filter<Middle, Output>& right) {
  detail::filter_stages all = detail::filter_access::stages(left);
  const detail::filter_stages& more = detail::filter_access::stages(right);
  if (all.empty() || more.empty()) {
    throw std::invalid_argument("filter: the left or the right one of & is empty");
  }
  all.insert(all.end(), more.begin(), more.end());
  return detail::filter_access::made_of<filter<Input, Output>>(std::move(all));
}

/// Makes a filter with these types. If no types are given, both are deduced from the body, which
/// must then have exactly one operator(), declared const.
template <typename Input, typename Output,
          rule::takes_the_input_and_gives_the_output<Input, Output> Body>
[[nodiscard]] filter<Input, Output> make_filter(filter_mode mode, const Body& body) {
  return filter<Input, Output>(mode, body);
}
template <rule::filter_with_types_of_its_own Body>
[[nodiscard]] auto make_filter(filter_mode mode, const Body& body) {
  return filter<detail::filter_input<Body>, detail::filter_output<Body>>(mode, body);
}

/// Passes values through the filters until the first filter stops the flow. At most
/// `max_number_of_live_tokens` values are in progress simultaneously. No worker blocks: a value
/// that may not yet enter a serial filter is stored, and the worker does other work. Once the
/// context is cancelled or a body has thrown, no more bodies are called. The first exception is
/// rethrown at the end.
/// Throws std::invalid_argument for 0 tokens and for an empty filter.
inline void parallel_pipeline(std::size_t max_number_of_live_tokens,
                              const filter<void, void>& chain) {
  detail::run_filters(max_number_of_live_tokens, detail::filter_access::stages(chain), nullptr);
}
inline void parallel_pipeline(std::size_t max_number_of_live_tokens,
                              const filter<void, void>& chain, task_group_context& context) {
  detail::run_filters(max_number_of_live_tokens, detail::filter_access::stages(chain), &context);
}
/// Like `parallel_pipeline` with one chain, but the filters are separate arguments, optionally
/// followed by a context.
template <typename Middle, typename Output, typename... More>
void parallel_pipeline(std::size_t max_number_of_live_tokens, const filter<void, Middle>& first,
                       const filter<Middle, Output>& second, More&&... more) {
  tbb::parallel_pipeline(max_number_of_live_tokens, first & second, std::forward<More>(more)...);
}

}  // namespace evencube::tbb
