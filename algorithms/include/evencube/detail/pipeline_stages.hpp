#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <evencube/detail/callable.hpp>

namespace evencube::detail {

enum class stage_kind { parallel, serial_in_order, serial_out_of_order };

/// A function together with the way in which it may be called.
template <stage_kind Kind, typename F>
struct pipeline_stage {
  static constexpr stage_kind kind = Kind;
  F function;
};

/// The type of the value in a std::optional.
template <typename Optional>
using optional_value = typename std::decay_t<Optional>::value_type;

template <typename T>
inline constexpr bool is_pipeline_stage = false;
template <stage_kind Kind, typename F>
inline constexpr bool is_pipeline_stage<pipeline_stage<Kind, F>> = true;

/// The type that the function of a stage returns for a value of type T.
template <typename Stage, typename T>
using stage_call = decltype(std::declval<Stage&>().function(std::declval<T>()));

/// The type in which the result of a stage is kept until the next stage is called.
template <typename Stage, typename T>
using stage_result = std::decay_t<stage_call<Stage, T>>;

}  // namespace evencube::detail

namespace evencube::rule {

/// A function becomes a stage of a pipeline by `parallel_stage`, `serial_in_order` or
/// `serial_out_of_order`.
template <typename Stage>
concept made_by_parallel_or_serial = detail::is_pipeline_stage<Stage>;

/// A stage keeps its function, so the function can be moved or copied there.
template <typename F>
concept movable_into_a_stage =
    std::constructible_from<std::decay_t<F>, F> && std::move_constructible<std::decay_t<F>>;

/// A pipeline has at least one stage besides its input.
template <typename... Stages>
concept at_least_one_stage = (sizeof...(Stages) != 0);

/// The input of a pipeline is called without arguments, and returns a std::optional of values that
/// can be moved.
template <typename Input>
concept gives_an_optional = requires(Input& input) {
  requires begins_no_coroutine<decltype(input())>;
  requires std::move_constructible<detail::optional_value<decltype(input())>>;
  requires std::convertible_to<decltype(input()),
                               std::optional<detail::optional_value<decltype(input())>>>;
};

/// A stage is called with the result of the stage before it.
template <typename Stage, typename Given>
concept takes_the_value_before = requires(Stage& stage, Given given) {
  stage.function(std::move(given));
  requires begins_no_coroutine<detail::stage_call<Stage, Given>>;
};

/// A stage before another one returns a value, which is kept until the next stage is called.
template <typename Stage, typename Given>
concept gives_a_value_to_keep =
    std::constructible_from<detail::stage_result<Stage, Given>, detail::stage_call<Stage, Given>>;

}  // namespace evencube::rule

namespace evencube::detail {

template <typename Given, typename Stage, typename... More>
constexpr bool stages_fit() {
  if constexpr (!rule::takes_the_value_before<Stage, Given>) {
    return false;
  } else if constexpr (sizeof...(More) == 0) {
    return true;
  } else if constexpr (!rule::gives_a_value_to_keep<Stage, Given>) {
    return false;
  } else {
    return detail::stages_fit<stage_result<Stage, Given>, More...>();
  }
}

}  // namespace evencube::detail

namespace evencube::rule {

/// Each stage of a pipeline takes the result of the input or of the stage before it, and is not a
/// coroutine function.
template <typename Input, typename... Stages>
concept each_stage_takes_what_the_one_before_gives =
    detail::stages_fit<detail::optional_value<decltype(std::declval<Input&>()())>, Stages...>();

/// The arguments of parallel_pipeline.
template <typename Input, typename... Stages>
concept pipeline_of_stages = at_least_one_stage<Stages...> && gives_an_optional<Input> &&
                             (made_by_parallel_or_serial<Stages> && ...) &&
                             each_stage_takes_what_the_one_before_gives<Input, Stages...>;

}  // namespace evencube::rule

namespace evencube::detail {

/// The types of the values between stages: those before the first stage, before the second stage,
/// and so on.
template <typename T, typename... Stages>
struct values_between;
template <typename T, typename Last>
struct values_between<T, Last> {
  using type = std::tuple<std::optional<T>>;
};
template <typename T, typename Stage, typename Next, typename... More>
struct values_between<T, Stage, Next, More...> {
  using type = decltype(std::tuple_cat(
      std::declval<std::tuple<std::optional<T>>>(),
      std::declval<typename values_between<stage_result<Stage, T>, Next, More...>::type>()));
};

/// Lets one token at a time into a serial stage, in the order of their numbers if that is required.
/// No thread waits: a token that may not enter is put aside, and the token that leaves names the
/// next.
class stage_gate {
 public:
  stage_gate(std::size_t tokens, bool in_order) : aside_(tokens, absent), in_order_(in_order) {}

  /// Returns true if token `index`, whose value has this number, may enter now. Otherwise puts it
  /// aside.
  bool enter(std::size_t index, std::uint64_t number) noexcept {
    const std::lock_guard lock(mutex_);
    if (!busy_ && (!in_order_ || number == next_)) {
      busy_ = true;
      return true;
    }
    if (in_order_) {
      // At most as many numbers are under way as there are places.
      aside_[number % aside_.size()] = index;
    } else {
      aside_[last_++ % aside_.size()] = index;
    }
    return false;
  }

  /// Called when the token inside leaves. Returns the token that is inside from now on, or
  /// `absent`.
  std::size_t leave() noexcept {
    const std::lock_guard lock(mutex_);
    ++next_;
    if (!in_order_ && first_ == last_) {
      busy_ = false;
      return absent;
    }
    std::size_t& place = aside_[(in_order_ ? next_ : first_++) % aside_.size()];
    const std::size_t following = std::exchange(place, absent);
    busy_ = following != absent;
    return following;
  }

  static constexpr std::size_t absent = ~std::size_t{0};

 private:
  std::mutex mutex_;
  std::vector<std::size_t> aside_;  // by number, or as a ring
  const bool in_order_;
  bool busy_ = false;
  std::uint64_t next_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace evencube::detail
