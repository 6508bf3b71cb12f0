#pragma once

#include <array>
#include <cstdint>

namespace evencube::cli {

/// Rows of five points, the leftmost the highest of five bits. The last lies below the line.
using glyph = std::array<std::uint8_t, 8>;

inline constexpr int glyph_width = 5;
inline constexpr int glyph_height = 8;
inline constexpr int glyph_height_above_line = 7;

/// A letter for pictures that no text renderer draws. Capitals look as small letters do; what has
/// no sign is a box.
[[nodiscard]] const glyph& glyph_of(char c) noexcept;

}  // namespace evencube::cli
