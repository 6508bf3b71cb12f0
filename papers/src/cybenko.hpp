#pragma once

#include <cstddef>
#include <vector>

#include <evencube/balancers/topology.hpp>

#include "kit.hpp"

/// The parts that the experiments on Cybenko 1989 share.
namespace evencube::papers {

// Real-valued loads, as vectors.

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

/// Lemma 3, and Theorem 2 over time; 0.1 of the experiment.
void cybenko_over_time(notebook& book);

}  // namespace evencube::papers
