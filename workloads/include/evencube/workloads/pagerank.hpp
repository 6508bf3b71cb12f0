#pragma once

#include <cstdint>
#include <vector>

#include <evencube/workloads/link_graph.hpp>

namespace evencube::workloads {

struct pagerank_settings {
  double damping = 0.85;      ///< Chance to follow a link rather than to begin anew, 0 .. 0.999.
  double tolerance = 1e-10;   ///< Iterations end when ranks change by no more, in all.
  std::uint32_t limit = 200;  ///< Or after so many.
  std::uint32_t rows = 1024;  ///< Vertices of a block, >= 1.
};

/// Where iterations for the ranks of a graph's vertices are: x_v = (1 - d + d D) / n + d sum of
/// x_u / l_u over the links from u to v, where l_u links leave u, and D is the rank of all vertices
/// that none leaves (Page, Brin, Motwani and Winograd, 1999; their rank goes to everybody).
struct pagerank_state {
  std::vector<double> ranks;
  std::vector<double> shares;        ///< x_u / l_u, of what each link carries.
  std::vector<double> next_shares;   ///< The same of the ranks that are being made.
  std::vector<double> block_change;  ///< By block: sum of |new - old|.
  std::vector<double> block_idle;    ///< By block: rank of vertices that no link leaves.
  double idle = 0;
  double change = 0;
  std::uint32_t iterations = 0;
};

/// The blocks of a graph and the steps that they take part in. Blocks are as long as each other,
/// and as uneven as the links into them. What sums there are over blocks are taken in their order,
/// so that the result does not depend on who computed which. Immutable; thread-safe for different
/// states. The graph outlives this.
class pagerank_blocks {
 public:
  pagerank_blocks(const link_graph& graph, const pagerank_settings& settings);

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

  /// Every rank 1 / n.
  void begin(pagerank_state& state) const;
  /// The new ranks of a block, in any order and at once.
  void advance(pagerank_state& state, std::size_t block) const noexcept;
  /// After all blocks: whether another iteration is needed.
  [[nodiscard]] bool finish(pagerank_state& state) const;

  /// Links into the block.
  [[nodiscard]] std::uint64_t links_into(std::size_t block) const noexcept;

 private:
  [[nodiscard]] std::uint32_t first(std::size_t block) const noexcept;

  const link_graph* graph_;
  pagerank_settings settings_;
  std::size_t blocks_;
};

/// How far ranks are from fulfilling the equation: the sum over all vertices of the difference of
/// both sides, from the ranks alone: of what the steps above keep between them, nothing is used.
[[nodiscard]] double pagerank_residual(const link_graph& graph, double damping,
                                       const std::vector<double>& ranks);

}  // namespace evencube::workloads
