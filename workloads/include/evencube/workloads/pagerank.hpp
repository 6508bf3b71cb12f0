#pragma once

#include <cstdint>
#include <vector>

#include <evencube/workloads/link_graph.hpp>

namespace evencube::workloads {

struct pagerank_settings {
  double damping = 0.85;      ///< Chance to follow a link rather than to jump, 0 .. 0.999.
  double tolerance = 1e-10;   ///< Iterations end when the sum of all changes is no larger.
  std::uint32_t limit = 200;  ///< Iterations end after this number at the latest.
  std::uint32_t rows = 1024;  ///< Vertices of a block, >= 1.
};

/// The state of the iterations for the ranks of a graph's vertices. The rank of a vertex v is x_v =
/// (1 - d + d D) / n + d sum of x_u / l_u over the links from u to v, where l_u links leave u, and
/// D is the rank of all vertices that no link leaves (Page, Brin, Motwani and Winograd, 1999; the
/// rank D goes to all vertices).
struct pagerank_state {
  std::vector<double> ranks;
  std::vector<double> shares;        ///< x_u / l_u: the rank that each link of u carries.
  std::vector<double> next_shares;   ///< The shares of the ranks that are being computed.
  std::vector<double> block_change;  ///< By block: sum of |new - old|.
  std::vector<double> block_idle;    ///< By block: rank of vertices that no link leaves.
  double idle = 0;
  double change = 0;
  std::uint32_t iterations = 0;
};

/// The blocks of a graph and the steps of an iteration. All blocks have equal length; their work is
/// as uneven as the links into them. Sums over blocks are added in the order of the blocks, so that
/// the result does not depend on the worker that computed a block. Immutable; thread-safe for
/// different states. The graph must outlive this object.
class pagerank_blocks {
 public:
  pagerank_blocks(const link_graph& graph, const pagerank_settings& settings);

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

  /// Sets every rank to 1 / n.
  void begin(pagerank_state& state) const;
  /// Computes the new ranks of a block. Blocks may be computed in any order and at the same time.
  void advance(pagerank_state& state, std::size_t block) const noexcept;
  /// Ends an iteration after all blocks. Returns true if another iteration is needed.
  [[nodiscard]] bool finish(pagerank_state& state) const;

  /// The number of links into the block.
  [[nodiscard]] std::uint64_t links_into(std::size_t block) const noexcept;

 private:
  [[nodiscard]] std::uint32_t first(std::size_t block) const noexcept;

  const link_graph* graph_;
  pagerank_settings settings_;
  std::size_t blocks_;
};

/// How far ranks are from fulfilling the equation: the sum over all vertices of the difference of
/// both sides. It is computed from the ranks alone and uses nothing that the steps above keep.
[[nodiscard]] double pagerank_residual(const link_graph& graph, double damping,
                                       const std::vector<double>& ranks);

}  // namespace evencube::workloads
