#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <evencube/workloads/carried.hpp>
#include <evencube/workloads/edge_detection.hpp>

namespace evencube::workloads {

// Edge detection by tasks that carry their pixels: a tile with the pixels around it, of which come
// back its edges and what they vote for; or, of a folder, a whole picture.

/// What the tasks of both kinds do.
[[nodiscard]] std::unique_ptr<carried_function> make_carried_edges(const edge_settings& settings);

/// Tile `index` of a picture.
[[nodiscard]] carried_task carried_tile(const grey16& picture, const pixel_rectangle& tile,
                                        std::size_t index);

/// Adds the result of a tile to that of the picture, whose `edges` and `space` have its size and
/// `edge_pixels` an entry for each of the tiles. Lines are left to be picked.
void take_tile(std::span<const std::byte> result, const std::vector<pixel_rectangle>& tiles,
               edge_result& into);

/// Picture `index` of a folder.
[[nodiscard]] carried_task carried_picture(const grey16& picture, std::size_t index,
                                           std::uint32_t cost);

/// The whole result of a picture.
struct picture_taken {
  std::size_t index;
  edge_result result;
  /// That it took on the rank which had it, this one included.
  std::uint64_t tasks;
};
[[nodiscard]] picture_taken take_picture(std::span<const std::byte> result);

}  // namespace evencube::workloads
