#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <tuple>
#include <utility>
#include <vector>

#include <evencube/detail/future_state.hpp>
#include <evencube/future.hpp>

namespace evencube {

/// The futures that were passed to `when_any`, and the index of the one that was ready first.
template <typename Futures>
struct when_any_result {
  std::size_t index = 0;
  Futures futures;
};

namespace detail {

/// What a `when_any` with a stop source needs.
struct race_of_futures : future_race {
  race_of_futures(std::uint32_t number, future_core* const* needed, std::stop_source stops)
      : future_race(number, needed, &stop_others), others(std::move(stops)) {}

  static void stop_others(future_race& race) noexcept {
    static_cast<race_of_futures&>(race).others.request_stop();
  }

  std::stop_source others;
};

/// The state of a future of several futures, which are its value from the beginning. It runs
/// nothing, so it needs no task. The first or the last of the futures to end also ends this one.
/// `make(count, antecedents)` returns what it needs.
template <typename Result, typename Antecedents, typename Needs>
class when_state final : public future_state<Result> {
 public:
  template <typename Make>
  when_state(const Make& make, std::uint64_t runtime_id, Antecedents&& antecedents)
      : future_state<Result>(
            runtime_id, future_core::stage::unreleased,
            // One reference for the future, and one for each antecedent that has not ended.
            static_cast<std::uint32_t>(antecedents.size()) + 1, nullptr, &destroy, &needs_),
        antecedents_(std::move(antecedents)),
        needs_(make(static_cast<std::uint32_t>(antecedents_.size()), antecedents_.data())) {
    ::new (static_cast<void*>(std::addressof(this->value_))) Result{};
  }

  [[nodiscard]] Result& value() noexcept { return this->value_; }
  void write_index_to(std::size_t& index) noexcept { needs_.index = &index; }

 private:
  static void destroy(future_core& core) noexcept { delete static_cast<when_state*>(&core); }

  Antecedents antecedents_;
  Needs needs_;
};

template <typename T>
future_core* core_of(const future<T>& future) {
  future_core* const core = future_access::state(future);
  if (core == nullptr) detail::throw_spent_future();
  return core;
}
template <typename T>
std::vector<future_core*> cores_of(const std::vector<future<T>>& futures) {
  std::vector<future_core*> cores;
  cores.reserve(futures.size());
  for (const future<T>& f : futures) cores.push_back(detail::core_of(f));
  return cores;
}

/// Makes the future. `fill(result)` moves the futures into the result once nothing can fail any
/// more.
template <typename Result, typename Antecedents, typename Make, typename Fill>
future<Result> make_when(const Make& make, Antecedents antecedents, const Fill& fill) {
  using needs = decltype(make(0, antecedents.data()));
  const std::uint64_t runtime = detail::common_runtime(antecedents.data(), antecedents.size());
  auto* const made =
      new when_state<Result, Antecedents, needs>(make, runtime, std::move(antecedents));
  fill(made->value());
  if constexpr (requires { made->value().index; }) made->write_index_to(made->value().index);
  future<Result> result = future_access::make<Result>(made);
  detail::need_several(*made);
  return result;
}

inline constexpr auto needs_all = [](std::uint32_t count, future_core* const* antecedents) {
  return dependency{dependency::kind::all, count, antecedents, count};
};
inline constexpr auto needs_any = [](std::uint32_t count, future_core* const* antecedents) {
  return dependency{dependency::kind::any, count, antecedents, 1};
};
/// The needs of a race, made by a function object that also knows the stop source.
struct needs_race {
  race_of_futures operator()(std::uint32_t count, future_core* const* antecedents) const {
    return {count, antecedents, others};
  }

  const std::stop_source& others;
};

template <typename Make, typename... T>
auto when_first(const Make& make, future<T>&... futures) {
  using result = when_any_result<std::tuple<future<T>...>>;
  return detail::make_when<result>(make, std::array{detail::core_of(futures)...}, [&](result& any) {
    any.futures = std::tuple<future<T>...>(std::move(futures)...);
  });
}
template <typename Make, typename T>
auto when_first(const Make& make, std::vector<future<T>>& futures) {
  using result = when_any_result<std::vector<future<T>>>;
  if (futures.empty()) throw std::invalid_argument("when_any: there is no future to wait for");
  return detail::make_when<result>(make, detail::cores_of(futures),
                                   [&](result& any) { any.futures = std::move(futures); });
}

}  // namespace detail

/// Returns a future that is ready when all `futures` are ready, with values or exceptions. Its
/// value is the tuple of these futures, each of them ready, so no exception is lost and no value is
/// moved. It never ends with an exception of its own. With no futures it is ready at once.
///
/// It takes no task: the worker that ends the last future queues the continuation. Throws
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
/// value is the vector of these futures, each of them ready. It never ends with an exception of its
/// own. With no futures it is ready at once. Throws evencube::error if a future is not valid or the
/// futures belong to different runtimes, and std::bad_alloc. The futures are then unchanged.
template <typename T>
[[nodiscard]] auto when_all(std::vector<future<T>>&& futures) -> future<std::vector<future<T>>> {
  using result = std::vector<future<T>>;
  if (futures.empty()) return make_ready_future(result());
  return detail::make_when<result>(detail::needs_all, detail::cores_of(futures),
                                   [&](result& all) { all = std::move(futures); });
}

/// Returns a future that is ready when one of `futures` is ready, with a value or an exception. Its
/// value is the index of that future and all the futures. The others go on; they may be waited for,
/// continued or dropped. If several have ended already, one of them is named. It never ends with an
/// exception of its own.
/// Throws evencube::error if a future is not valid or the futures belong to different runtimes, and
/// std::bad_alloc. The futures are then unchanged.
template <typename... T>
  requires(sizeof...(T) != 0)
[[nodiscard]] auto when_any(future<T>&&... futures)
    -> future<when_any_result<std::tuple<future<T>...>>> {
  return detail::when_first(detail::needs_any, futures...);
}
/// Returns a future that is ready when one of `futures` is ready, with a value or an exception. Its
/// value is the index of that future and all the futures. It never ends with an exception of its
/// own. Throws std::invalid_argument if `futures` is empty. Throws evencube::error if a future is
/// not valid or the futures belong to different runtimes, and std::bad_alloc. The futures are then
/// unchanged.
template <typename T>
[[nodiscard]] auto when_any(std::vector<future<T>>&& futures)
    -> future<when_any_result<std::vector<future<T>>>> {
  return detail::when_first(detail::needs_any, futures);
}

/// Like `when_any` without a stop source, but requests a stop of `others` when the first future is
/// ready, and is ready when all of them are, so that no task is left behind. `index` names the
/// future that was ready first. Give the token of `others` to the tasks, which end early if they
/// look at it; tasks that do not run to their end. Callbacks of the token run on the thread that
/// ended the first future, and must not throw. Throws the exceptions of `when_any`.
template <typename... T>
  requires(sizeof...(T) != 0)
[[nodiscard]] auto when_any(const std::stop_source& others, future<T>&&... futures)
    -> future<when_any_result<std::tuple<future<T>...>>> {
  return detail::when_first(detail::needs_race{others}, futures...);
}
/// Like `when_any` of several futures with a stop source, for any number of them.
template <typename T>
[[nodiscard]] auto when_any(const std::stop_source& others, std::vector<future<T>>&& futures)
    -> future<when_any_result<std::vector<future<T>>>> {
  return detail::when_first(detail::needs_race{others}, futures);
}

}  // namespace evencube
