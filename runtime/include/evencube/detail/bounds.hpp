#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <evencube/detail/compiler.hpp>

namespace evencube::detail {

/// Throws std::invalid_argument, beginning with `what`, for a bound that an index of `bytes` bytes
/// cannot have. A negative bound is the two's complement of its magnitude.
[[noreturn]] EVENCUBE_EXPORT void throw_bound(const char* what, std::uint64_t bound, bool negative,
                                              bool index_is_signed, unsigned bytes);

/// Converts a bound to an index. Throws std::invalid_argument if the index has no such value.
template <std::integral Index, std::integral Bound>
Index bound_as(Bound bound, const char* what) {
  const auto index = static_cast<Index>(bound);
  if constexpr (!std::is_same_v<Index, Bound>) {
    // A value that is too large for a signed type, or negative for an unsigned one, is converted
    // back to the same value, but its sign has changed.
    const bool negative = std::is_signed_v<Bound> && bound < Bound{};
    const bool comes_out_negative = std::is_signed_v<Index> && index < Index{};
    if (static_cast<Bound>(index) != bound || negative != comes_out_negative) [[unlikely]] {
      detail::throw_bound(what, static_cast<std::uint64_t>(bound), negative,
                          std::is_signed_v<Index>, sizeof(Index));
    }
  }
  return index;
}

}  // namespace evencube::detail
