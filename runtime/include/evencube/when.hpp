#pragma once

#include <array>
#include <cstddef>
#include <stop_token>
#include <tuple>
#include <utility>
#include <vector>

#include <evencube/detail/when_state.hpp>
#include <evencube/future.hpp>

namespace evencube {

/// The futures passed to `when_any`, and the index of the one that was ready first.
template <typename Futures>
struct when_any_result {
  std::size_t index = 0;
  Futures futures;
};

/// Returns a future that becomes ready when all `futures` are ready, with values or exceptions. Its
/// value is a tuple of these futures, so no exception is lost and no value is moved. The returned
/// future itself never ends with an exception. If there are no `futures`, it is ready immediately.
///
/// `when_all` creates no task: the worker that completes the last future queues the continuation.
/// Throws evencube::error if a future is not valid or the futures belong to different runtimes, and
/// std::bad_alloc. The futures are then unchanged.
template <typename... T>
[[nodiscard]] auto when_all(future<T>&&... futures) -> future<std::tuple<future<T>...>> {
  using result = std::tuple<future<T>...>;
  if constexpr (sizeof...(T) == 0) {
    return make_ready_future(result());
  } else {
    return detail::make_when<result>(detail::needs_all, std::array{detail::core_of(futures)...},
                                     [&](result& all) { all = result(std::move(futures)...); });
  }
}
/// Returns a future that becomes ready when all `futures` are ready, with values or exceptions. Its
/// value is a vector of these futures. The returned future itself never ends with an exception. If
/// `futures` is empty, it is ready immediately. Throws evencube::error if a future is not valid or
/// the futures belong to different runtimes, and std::bad_alloc. The futures are then unchanged.
template <typename T>
[[nodiscard]] auto when_all(std::vector<future<T>>&& futures) -> future<std::vector<future<T>>> {
  using result = std::vector<future<T>>;
  if (futures.empty()) return make_ready_future(result());
  return detail::make_when<result>(detail::needs_all, detail::cores_of(futures),
                                   [&](result& all) { all = std::move(futures); });
}

/// Returns a future that becomes ready when one of `futures` is ready, with a value or an
/// exception. Its value holds that future's index and all the futures. The other tasks continue;
/// their futures may be waited for, continued or dropped. If several futures are already ready, the
/// index is that of one of them. The returned future itself never ends with an exception. Throws
/// evencube::error if a future is not valid or the futures belong to different runtimes, and
/// std::bad_alloc. The futures are then unchanged.
template <typename... T>
  requires(sizeof...(T) != 0)
[[nodiscard]] auto when_any(future<T>&&... futures)
    -> future<when_any_result<std::tuple<future<T>...>>> {
  return detail::when_first(detail::needs_any, futures...);
}
/// Returns a future that becomes ready when one of `futures` is ready, with a value or an
/// exception. Its value holds that future's index and all the futures. The returned future itself
/// never ends with an exception. Throws std::invalid_argument if `futures` is empty. Throws
/// evencube::error if a future is not valid or the futures belong to different runtimes, and
/// std::bad_alloc. The futures are then unchanged.
template <typename T>
[[nodiscard]] auto when_any(std::vector<future<T>>&& futures)
    -> future<when_any_result<std::vector<future<T>>>> {
  return detail::when_first(detail::needs_any, futures);
}

/// Like `when_any` without a stop source, but requests a stop through `others` when the first
/// future is ready. The returned future becomes ready only when all futures are, so no task is left
/// running; `index` is that of the future that was ready first. Pass the token of `others` to the
/// tasks: those that check it end early; the other tasks run to their end. Callbacks of the token
/// run on the thread that completed the first future, and must not throw. Throws the same
/// exceptions as `when_any`.
template <typename... T>
  requires(sizeof...(T) != 0)
[[nodiscard]] auto when_any(const std::stop_source& others, future<T>&&... futures)
    -> future<when_any_result<std::tuple<future<T>...>>> {
  return detail::when_first(detail::needs_race{others}, futures...);
}
/// Like the overload above with a stop source, for a vector of futures.
template <typename T>
[[nodiscard]] auto when_any(const std::stop_source& others, std::vector<future<T>>&& futures)
    -> future<when_any_result<std::vector<future<T>>>> {
  return detail::when_first(detail::needs_race{others}, futures);
}

}  // namespace evencube
