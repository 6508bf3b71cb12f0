#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <evencube/workloads/hough.hpp>

#include "line_directions.hpp"

namespace evencube::workloads {
namespace {

constexpr std::int32_t angle_window = 4;

/// The strongest line of one angle that no chosen line hides.
struct candidate {
  std::size_t index = 0;
  std::uint32_t votes = 0;
};

/// Picks lines one after the other. After each, only the few angles around it are looked through
/// again, so that the whole costs little more than one pass over the counters.
class line_picker {
 public:
  line_picker(const line_space& space, std::int32_t window) : space_{space}, window_{window} {
    for (std::uint32_t angle = 0; angle < line_space::angles; ++angle) {
      look_through(angle);
    }
  }

  /// Votes of the strongest line left, and the line.
  [[nodiscard]] picture_line best() const {
    std::uint32_t angle = 0;
    for (std::uint32_t other = 1; other < line_space::angles; ++other) {
      if (best_[other].votes > best_[angle].votes) {
        angle = other;
      }
    }
    return {angle, static_cast<std::int32_t>(best_[angle].index) - space_.max_distance(),
            best_[angle].votes};
  }

  void hide_around(const picture_line& line) {
    chosen_.push_back(line);
    const auto angles = static_cast<std::int32_t>(line_space::angles);
    for (std::int32_t step = -angle_window; step <= angle_window; ++step) {
      look_through(static_cast<std::uint32_t>(
          (static_cast<std::int32_t>(line.angle) + step + angles) % angles));
    }
  }

 private:
  /// Chosen lines near `angle` as the indices they hide there. A line turned by 180 degrees is the
  /// same line with the opposite distance.
  void look_through(std::uint32_t angle) {
    hidden_.clear();
    const auto angles = static_cast<std::int32_t>(line_space::angles);
    for (const auto& line : chosen_) {
      const auto turn = static_cast<std::int32_t>(angle) - static_cast<std::int32_t>(line.angle);
      if (std::abs(turn) <= angle_window) {
        hidden_.push_back(line.distance);
      } else if (angles - std::abs(turn) <= angle_window) {
        hidden_.push_back(-line.distance);
      }
    }
    const auto votes = space_.votes(angle);
    candidate best;
    for (std::size_t index = 0; index < votes.size(); ++index) {
      if (votes[index] > best.votes && !is_hidden(index)) {
        best = {index, votes[index]};
      }
    }
    best_[angle] = best;
  }

  [[nodiscard]] bool is_hidden(std::size_t index) const {
    const auto distance = static_cast<std::int32_t>(index) - space_.max_distance();
    return std::ranges::any_of(
        hidden_, [&](std::int32_t other) { return std::abs(distance - other) <= window_; });
  }

  const line_space& space_;
  std::int32_t window_;
  std::array<candidate, line_space::angles> best_;
  std::vector<picture_line> chosen_;
  std::vector<std::int32_t> hidden_;
};

}  // namespace

std::vector<picture_line> strongest_lines(const line_space& space, std::uint32_t width,
                                          std::uint32_t height, std::uint32_t count) {
  std::vector<picture_line> lines;
  if (count == 0) {
    return lines;
  }
  const auto fewest_votes = std::max(std::min(width, height) / 10, 8U);
  line_picker picker{space, std::max(space.max_distance() / 128, 8)};
  while (lines.size() < count) {
    const auto line = picker.best();
    if (line.votes < fewest_votes) {
      break;
    }
    lines.push_back(line);
    picker.hide_around(line);
  }
  return lines;
}

void draw_line(const picture_line& line, std::uint32_t width, std::uint32_t height,
               std::uint32_t thickness, std::span<std::uint8_t> paint) {
  const double cosine = directions().cosine[line.angle] / 65536.0;
  const double sine = directions().sine[line.angle] / 65536.0;
  // Walk along the axis on which the line covers more pixels, so that it has no gaps.
  const bool along_x = std::abs(sine) >= std::abs(cosine);
  const std::int64_t steps = along_x ? width : height;
  const std::int64_t limit = along_x ? height : width;
  for (std::int64_t step = 0; step < steps; ++step) {
    const double position = along_x ? (line.distance - static_cast<double>(step) * cosine) / sine
                                    : (line.distance - static_cast<double>(step) * sine) / cosine;
    const auto first = std::llround(position) - static_cast<std::int64_t>(thickness / 2);
    for (auto across = std::max<std::int64_t>(first, 0);
         across < std::min<std::int64_t>(first + thickness, limit); ++across) {
      const auto x = along_x ? step : across;
      const auto y = along_x ? across : step;
      paint[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)] = 1;
    }
  }
}

}  // namespace evencube::workloads
