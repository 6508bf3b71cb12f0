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

/// The futures that were passed to `when_any`, and the index of the future that was ready first.
template <typename Futures>
struct when_any_result {
  std::size_t index = 0;
  Futures futures;
};

/// Returns a future that is ready when all `futures` are ready, with values or exceptions. Its
/// value is the tuple of these ready futures, so no exception is lost and no value is moved. The
/// returned future never ends with an exception of its own. Without futures, the returned future is
/// ready immediately.
///
/// `when_all` makes no task: the worker that ends the last future queues the continuation. Throws
/// evencube::error if a future is not valid or the futures belong to different runtimes, and
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
/// Returns a future that is ready when all `futures` are ready, with values or exceptions. Its
/// value is the vector of these ready futures. The returned future never ends with an exception of
/// its own. Without futures, the returned future is ready immediately. Throws evencube::error if a
/// future is not valid or the futures belong to different runtimes, and std::bad_alloc. The futures
/// are then unchanged.
template <typename T>
[[nodiscard]] auto when_all(std::vector<future<T>>&& futures) -> future<std::vector<future<T>>> {
  using result = std::vector<future<T>>;
  if (futures.empty()) return make_ready_future(result());
  return detail::make_when<result>(detail::needs_all, detail::cores_of(futures),
                                   [&](result& all) { all = std::move(futures); });
}

/// Returns a future that is ready when one of `futures` is ready, with a value or an exception. Its
/// value is the index of that future and all the futures. The other tasks continue; their futures
/// may be waited for, continued or dropped. If several futures have ended already, the index names
/// one of them. The returned future never ends with an exception of its own.
/// Throws evencube::error if a future is not valid or the futures belong to different runtimes, and
/// std::bad_alloc. The futures are then unchanged.
template <typename... T>
  requires(sizeof...(T) != 0)
[[nodiscard]] auto when_any(future<T>&&... futures)
    -> future<when_any_result<std::tuple<future<T>...>>> {
  return detail::when_first(detail::needs_any, futures...);
}
/// Returns a future that is ready when one of `futures` is ready, with a value or an exception. Its
/// value is the index of that future and all the futures. The returned future never ends with an
/// exception of its own. Throws std::invalid_argument if `futures` is empty. Throws evencube::error
/// if a future is not valid or the futures belong to different runtimes, and std::bad_alloc. The
/// futures are then unchanged.
template <typename T>
[[nodiscard]] auto when_any(std::vector<future<T>>&& futures)
    -> future<when_any_result<std::vector<future<T>>>> {
  return detail::when_first(detail::needs_any, futures);
}

/// Like `when_any` without a stop source, but requests a stop of `others` when the first future is
/// ready. The returned future is ready when all futures are ready, so no task is left running.
/// `index` names the future that was ready first. Give the token of `others` to the tasks. Tasks
/// that check the token end early; the other tasks run to their end. Callbacks of the token run on
/// the thread that ended the first future, and must not throw. Throws the exceptions of `when_any`.
template <typename... T>
  requires(sizeof...(T) != 0)
[[nodiscard]] auto when_any(const std::stop_source& others, future<T>&&... futures)
    -> future<when_any_result<std::tuple<future<T>...>>> {
  return detail::when_first(detail::needs_race{others}, futures...);
}
/// Like the `when_any` with a stop source above, for a vector of futures.
template <typename T>
[[nodiscard]] auto when_any(const std::stop_source& others, std::vector<future<T>>&& futures)
    -> future<when_any_result<std::vector<future<T>>>> {
  return detail::when_first(detail::needs_race{others}, futures);
}

}  // namespace evencube
