#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <tuple>
#include <utility>
#include <vector>

#include <evencube/detail/future_state.hpp>
#include <evencube/future.hpp>

namespace evencube {

template <typename Futures>
struct when_any_result;

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

}  // namespace evencube
