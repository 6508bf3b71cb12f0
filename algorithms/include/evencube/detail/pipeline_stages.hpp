#pragma once

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

/// A function with the way in which it may be called.
template <stage_kind Kind, typename F>
struct pipeline_stage {
  static constexpr stage_kind kind = Kind;
  F function;
};

/// What a stage gives for a value of type T; nothing for the last one.
template <typename Stage, typename T>
using stage_result = std::decay_t<decltype(std::declval<Stage&>().function(std::declval<T>()))>;

/// The values that pass between stages: of the first one's result, of the second one's, and so on.
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

/// Who may be in a serial stage: one at a time, in the order of their numbers if that is wished.
/// Nobody waits: who may not go in is put aside, and whoever comes out names the next.
class stage_gate {
 public:
  stage_gate(std::size_t tokens, bool in_order) : aside_(tokens, absent), in_order_(in_order) {}

  /// Whether token `which`, whose value has this number, may go in now; else it is put aside.
  bool enter(std::size_t which, std::uint64_t number) noexcept {
    const std::lock_guard lock(mutex_);
    if (!busy_ && (!in_order_ || number == next_)) {
      busy_ = true;
      return true;
    }
    if (in_order_) {
      // As many numbers are under way at most as there are places.
      aside_[number % aside_.size()] = which;
    } else {
      aside_[last_++ % aside_.size()] = which;
    }
    return false;
  }

  /// The one inside comes out; gives the token that is inside from now on, or `absent`.
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
  std::vector<std::size_t> aside_;  // by number, or a ring
  const bool in_order_;
  bool busy_ = false;
  std::uint64_t next_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace evencube::detail
