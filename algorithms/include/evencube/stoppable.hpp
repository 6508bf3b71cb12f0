#pragma once

#include <stop_token>
#include <utility>

#include <evencube/detail/former.hpp>
#include <evencube/parallel_find.hpp>
#include <evencube/parallel_for_blocks.hpp>
#include <evencube/parallel_for_each.hpp>
#include <evencube/parallel_for_elements.hpp>
#include <evencube/parallel_reduce.hpp>
#include <evencube/runtime.hpp>

/// Former spellings of calls with a runtime and a token. The calls are described in
/// <evencube/parallel_for_where.hpp>.
namespace evencube {

/// The former spelling of `parallel_find_if(on(rt, token), ...)`.
template <typename First, typename... Arguments>
  requires requires(const place_until<runtime>& where, First&& first, Arguments&&... a) {
    evencube::parallel_find_if(where, std::forward<First>(first), std::forward<Arguments>(a)...);
  }
EVENCUBE_FORMER("use parallel_find_if(on(rt, token), ...)") [[nodiscard]] auto parallel_find_if(
    runtime& rt, const std::stop_token& token, First&& first, Arguments&&... arguments) {
  return evencube::parallel_find_if(evencube::on(rt, token), std::forward<First>(first),
                                    std::forward<Arguments>(arguments)...);
}

/// The former spelling of `parallel_for(on(rt, token), ...)`.
template <typename First, typename... Arguments>
  requires requires(const place_until<runtime>& where, First&& first, Arguments&&... a) {
    evencube::parallel_for(where, std::forward<First>(first), std::forward<Arguments>(a)...);
  }
EVENCUBE_FORMER("use parallel_for(on(rt, token), ...)") [[nodiscard]] auto parallel_for(
    runtime& rt, const std::stop_token& token, First&& first, Arguments&&... arguments) {
  return evencube::parallel_for(evencube::on(rt, token), std::forward<First>(first),
                                std::forward<Arguments>(arguments)...);
}
/// The former spelling of `parallel_for_each(on(rt, token), ...)`.
template <typename First, typename... Arguments>
  requires requires(const place_until<runtime>& where, First&& first, Arguments&&... a) {
    evencube::parallel_for_each(where, std::forward<First>(first), std::forward<Arguments>(a)...);
  }
EVENCUBE_FORMER("use parallel_for_each(on(rt, token), ...)") [[nodiscard]] auto parallel_for_each(
    runtime& rt, const std::stop_token& token, First&& first, Arguments&&... arguments) {
  return evencube::parallel_for_each(evencube::on(rt, token), std::forward<First>(first),
                                     std::forward<Arguments>(arguments)...);
}
/// The former spelling of `parallel_reduce(on(rt, token), ...)`.
template <typename First, typename... Arguments>
  requires requires(const place_until<runtime>& where, First&& first, Arguments&&... a) {
    evencube::parallel_reduce(where, std::forward<First>(first), std::forward<Arguments>(a)...);
  }
EVENCUBE_FORMER("use parallel_reduce(on(rt, token), ...)") [[nodiscard]] auto parallel_reduce(
    runtime& rt, const std::stop_token& token, First&& first, Arguments&&... arguments) {
  return evencube::parallel_reduce(evencube::on(rt, token), std::forward<First>(first),
                                   std::forward<Arguments>(arguments)...);
}

}  // namespace evencube
