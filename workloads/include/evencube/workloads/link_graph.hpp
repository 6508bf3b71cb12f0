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

/// A directed graph, by the links that come in: compressed rows.
class link_graph {
 public:
  link_graph() = default;

  /// Links between vertices below `vertices`; of several alike one counts, and those of a vertex to
  /// itself do. O(vertices + links) time and memory. Throws std::invalid_argument where an end is
  /// not below `vertices`.
  link_graph(std::uint32_t vertices, std::vector<graph_link> links);

  [[nodiscard]] std::uint32_t vertices() const noexcept {
    return static_cast<std::uint32_t>(leaving_.size());
  }
  [[nodiscard]] std::uint64_t links() const noexcept { return sources_.size(); }

  /// Where the links into `vertex` come from, ascending.
  [[nodiscard]] std::span<const std::uint32_t> into(std::uint32_t vertex) const noexcept {
    return std::span{sources_}.subspan(begins_[vertex], begins_[vertex + 1] - begins_[vertex]);
  }
  /// How many links come into vertices below this one.
  [[nodiscard]] std::uint64_t before(std::uint32_t vertex) const noexcept {
    return begins_[vertex];
  }
  /// How many links leave it.
  [[nodiscard]] std::uint32_t leaving(std::uint32_t vertex) const noexcept {
    return leaving_[vertex];
  }

 private:
  std::vector<std::uint64_t> begins_{0};  // one more than vertices
  std::vector<std::uint32_t> sources_;
  std::vector<std::uint32_t> leaving_;
};

/// A made-up web of `vertices` >= 1 with about `links` links, in integers and products from `seed`
/// alone: sources are even, targets are floor(n u^4) for even u, so that vertex k has some k^(-3/4)
/// of all links: a power law, the heaviest rows first.
[[nodiscard]] link_graph make_power_law_graph(std::uint32_t vertices, std::uint64_t links,
                                              std::uint64_t seed);

/// Reads a Matrix Market file: a square sparse matrix ("coordinate"; pattern, real or integer;
/// general or symmetric). Its entry (i, j) is a link from i to j; what value it has does not
/// matter.
///
/// Memory is in proportion to the file: links to what stands in it, and vertices are refused where
/// there are more than 1048576 and more than eight for each byte of the file.
///
/// Throws input_error, which names file and line, for what is missing, of another kind, damaged,
/// cut short, longer than it says, or of more than 2^31 vertices.
[[nodiscard]] link_graph read_matrix_market(const std::filesystem::path& file);

/// The same of a text in memory; `name` is used in messages.
[[nodiscard]] link_graph parse_matrix_market(std::string_view text, const std::string& name);

}  // namespace evencube::workloads
