#include <algorithm>
#include <atomic>

#include <evencube/workloads/hough.hpp>

#include "line_directions.hpp"

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

/// Votes are counted angle by angle in a small array that stays in the first-level cache, and only
/// the sums go to the shared counters: an atomic step per line through the tile, not per vote, and
/// no copy of the whole space per worker.
template <typename Add>
void vote(const grey8& edges, const pixel_rectangle& tile, std::uint8_t threshold,
          line_space& space, voting_scratch& scratch, Add add) {
  collect_pixels(edges, tile, threshold, scratch.pixels);
  if (scratch.pixels.empty()) {
    return;
  }
  for (std::uint32_t angle = 0; angle < line_space::angles; ++angle) {
    const auto range = distances_of(tile, angle);
    scratch.votes.assign(static_cast<std::size_t>(range.last - range.first) + 1, 0U);
    const auto origin = fixed_distance(tile.left, tile.top, angle) - range.first * 65536;
    const std::int64_t cosine = directions().cosine[angle];
    const std::int64_t sine = directions().sine[angle];
    for (const auto pixel : scratch.pixels) {
      const std::int64_t x = pixel & 0xffffU;
      const std::int64_t y = pixel >> 16;
      ++scratch.votes[static_cast<std::size_t>((origin + x * cosine + y * sine) >> 16)];
    }
    const auto shared = space.votes(angle).subspan(
        static_cast<std::size_t>(range.first + space.max_distance()), scratch.votes.size());
    for (std::size_t at = 0; at < shared.size(); ++at) {
      if (scratch.votes[at] != 0) {
        add(shared[at], scratch.votes[at]);
      }
    }
  }
}

}  // namespace

void vote_tile(const grey8& edges, const pixel_rectangle& tile, std::uint8_t threshold,
               line_space& space, voting_scratch& scratch) {
  vote(edges, tile, threshold, space, scratch,
       [](std::uint32_t& counter, std::uint32_t votes) { counter += votes; });
}

void vote_tile_concurrently(const grey8& edges, const pixel_rectangle& tile, std::uint8_t threshold,
                            line_space& space, voting_scratch& scratch) {
  vote(edges, tile, threshold, space, scratch, [](std::uint32_t& counter, std::uint32_t votes) {
    // Relaxed: nothing is read until the group of tiles has been waited for, which orders it all.
    std::atomic_ref{counter}.fetch_add(votes, std::memory_order_relaxed);
  });
}

}  // namespace evencube::workloads
