#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <stdexcept>

#include <evencube/workloads/hough.hpp>

#include "random_bits.hpp"

namespace evencube::workloads {
namespace {

/// Cosine and sine of the whole degrees below 180, times 65536, to the nearest.
struct line_directions {
  std::array<std::int32_t, line_space::angles> cosine;
  std::array<std::int32_t, line_space::angles> sine;
};

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

/// x cos + y sin in 16-bit fixed point plus one half, so that a shift by 16 rounds to the nearest.
std::int64_t fixed_distance(std::int64_t x, std::int64_t y, std::uint32_t angle) {
  const auto& table = directions();
  return x * table.cosine[angle] + y * table.sine[angle] + 32768;
}

/// Edge pixels of the tile, packed as x | y << 16 relative to its corner (sides are below 2^16).
void collect_pixels(const grey8& edges, const pixel_rectangle& tile, std::uint8_t threshold,
                    std::vector<std::uint32_t>& pixels) {
  pixels.clear();
  for (auto y = tile.top; y < tile.bottom; ++y) {
    const auto row = edges.row(y);
    for (auto x = tile.left; x < tile.right; ++x) {
      if (row[x] >= threshold) pixels.push_back((x - tile.left) | ((y - tile.top) << 16));
    }
  }
}

/// The distances that the lines of one angle through the tile can have: those of its corners, since
/// the distance is monotone in x and in y.
struct distance_range {
  std::int64_t first;
  std::int64_t last;
};

distance_range distances_of(const pixel_rectangle& tile, std::uint32_t angle) {
  const auto [low, high] = std::minmax({fixed_distance(tile.left, tile.top, angle),
                                        fixed_distance(tile.right - 1, tile.top, angle),
                                        fixed_distance(tile.left, tile.bottom - 1, angle),
                                        fixed_distance(tile.right - 1, tile.bottom - 1, angle)});
  return {low >> 16, high >> 16};
}

/// Votes are counted angle by angle in a small array that stays in the first-level cache; only the
/// sums go further, by add(angle, first distance, sums). So threads that share a space need neither
/// an atomic step per vote nor a copy of the space each.
template <typename Add>
void vote(const grey8& edges, const pixel_rectangle& tile, const pixel_rectangle& place,
          std::uint8_t threshold, std::uint32_t first_angle, voting_scratch& scratch, Add add) {
  collect_pixels(edges, tile, threshold, scratch.pixels);
  if (scratch.pixels.empty()) return;
  for (std::uint32_t turn = 0; turn < line_space::angles; ++turn) {
    const auto angle = (first_angle + turn) % line_space::angles;
    const auto range = distances_of(place, angle);
    scratch.votes.assign(static_cast<std::size_t>(range.last - range.first) + 1, 0U);
    const auto origin = fixed_distance(place.left, place.top, angle) - range.first * 65536;
    const std::int64_t cosine = directions().cosine[angle];
    const std::int64_t sine = directions().sine[angle];
    for (const auto pixel : scratch.pixels) {
      const std::int64_t x = pixel & 0xffffU;
      const std::int64_t y = pixel >> 16;
      ++scratch.votes[static_cast<std::size_t>((origin + x * cosine + y * sine) >> 16)];
    }
    add(angle, range.first, std::span<const std::uint32_t>{scratch.votes});
  }
}

void add_to(line_space& space, std::uint32_t angle, std::int64_t first,
            std::span<const std::uint32_t> votes) {
  const auto counters = space.votes(angle).subspan(
      static_cast<std::size_t>(first + space.max_distance()), votes.size());
  for (std::size_t at = 0; at < votes.size(); ++at) counters[at] += votes[at];
}

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
    for (std::uint32_t angle = 0; angle < line_space::angles; ++angle) look_through(angle);
  }

  /// Votes of the strongest line left, and the line.
  [[nodiscard]] picture_line best() const {
    std::uint32_t angle = 0;
    for (std::uint32_t other = 1; other < line_space::angles; ++other) {
      if (best_[other].votes > best_[angle].votes) angle = other;
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
      if (votes[index] > best.votes && !is_hidden(index)) best = {index, votes[index]};
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

void vote_tile(const grey8& edges, const pixel_rectangle& tile, std::uint8_t threshold,
               line_space& space, voting_scratch& scratch) {
  vote(edges, tile, tile, threshold, 0, scratch,
       [&](std::uint32_t angle, std::int64_t first, std::span<const std::uint32_t> votes) {
         add_to(space, angle, first, votes);
       });
}

void vote_tile_concurrently(const grey8& edges, const pixel_rectangle& tile, std::uint8_t threshold,
                            line_space& space, line_locks& locks, voting_scratch& scratch) {
  const auto first_angle = static_cast<std::uint32_t>(
      mix_bits((std::uint64_t{tile.left} << 32) | tile.top) % line_space::angles);
  vote(edges, tile, tile, threshold, first_angle, scratch,
       [&](std::uint32_t angle, std::int64_t first, std::span<const std::uint32_t> votes) {
         const std::lock_guard lock{locks.of_angle[angle].mutex};
         add_to(space, angle, first, votes);
       });
}

void count_votes(
    const grey8& edges, const pixel_rectangle& tile, const pixel_rectangle& place,
    std::uint8_t threshold, voting_scratch& scratch,
    const std::function<void(std::uint32_t, std::int32_t, std::span<const std::uint32_t>)>& give) {
  vote(edges, tile, place, threshold, 0, scratch,
       [&](std::uint32_t angle, std::int64_t first, std::span<const std::uint32_t> votes) {
         give(angle, static_cast<std::int32_t>(first), votes);
       });
}

void add_votes(line_space& space, std::uint32_t angle, std::int32_t first,
               std::span<const std::uint32_t> votes) {
  const std::int64_t last = std::int64_t{first} + static_cast<std::int64_t>(votes.size()) - 1;
  if (angle >= line_space::angles || first < -space.max_distance() || last > space.max_distance()) {
    throw std::out_of_range{"votes for lines that do not cross the picture"};
  }
  add_to(space, angle, first, votes);
}

std::vector<picture_line> strongest_lines(const line_space& space, std::uint32_t width,
                                          std::uint32_t height, std::uint32_t count) {
  std::vector<picture_line> lines;
  if (count == 0) return lines;
  const auto fewest_votes = std::max(std::min(width, height) / 10, 8U);
  line_picker picker{space, std::max(space.max_distance() / 128, 8)};
  while (lines.size() < count) {
    const auto line = picker.best();
    if (line.votes < fewest_votes) break;
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
