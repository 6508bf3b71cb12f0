#pragma once

#include <cstdint>
#include <vector>

#include <evencube/workloads/link_graph.hpp>

namespace evencube::workloads {

struct pagerank_settings {
  double damping = 0.85;      ///< Probability of following a link instead of jumping, 0 .. 0.999.
  double tolerance = 1e-10;   ///< Iterations end when the sum of all changes is at most this.
  std::uint32_t limit = 200;  ///< The maximum number of iterations.
  std::uint32_t rows = 1024;  ///< Vertices per block, >= 1.
};

/// The state of the iterations that compute the ranks of a graph's vertices. The rank of a vertex v
/// is x_v = (1 - d + d D) / n + d sum of x_u / l_u over the links from u to v (Page, Brin, Motwani
/// and Winograd, 1999). Here d is the damping, l_u is the number of links from u, and D is the
/// total rank of the vertices without outgoing links.
struct pagerank_state {
  std::vector<double> ranks;
  std::vector<double> shares;        ///< x_u / l_u: the rank that each link from u carries.
  std::vector<double> next_shares;   ///< Shares for the ranks being computed.
  std::vector<double> block_change;  ///< For each block: sum of |new - old|.
  std::vector<double> block_idle;    ///< For each block: rank of vertices without outgoing links.
  double idle = 0;
  double change = 0;
  std::uint32_t iterations = 0;
};

/// The blocks of a graph and the steps of an iteration. All blocks have the same length; their work
/// is as uneven as their numbers of incoming links. Sums over blocks are added in block order, so
/// the result does not depend on which worker computed a block. Immutable; thread-safe for
/// different states. The graph must outlive this object.
class pagerank_blocks {
 public:
  pagerank_blocks(const link_graph& graph, const pagerank_settings& settings);

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

  /// Sets every rank to 1 / n.
  void begin(pagerank_state& state) const;
  /// Computes the new ranks of a block. Blocks may be computed in any order and simultaneously.
  void advance(pagerank_state& state, std::size_t block) const noexcept;
  /// Ends an iteration once all blocks are computed. Returns true if another iteration is needed.
  [[nodiscard]] bool finish(pagerank_state& state) const;

  /// Returns the number of links into the block.
  [[nodiscard]] std::uint64_t links_into(std::size_t block) const noexcept;

 private:
  [[nodiscard]] std::uint32_t first(std::size_t block) const noexcept;

  const link_graph* graph_;
  pagerank_settings settings_;
  std::size_t blocks_;
};

/// Returns the residual of the equation given at pagerank_state: the absolute difference between
/// its two sides, summed over all vertices. Uses only `ranks`, not a state.
[[nodiscard]] double pagerank_residual(const link_graph& graph, double damping,
                                       const std::vector<double>& ranks);

}  // namespace evencube::workloads
