#pragma once

#include <array>
#include <cstdint>

#include <evencube/workloads/hough.hpp>

namespace evencube::workloads {

/// Cosine and sine of the whole degrees below 180, times 65536, to the nearest.
struct line_directions {
  std::array<std::int32_t, line_space::angles> cosine;
  std::array<std::int32_t, line_space::angles> sine;
};

[[nodiscard]] const line_directions& directions();

}  // namespace evencube::workloads
