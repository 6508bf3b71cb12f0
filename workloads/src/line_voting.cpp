#include <algorithm>
#include <mutex>
#include <stdexcept>

#include <evencube/workloads/hough.hpp>

#include "line_directions.hpp"
#include "random_bits.hpp"

namespace evencube::workloads {
namespace {

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
      if (row[x] >= threshold) {
        pixels.push_back((x - tile.left) | ((y - tile.top) << 16));
      }
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
  if (scratch.pixels.empty()) {
    return;
  }
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
  for (std::size_t at = 0; at < votes.size(); ++at) {
    counters[at] += votes[at];
  }
}

}  // namespace

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

}  // namespace evencube::workloads
