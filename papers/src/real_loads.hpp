#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <evencube/balancers/topology.hpp>

namespace evencube::papers {

// Cybenko 1989: real-valued loads, as vectors.

using real_loads = std::vector<double>;

/// One diffusion step with the same weight on every link: w_i += weight sum_j (w_j - w_i), eq. (3).
inline void diffuse(const topology& graph, double weight, real_loads& w, real_loads& scratch) {
  scratch = w;
  for (node_id k = 0; k < graph.nodes(); ++k) {
    double flow = 0;
    graph.for_each_neighbour(k, [&](node_id j) { flow += scratch[j] - scratch[k]; });
    w[k] = scratch[k] + weight * flow;
  }
}

/// Partners along `dimension` take their mean: F_i = (I + D_i)/2, Section 4.
inline void exchange(unsigned dimension, real_loads& w) {
  const std::size_t bit = std::size_t{1} << dimension;
  for (std::size_t k = 0; k < w.size(); ++k) {
    if ((k & bit) != 0) continue;
    w[k] = w[k | bit] = (w[k] + w[k | bit]) / 2;
  }
}

/// ||w - mean||^2.
inline double squared_deviation(const real_loads& w) {
  double sum = 0;
  for (const double value : w) sum += value;
  const double mean = sum / static_cast<double>(w.size());
  double squares = 0;
  for (const double value : w) squares += (value - mean) * (value - mean);
  return squares;
}

/// Eigenvalues of a symmetric matrix (row by row), ascending, by Jacobi's cyclic rotations; for the
/// few dozen rows of the papers' examples. Source: Golub, Van Loan, Matrix Computations, 8.5.
std::vector<double> symmetric_eigenvalues(std::vector<double> a, std::size_t size);

/// The graph's Laplacian matrix, row by row.
std::vector<double> laplacian(const topology& graph);

}  // namespace evencube::papers
