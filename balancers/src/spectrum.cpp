#include <algorithm>
#include <cmath>
#include <numbers>

#include <evencube/balancers/diffusion.hpp>

#include "splitmix.hpp"

namespace evencube {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void add_scaled(std::vector<double>& to, double factor, const std::vector<double>& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

/// The number of eigenvalues of the symmetric tridiagonal matrix below x (Sturm sequence).
std::size_t below(const std::vector<double>& diagonal, const std::vector<double>& beside,
                  double x) {
  std::size_t count = 0;
  double q = 1.0;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const double square = i == 0 ? 0.0 : beside[i - 1] * beside[i - 1];
    q = diagonal[i] - x - (i == 0 ? 0.0 : square / q);
    if (q == 0.0) q = 1e-300;
    if (q < 0.0) ++count;
  }
  return count;
}

/// The eigenvalue that has `rank` others below it, in [low, high].
double bisect(const std::vector<double>& diagonal, const std::vector<double>& beside,
              std::size_t rank, double low, double high) {
  for (int i = 0; i < 200 && high - low > 1e-15 * std::abs(high); ++i) {
    const double middle = 0.5 * (low + high);
    (below(diagonal, beside, middle) > rank ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

/// Returns 4 sin^2(x) for x in [0, pi / 2]. Mathematical libraries may round sines differently, and
/// a plan must not depend on that. This series uses only operations that IEEE 754 fixes; its terms
/// fall below 2^-60.
double four_squared_sines(double x) {
  const double square = x * x;
  double sum = 1.0;
  for (int n = 26; n >= 2; n -= 2) sum = 1.0 - sum * square / (n * (n + 1));
  const double sine = x * sum;
  return 4.0 * (sine * sine);
}

// The eigenvalues 2 - 2 cos(a) are written as 4 sin^2(a / 2), and 2 - 2 cos(pi - a) as 4 - 4
// sin^2(a / 2): small ones keep their digits.

laplacian_spectrum path_spectrum(node_id n) {
  const double least = four_squared_sines(0.5 * std::numbers::pi / n);
  return {least, 4.0 - least};
}

laplacian_spectrum cycle_spectrum(node_id n) {
  if (n <= 2) return path_spectrum(n);
  const double least = four_squared_sines(std::numbers::pi / n);
  return {least, n % 2 == 0 ? 4.0 : 4.0 - four_squared_sines(0.5 * std::numbers::pi / n)};
}

/// The eigenvalues of a product of two networks are the sums of the eigenvalues of the two.
laplacian_spectrum of_product(node_id rows, node_id columns, bool wraps) {
  const auto side = wraps ? cycle_spectrum : path_spectrum;
  const auto r = side(rows);
  const auto c = side(columns);
  if (rows == 1) return c;
  if (columns == 1) return r;
  return {std::min(r.second, c.second), r.largest + c.largest};
}

}  // namespace

laplacian_spectrum lanczos_spectrum(const topology& graph) {
  const std::size_t n = graph.nodes();
  if (n == 1) return {};
  constexpr std::size_t most_steps = 300;
  // All vectors stay orthogonal to the constant vector, the eigenvector of mu_1 = 0.
  const std::vector<double> constant(n, 1.0 / std::sqrt(static_cast<double>(n)));
  std::vector<std::vector<double>> basis;
  std::vector<double> diagonal;
  std::vector<double> beside;
  splitmix draw(1);
  std::vector<double> v(n);
  for (double& x : v) x = static_cast<double>(draw() >> 11) * 0x1p-53 - 0.5;
  const auto orthogonalise = [&] {
    // Twice is enough (Kahan's rule for Gram-Schmidt).
    for (int pass = 0; pass < 2; ++pass) {
      add_scaled(v, -dot(v, constant), constant);
      for (const auto& b : basis) add_scaled(v, -dot(v, b), b);
    }
  };
  orthogonalise();
  while (basis.size() < std::min(most_steps, n - 1)) {
    const double norm = std::sqrt(dot(v, v));
    if (norm < 1e-10) break;  // the basis is invariant: all its eigenvalues are exact
    if (!basis.empty()) beside.push_back(norm);
    for (double& x : v) x /= norm;
    basis.push_back(v);
    const auto& u = basis.back();
    for (node_id k = 0; k < n; ++k) {
      double sum = 0.0;
      graph.for_each_neighbour(k, [&](node_id other) { sum += u[k] - u[other]; });
      v[k] = sum;
    }
    diagonal.push_back(dot(u, v));
    orthogonalise();
  }
  const double most = 2.0 * graph.max_degree() + 1.0;
  return {bisect(diagonal, beside, 0, 0.0, most),
          bisect(diagonal, beside, diagonal.size() - 1, 0.0, most)};
}

laplacian_spectrum spectrum(const topology& graph) {
  if (graph.nodes() == 1) return {};
  const double n = graph.nodes();
  switch (graph.kind()) {
    case topology_kind::hypercube:
      return {2.0, 2.0 * graph.dimensions()};
    case topology_kind::complete:
      return {n, n};
    case topology_kind::star:
      return {graph.nodes() > 2 ? 1.0 : 2.0, n};
    case topology_kind::mesh:
    case topology_kind::linear:
      return of_product(graph.rows(), graph.columns(), false);
    case topology_kind::torus:
    case topology_kind::ring:
      return of_product(graph.rows(), graph.columns(), true);
    default:
      break;
  }
  return lanczos_spectrum(graph);
}

double optimal_weight(const topology& graph) { return optimal_weight(graph, spectrum(graph)); }

double optimal_weight(const topology& graph, const laplacian_spectrum& known) {
  if (graph.nodes() == 1) return 0.0;
  return std::min(2.0 / (known.second + known.largest), 1.0 / graph.max_degree());
}

fraction optimal_fraction(const topology& graph) {
  if (graph.nodes() == 1) return {};
  const double weight = optimal_weight(graph);
  const fraction most{1, graph.max_degree()};
  // Tries the convergents of the continued fraction of the weight, until one is near enough.
  constexpr double near = 1e-12;
  std::uint64_t before[2] = {1, 0};
  std::uint64_t now[2] = {0, 1};  // the weight is below 1
  double rest = weight;
  while (std::abs(static_cast<double>(now[0]) / static_cast<double>(now[1]) - weight) > near) {
    rest = 1.0 / rest;
    const double whole = std::floor(rest);
    const auto digit = static_cast<std::uint64_t>(whole);
    for (int i = 0; i < 2; ++i) {
      const std::uint64_t next = digit * now[i] + before[i];
      before[i] = now[i];
      now[i] = next;
    }
    rest -= whole;
  }
  const fraction found{now[0], now[1]};
  return less(most, found) ? most : found;
}

double convergence_factor(const laplacian_spectrum& known, double weight) {
  return std::max(std::abs(1.0 - weight * known.second), std::abs(1.0 - weight * known.largest));
}

}  // namespace evencube
