#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <evencube/workloads/hough.hpp>
#include <evencube/workloads/picture.hpp>
#include <evencube/workloads/placement.hpp>
#include <evencube/workloads/task_loop.hpp>

namespace evencube {
class runtime;
}

namespace evencube::workloads {

struct edge_settings {
  std::uint32_t tile = 128;      ///< Side of a tile in pixels, >= 1.
  std::uint8_t threshold = 128;  ///< Minimum magnitude of an edge pixel, >= 1.
  std::uint32_t lines = 16;      ///< Maximum number of lines to find.
  placement where = placement::spread;
};

/// The results of both stages of edge detection.
struct edge_result {
  grey8 edges;
  std::vector<std::uint32_t> edge_pixels;  ///< Count for each tile, as ordered by cut_into_tiles.
  line_space space;
  std::vector<picture_line> lines;

  friend bool operator==(const edge_result&, const edge_result&) = default;
};

/// The vision pipeline of Mehrotra, Ranka and Wang (1992), whose second stage is as uneven as the
/// picture's edges. The first stage computes the Sobel magnitudes of every tile. In the second
/// stage, the edge pixels of each tile vote in a Hough transform, and the strongest lines are
/// chosen.
///
/// Runs on the calling thread. Reuses the memory of `result` if it holds the result for a picture
/// of the same size.
void detect_edges_serially(const grey16& picture, const edge_settings& settings,
                           edge_result& result);

/// Detects edges exactly like detect_edges_serially(), but on the runtime's workers. The first
/// stage has one task per tile, the second one task per tile with edge pixels. A task's cost hint
/// grows with its number of edge pixels. Returns the number of tasks.
std::size_t detect_edges(runtime& workers, const grey16& picture, const edge_settings& settings,
                         edge_result& result);

/// Detects edges like detect_edges_serially(), but on another engine.
std::size_t detect_edges_by(const task_loop& loop, const grey16& picture,
                            const edge_settings& settings, edge_result& result);

}  // namespace evencube::workloads
