#include "real_loads.hpp"

#include <algorithm>

namespace evencube::papers {

std::vector<double> symmetric_eigenvalues(std::vector<double> a, std::size_t size) {
  const auto at = [&](std::size_t row, std::size_t column) -> double& {
    return a[row * size + column];
  };
  for (int sweep = 0; sweep < 100; ++sweep) {
    double off = 0;
    double all = 0;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        all += at(i, j) * at(i, j);
        if (i != j) off += at(i, j) * at(i, j);
      }
    }
    if (off <= 1e-28 * all) break;
    for (std::size_t p = 0; p < size; ++p) {
      for (std::size_t q = p + 1; q < size; ++q) {
        if (at(p, q) == 0) continue;
        const double theta = (at(q, q) - at(p, p)) / (2 * at(p, q));
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1);
        const double s = t * c;
        for (std::size_t k = 0; k < size; ++k) {
          const double kp = at(k, p);
          const double kq = at(k, q);
          at(k, p) = c * kp - s * kq;
          at(k, q) = s * kp + c * kq;
        }
        for (std::size_t k = 0; k < size; ++k) {
          const double pk = at(p, k);
          const double qk = at(q, k);
          at(p, k) = c * pk - s * qk;
          at(q, k) = s * pk + c * qk;
        }
      }
    }
  }
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = at(i, i);
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<double> laplacian(const topology& graph) {
  const std::size_t size = graph.nodes();
  std::vector<double> matrix(size * size, 0);
  for (node_id k = 0; k < graph.nodes(); ++k) {
    matrix[k * size + k] = graph.degree(k);
    graph.for_each_neighbour(k, [&](node_id j) { matrix[k * size + j] = -1; });
  }
  return matrix;
}

}  // namespace evencube::papers
