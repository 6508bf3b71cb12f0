#pragma once

// The standard's functions for these are in headers that take a tenth of a second to compile.

namespace evencube::detail {

/// Returns the smaller of two numbers.
template <typename Number>
constexpr Number least(Number a, Number b) noexcept {
  return b < a ? b : a;
}

/// Returns the larger of two numbers.
template <typename Number>
constexpr Number greatest(Number a, Number b) noexcept {
  return a < b ? b : a;
}

}  // namespace evencube::detail
