#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include <evencube/workloads/edge_detection.hpp>
#include <evencube/workloads/workload.hpp>

namespace evencube::workloads {

/// The edges of all pictures of a folder, as one workload: a task for each picture, which detects
/// its edges by tasks of its own, so that pictures of different size overlap. Files that are no
/// pictures are left out, and told by left_out(). Throws image_error where the folder cannot be
/// read or has no picture at all, and for more than max_picture_pixels together.
[[nodiscard]] std::unique_ptr<workload> make_edge_folder(const std::filesystem::path& folder,
                                                         std::uint64_t most_pixels,
                                                         const edge_settings& settings);

/// Writes edges, with the lines drawn over them. Throws output_error.
void write_edges(const std::filesystem::path& file, const edge_result& result);

}  // namespace evencube::workloads
