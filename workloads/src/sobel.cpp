#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <evencube/workloads/sobel.hpp>

namespace evencube::workloads {
namespace {

/// The three rows around a pixel; at the picture's rim the rim itself stands in for what is
/// missing.
struct neighbourhood {
  const std::uint16_t* above;
  const std::uint16_t* here;
  const std::uint16_t* below;
};

std::uint8_t magnitude(const neighbourhood& rows, std::size_t left, std::size_t x,
                       std::size_t right) {
  const auto column = [&](std::size_t at) {
    return std::int32_t{rows.above[at]} + 2 * std::int32_t{rows.here[at]} +
           std::int32_t{rows.below[at]};
  };
  const auto line = [&](const std::uint16_t* row) {
    return std::int32_t{row[left]} + 2 * std::int32_t{row[x]} + std::int32_t{row[right]};
  };
  // From 257 * 255 on, one component alone saturates the pixel. Cut there, the sum of squares stays
  // below 2^34, where the root of a double is correctly rounded and so its floor exact.
  const std::int32_t across = std::min(std::abs(column(right) - column(left)), 65535);
  const std::int32_t down = std::min(std::abs(line(rows.below) - line(rows.above)), 65535);
  const auto square = [](std::int32_t value) {
    return static_cast<double>(value) * static_cast<double>(value);
  };
  const auto root = static_cast<std::int32_t>(std::sqrt(square(across) + square(down)));
  return static_cast<std::uint8_t>(std::min(root / 257, 255));
}

}  // namespace

std::uint32_t sobel_tile(const grey16& picture, const pixel_rectangle& tile, std::uint8_t threshold,
                         grey8& edges) {
  const auto last_row = picture.height() - 1;
  const std::size_t last_column = picture.width() - 1;
  std::uint32_t count = 0;
  for (auto y = tile.top; y < tile.bottom; ++y) {
    const neighbourhood rows{picture.row(y == 0 ? 0 : y - 1).data(), picture.row(y).data(),
                             picture.row(std::min(y + 1, last_row)).data()};
    const auto out = edges.row(y);
    const auto at_rim = [&](std::size_t x) {
      out[x] = magnitude(rows, x == 0 ? 0 : x - 1, x, std::min(x + 1, last_column));
    };
    // The loop over the inside has neighbours without conditions, which lets it be vectorised.
    const std::size_t inside = std::max<std::size_t>(tile.left, 1);
    const std::size_t outside = std::min<std::size_t>(tile.right, last_column);
    if (tile.left == 0) at_rim(0);
    for (std::size_t x = inside; x < outside; ++x) out[x] = magnitude(rows, x - 1, x, x + 1);
    if (tile.right > last_column) at_rim(last_column);
    for (const auto value : out.subspan(tile.left, tile.right - tile.left)) {
      count += value >= threshold ? 1U : 0U;
    }
  }
  return count;
}

}  // namespace evencube::workloads
