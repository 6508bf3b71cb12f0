#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <evencube/detail/callable.hpp>
#include <evencube/detail/watched_loop.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/where.hpp>

/// Loops and reductions over integers whose first argument determines where they run or what can
/// stop them: a runtime, an arena, a std::stop_token, or `on(rt, token)`. With a runtime or an
/// arena, the loop runs there as a task, and any thread may start it.
///
/// With a token, the loop checks the token before every chunk of iterations (several microseconds,
/// or `grain`). After a stop request no further chunk begins on any worker; chunks that have begun
/// run to their end. A loop with a token returns whether it was stopped, and a reduction returns
/// its value unless it was stopped. The stop may be requested by the body itself, another thread or
/// the token's group (`task_group::stop_token`). If the body also throws, the caller gets either
/// the stop or the exception. Calls without a token make no such checks.
namespace evencube {

/// Runs `parallel_for` over integers as `where` specifies: in a runtime or arena, until a token
/// requests a stop, or both. With a token, returns whether calls of the body were skipped.
template <rule::says_where Where, typename First, typename Last, typename Body>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::callable_with_the_index<Body, std::common_type_t<First, Last>>
[[nodiscard]] detail::outcome<Where> parallel_for(Where&& where, First first, Last last,
                                                  const Body& body,
                                                  const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  return detail::run_where(where, [&](const auto& until) {
    if constexpr (detail::has_token<decltype(until)>) {
      const auto begin = detail::bound_as<index>(first, "parallel_for");
      const auto end = detail::bound_as<index>(last, "parallel_for");
      const detail::local<Body> call{body};
      return detail::watched_for(
          until, "parallel_for", detail::iterations(begin, end),
          [begin, call](std::size_t i) { call.it(detail::index_at(begin, i)); }, options.grain);
    } else {
      evencube::parallel_for(first, last, body, options);
    }
  });
}

/// Runs `parallel_reduce` over integers as `where` specifies: in a runtime or arena, until a token
/// requests a stop, or both. Returns the value; with a token, returns an empty std::optional if
/// calls were skipped.
template <rule::says_where Where, typename First, typename Last, typename Value, typename Body,
          typename Combine>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::gives_the_value<Body, std::common_type_t<First, Last>, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] detail::outcome<Where, Value> parallel_reduce(Where&& where, First first, Last last,
                                                            Value init, const Body& body,
                                                            const Combine& combine,
                                                            const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  return detail::run_where(
      where, [&](const auto& until) -> detail::outcome<decltype(until), Value> {
        if constexpr (detail::has_token<decltype(until)>) {
          const auto begin = detail::bound_as<index>(first, "parallel_reduce");
          const auto end = detail::bound_as<index>(last, "parallel_reduce");
          const detail::local<Body> call{body};
          const wait_status ended = detail::watched_fold(
              until, detail::iterations(begin, end), init,
              [begin, call](std::size_t i) -> Value { return call.it(detail::index_at(begin, i)); },
              combine, options.grain);
          if (ended == wait_status::stopped) return std::nullopt;
          return std::optional<Value>(std::move(init));
        } else {
          return evencube::parallel_reduce(first, last, std::move(init), body, combine, options);
        }
      });
}

}  // namespace evencube
