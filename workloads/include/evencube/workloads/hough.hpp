#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include <evencube/workloads/picture.hpp>

namespace evencube::workloads {

/// A straight line x cos(a) + y sin(a) = distance, where a is `angle` degrees, 0 <= angle < 180. x
/// and y are in pixels from the top left pixel; y increases downwards.
struct picture_line {
  std::uint32_t angle;
  std::int32_t distance;
  std::uint32_t votes;

  friend bool operator==(const picture_line&, const picture_line&) = default;
};

/// The accumulator of a Hough transform (Duda and Hart, Communications of the ACM 15, 1972): one
/// counter for each line whose angle is a whole number of degrees and whose distance is a whole
/// number of pixels. Sines and cosines are 16-bit fixed point and votes are integers, so the counts
/// do not depend on the voting order.
class line_space {
 public:
  static constexpr std::uint32_t angles = 180;

  line_space() = default;

  /// Makes the accumulator for a picture of this size; all counters are zero.
  line_space(std::uint32_t width, std::uint32_t height);

  void clear();

  /// Returns the greatest absolute distance that has a counter.
  [[nodiscard]] std::int32_t max_distance() const noexcept { return max_distance_; }

  /// Returns the counters of one angle, for the distances -max_distance() .. max_distance().
  [[nodiscard]] std::span<std::uint32_t> votes(std::uint32_t angle) noexcept;
  [[nodiscard]] std::span<const std::uint32_t> votes(std::uint32_t angle) const noexcept;

  friend bool operator==(const line_space&, const line_space&) = default;

 private:
  std::int32_t max_distance_ = 0;
  std::vector<std::uint32_t> votes_;
};

/// Working memory for vote_tile; a thread reuses it from tile to tile.
struct voting_scratch {
  std::vector<std::uint32_t> pixels;
  std::vector<std::uint32_t> votes;
};

/// Votes for the 180 lines through each pixel of the tile whose value in `edges` is at least
/// `threshold`. Only one thread at a time may call this for the same `space`. Time: 180 steps per
/// edge pixel.
void vote_tile(const grey8& edges, const pixel_rectangle& tile, std::uint8_t threshold,
               line_space& space, voting_scratch& scratch);

/// One lock for each angle's counters, for threads that vote in the same line_space.
struct line_locks {
  struct alignas(64) own_line {
    std::mutex mutex;
  };
  std::array<own_line, line_space::angles> of_angle;
};

/// Like vote_tile, but other threads may vote simultaneously for other tiles in the same `space`
/// with the same `locks`. Each lock is held once per tile, for a few hundred additions, and
/// different tiles begin with different angles, so threads rarely contend for a lock.
void vote_tile_concurrently(const grey8& edges, const pixel_rectangle& tile, std::uint8_t threshold,
                            line_space& space, line_locks& locks, voting_scratch& scratch);

/// Counts the votes of a tile's edge pixels without a line_space. For each angle, calls `give` with
/// the smallest distance that may have a vote and the counters from that distance on. Does not call
/// `give` if the tile has no edge pixels. The tile occupies `place` in the picture and `tile` in
/// `edges`; both rectangles have the same size.
void count_votes(const grey8& edges, const pixel_rectangle& tile, const pixel_rectangle& place,
                 std::uint8_t threshold, voting_scratch& scratch,
                 const std::function<void(std::uint32_t angle, std::int32_t first,
                                          std::span<const std::uint32_t> votes)>& give);

/// Adds the votes that count_votes passed to one call of `give`. Throws std::out_of_range for an
/// angle or a distance that `space` does not have.
void add_votes(line_space& space, std::uint32_t angle, std::int32_t first,
               std::span<const std::uint32_t> votes);

/// Returns the strongest lines, at most `count`, in descending order of votes. A line is dropped if
/// a stronger line is within 4 degrees and max(8, diagonal / 128) pixels of it, or if it has fewer
/// votes than max(8, a tenth of the picture's shorter side). Lines with equal votes are ordered by
/// angle, then by distance, smaller values first.
[[nodiscard]] std::vector<picture_line> strongest_lines(const line_space& space,
                                                        std::uint32_t width, std::uint32_t height,
                                                        std::uint32_t count);

/// Sets paint[y * width + x] = 1 for the pixels of the line, which is about `thickness` >= 1 pixels
/// wide.
void draw_line(const picture_line& line, std::uint32_t width, std::uint32_t height,
               std::uint32_t thickness, std::span<std::uint8_t> paint);

}  // namespace evencube::workloads
