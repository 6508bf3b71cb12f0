#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <evencube/workloads/input_error.hpp>

namespace evencube::workloads {

/// One link of a graph.
struct graph_link {
  std::uint32_t from;
  std::uint32_t to;

  friend auto operator<=>(const graph_link&, const graph_link&) = default;
};

/// A directed graph, stored as compressed rows of incoming links.
class link_graph {
 public:
  link_graph() = default;

  /// Makes a graph of the vertices below `vertices`. Duplicate links count once; a link from a
  /// vertex to itself also counts. O(vertices + links) time and memory. Throws
  /// std::invalid_argument if either end of a link is not below `vertices`.
  link_graph(std::uint32_t vertices, std::vector<graph_link> links);

  [[nodiscard]] std::uint32_t vertices() const noexcept {
    return static_cast<std::uint32_t>(leaving_.size());
  }
  [[nodiscard]] std::uint64_t links() const noexcept { return sources_.size(); }

  /// Returns the sources of the links into `vertex`, in ascending order.
  [[nodiscard]] std::span<const std::uint32_t> into(std::uint32_t vertex) const noexcept {
    return std::span{sources_}.subspan(begins_[vertex], begins_[vertex + 1] - begins_[vertex]);
  }
  /// Returns the number of links into the vertices below `vertex`.
  [[nodiscard]] std::uint64_t before(std::uint32_t vertex) const noexcept {
    return begins_[vertex];
  }
  /// Returns the number of links that leave `vertex`.
  [[nodiscard]] std::uint32_t leaving(std::uint32_t vertex) const noexcept {
    return leaving_[vertex];
  }

 private:
  std::vector<std::uint64_t> begins_{0};  // one element more than vertices
  std::vector<std::uint32_t> sources_;
  std::vector<std::uint32_t> leaving_;
};

/// Makes a graph of `vertices` >= 1 vertices with about `links` links, from `seed`, with integers
/// and products only. Sources are uniform; targets are floor(n u^4) for uniform u. So vertex k's
/// share of all links is about k^(-3/4): a power law with the heaviest rows first.
[[nodiscard]] link_graph make_power_law_graph(std::uint32_t vertices, std::uint64_t links,
                                              std::uint64_t seed);

/// Reads a Matrix Market file: a square sparse matrix ("coordinate"; pattern, real or integer;
/// general or symmetric). An entry (i, j) is a link from i to j; its value is ignored.
///
/// The memory for links is proportional to the number of entries in the file. A graph of more than
/// 1048576 vertices is refused if it has more than eight vertices per byte of the file.
///
/// Throws input_error, whose message names file and line, for a file that is missing, of another
/// format, damaged, truncated or longer than its header says, or for more than 2^31 vertices.
[[nodiscard]] link_graph read_matrix_market(const std::filesystem::path& file);

/// Parses a file in memory, like read_matrix_market(); `name` is its name in messages.
[[nodiscard]] link_graph parse_matrix_market(std::string_view text, const std::string& name);

}  // namespace evencube::workloads
