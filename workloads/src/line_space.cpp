#include <algorithm>
#include <cmath>
#include <numbers>

#include <evencube/workloads/hough.hpp>

#include "line_directions.hpp"

namespace evencube::workloads {

const line_directions& directions() {
  static const auto table = [] {
    line_directions result{};
    for (std::uint32_t angle = 0; angle < line_space::angles; ++angle) {
      const double radians = static_cast<double>(angle) * std::numbers::pi / line_space::angles;
      result.cosine[angle] = static_cast<std::int32_t>(std::lround(std::cos(radians) * 65536));
      result.sine[angle] = static_cast<std::int32_t>(std::lround(std::sin(radians) * 65536));
    }
    return result;
  }();
  return table;
}

// One more than the diagonal leaves room for the rounding of the directions.
line_space::line_space(std::uint32_t width, std::uint32_t height)
    : max_distance_{static_cast<std::int32_t>(std::ceil(std::hypot(width, height))) + 1},
      votes_(std::size_t{angles} * (2 * static_cast<std::size_t>(max_distance_) + 1)) {}

void line_space::clear() { std::ranges::fill(votes_, 0U); }

std::span<std::uint32_t> line_space::votes(std::uint32_t angle) noexcept {
  const auto distances = votes_.size() / angles;
  return std::span{votes_}.subspan(angle * distances, distances);
}

std::span<const std::uint32_t> line_space::votes(std::uint32_t angle) const noexcept {
  const auto distances = votes_.size() / angles;
  return std::span{votes_}.subspan(angle * distances, distances);
}

}  // namespace evencube::workloads
