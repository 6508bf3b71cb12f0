#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <evencube/arena.hpp>
#include <evencube/detail/callable.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>

namespace evencube {

/// The runtime or arena in which a call runs, and the token that can stop the call. Returned by
/// `on`.
template <typename Place>
class place_until {
 public:
  /// Creates the first argument of a call that runs in `place` until a stop is requested through
  /// `token`.
  place_until(Place& place, std::stop_token token) noexcept
      : place_(std::addressof(place)), token_(std::move(token)) {}

  /// Returns the runtime or arena in which the call runs.
  [[nodiscard]] Place& place() const noexcept { return *place_; }
  /// Returns the token that can stop the call.
  [[nodiscard]] const std::stop_token& token() const noexcept { return token_; }

 private:
  Place* place_;
  std::stop_token token_;
};

/// Returns the first argument of a call that runs as a task of `rt` until a stop is requested
/// through `token`.
[[nodiscard]] inline place_until<runtime> on(runtime& rt, std::stop_token token) noexcept {
  return {rt, std::move(token)};
}
/// Returns the first argument of a call that runs in `arena` until a stop is requested through
/// `token`.
[[nodiscard]] inline place_until<arena> on(arena& arena, std::stop_token token) noexcept {
  return {arena, std::move(token)};
}

namespace detail {

template <typename Where>
inline constexpr bool is_place_until = false;
template <typename Place>
inline constexpr bool is_place_until<place_until<Place>> = true;

/// A first argument that contains a token, so the call can end early.
template <typename Where>
concept has_token = std::is_same_v<std::remove_cvref_t<Where>, std::stop_token> ||
                    is_place_until<std::remove_cvref_t<Where>>;

}  // namespace detail

namespace rule {

/// A first argument that determines where a call runs: a runtime or an arena.
template <typename Where>
concept names_a_place = std::is_same_v<std::remove_cvref_t<Where>, runtime> ||
                        std::is_same_v<std::remove_cvref_t<Where>, arena>;

/// A first argument that determines where a call runs, what can stop it, or both: a runtime, an
/// arena, a std::stop_token, or `on(rt, token)`.
template <typename Where>
concept says_where = names_a_place<Where> || detail::has_token<Where>;

}  // namespace rule

namespace detail {

/// The return type of a call whose result is a T. Without a token it is T. With a token it is
/// wait_status if T is void, and otherwise a std::optional<T>, which is empty if the call was
/// stopped.
template <typename Where, typename T = void>
using outcome =
    std::conditional_t<!has_token<Where>, T,
                       std::conditional_t<std::is_void_v<T>, wait_status, std::optional<T>>>;

/// Stands in for the token in calls without one.
struct until_the_end {};

/// Calls f(token), or f(until_the_end), in the runtime or arena that `where` names. An outside
/// thread is not bound: loops and other algorithms are called often and may be short, and binding
/// would cost three system calls each time.
template <typename Where, typename F>
auto run_where(Where& where, const F& f) {
  using place = std::remove_cvref_t<Where>;
  if constexpr (std::is_same_v<place, std::stop_token>) {
    return f(where);
  } else if constexpr (is_place_until<place>) {
    return where.place().run([&] { return f(where.token()); }, {.pin = false});
  } else {
    return where.run([&] { return f(until_the_end{}); }, {.pin = false});
  }
}

}  // namespace detail

}  // namespace evencube
