#include <evencube/balancers/theory.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>

namespace evencube::theory {
namespace {

constexpr double euler_gamma = 0.57721566490153286;

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

double nodes_of(unsigned dimensions) { return std::ldexp(1.0, static_cast<int>(dimensions)); }

}  // namespace

symmetric_matrix diffusion_matrix(std::size_t nodes, std::span<const weighted_link> links) {
  symmetric_matrix m{nodes, std::vector<double>(nodes * nodes, 0.0)};
  for (std::size_t i = 0; i < nodes; ++i) m.at(i, i) = 1.0;
  for (const auto& [a, b, weight] : links) {
    require(a < nodes && b < nodes && a != b, "a link's ends must be two different nodes");
    m.at(a, b) += weight;
    m.at(b, a) += weight;
    m.at(a, a) -= weight;
    m.at(b, b) -= weight;
  }
  return m;
}

symmetric_matrix adjacency_matrix(const topology& graph) {
  const std::size_t n = graph.nodes();
  symmetric_matrix m{n, std::vector<double>(n * n, 0.0)};
  for (node_id k = 0; k < n; ++k) {
    graph.for_each_neighbour(k, [&](node_id other) { m.at(k, other) = 1.0; });
  }
  return m;
}

std::vector<double> eigenvalues(symmetric_matrix m) {
  const std::size_t n = m.size;
  for (int pass = 0; pass < 100; ++pass) {
    double off = 0.0;
    double all = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        all += m.at(i, j) * m.at(i, j);
        if (i != j) off += m.at(i, j) * m.at(i, j);
      }
    }
    if (off <= 1e-30 * all) break;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        const double apq = m.at(p, q);
        if (apq == 0.0) continue;
        const double theta = (m.at(q, q) - m.at(p, p)) / (2.0 * apq);
        const double t =
            (theta >= 0.0 ? 1.0 : -1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
        const double c = 1.0 / std::sqrt(t * t + 1.0);
        const double s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double kp = m.at(k, p);
          const double kq = m.at(k, q);
          m.at(k, p) = c * kp - s * kq;
          m.at(k, q) = s * kp + c * kq;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double pk = m.at(p, k);
          const double qk = m.at(q, k);
          m.at(p, k) = c * pk - s * qk;
          m.at(q, k) = s * pk + c * qk;
        }
      }
    }
  }
  std::vector<double> found(n);
  for (std::size_t i = 0; i < n; ++i) found[i] = m.at(i, i);
  std::sort(found.begin(), found.end());
  return found;
}

bool converges(std::size_t nodes, std::span<const weighted_link> links) {
  require(nodes > 0, "a network has at least one node");
  const auto matrix = diffusion_matrix(nodes, links);
  bool lazy = false;
  for (std::size_t k = 0; k < nodes; ++k) lazy = lazy || matrix.at(k, k) > 1e-12;
  // Two-colours the component of node 0.
  std::vector<int> colour(nodes, -1);
  std::vector<std::size_t> queue{0};
  colour[0] = 0;
  bool odd_circle = false;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::size_t k = queue[head];
    for (std::size_t other = 0; other < nodes; ++other) {
      if (other == k || !(matrix.at(k, other) > 0.0)) continue;
      if (colour[other] == -1) {
        colour[other] = 1 - colour[k];
        queue.push_back(other);
      } else if (colour[other] == colour[k]) {
        odd_circle = true;
      }
    }
  }
  return queue.size() == nodes && (lazy || odd_circle);
}

double optimal_modification(double second, double smallest, double least_diagonal) {
  return std::max(-(second + smallest) / 2.0, -least_diagonal);
}

double modified_factor(double second, double smallest, double k) {
  return std::max(std::abs(second + k), std::abs(smallest + k)) / (1.0 + k);
}

std::vector<std::pair<int, std::uint64_t>> cube_spectrum(unsigned dimensions) {
  require(dimensions <= 60, "the dimension is at most 60");
  std::vector<std::pair<int, std::uint64_t>> found;
  std::uint64_t binomial = 1;
  for (unsigned k = 0; k <= dimensions; ++k) {
    found.emplace_back(static_cast<int>(dimensions) - 2 * static_cast<int>(k), binomial);
    if (k < dimensions) binomial = binomial * (dimensions - k) / (k + 1);
  }
  return found;
}

double cube_weight(unsigned dimensions) { return 1.0 / (dimensions + 1.0); }
double cube_factor(unsigned dimensions) { return 1.0 - 2.0 / (dimensions + 1.0); }
double cube_factor(unsigned dimensions, unsigned iterations) {
  return std::pow(cube_factor(dimensions), iterations);
}

double partial_mean_variance(unsigned k, unsigned n, double variance) {
  require(k >= 1 && k <= n, "k lies between 1 and n");
  return (n - k) * variance / (static_cast<double>(n) * k);
}

double distance_bound(unsigned nodes, double factor, double variance, double initial, unsigned j) {
  require(factor >= 0.0 && factor < 1.0, "the factor lies in [0, 1)");
  const double last = std::pow(factor, 2.0 * j + 2.0);
  return (nodes - 1.0) * (variance * (1.0 - last) / (1.0 - factor * factor) + initial * last);
}

double steady_distance_bound(unsigned nodes, double factor, double variance) {
  require(factor >= 0.0 && factor < 1.0, "the factor lies in [0, 1)");
  return (nodes - 1.0) * variance / (1.0 - factor * factor);
}

double steady_distance(std::span<const double> spectrum, double variance) {
  require(!spectrum.empty(), "a spectrum has at least one value");
  const auto first = std::max_element(spectrum.begin(), spectrum.end());
  double sum = 0.0;
  for (auto at = spectrum.begin(); at != spectrum.end(); ++at) {
    if (at == first) continue;
    require(std::abs(*at) < 1.0, "all eigenvalues but one lie strictly between -1 and 1");
    sum += 1.0 / (1.0 - *at * *at);
  }
  return sum * variance;
}

double cube_steady_distance_bound(unsigned dimensions, double variance) {
  require(dimensions >= 1, "the dimension is at least 1");
  const double d = dimensions;
  return (nodes_of(dimensions) - 1.0) * (d + 1.0) * (d + 1.0) * variance / (4.0 * d);
}

double exchange_steady_distance(unsigned dimensions, double variance) {
  require(dimensions >= 1, "the dimension is at least 1");
  return (2.0 * nodes_of(dimensions) - dimensions - 2.0) * variance;
}

double exchange_steady_distance_bound(unsigned dimensions, double variance) {
  return 2.0 * nodes_of(dimensions) * variance;
}

double sweep_steady_distance(unsigned dimensions, double variance) {
  return (nodes_of(dimensions) - 1.0) * variance;
}

namespace {

double root_two_log(unsigned n) {
  require(n >= 2, "n is at least 2");
  return std::sqrt(2.0 * std::log(static_cast<double>(n)));
}

}  // namespace

double maximum_mean(unsigned n, double mu, double sigma) {
  const double a = root_two_log(n);
  return mu + sigma * (a + euler_gamma / a);
}

double maximum_variance(unsigned n, double sigma) {
  const double b = root_two_log(n);
  return std::numbers::pi * std::numbers::pi * sigma * sigma / (6.0 * b * b);
}

double maximum_percentile(unsigned n, double alpha) {
  require(alpha > 0.0 && alpha < 1.0, "alpha lies between 0 and 1");
  const double a = root_two_log(n);
  return a - std::log(-std::log(alpha)) / a;
}

double prefix_variance(unsigned k, unsigned n, double sigma) {
  require(n >= 1 && k <= n, "k lies between 0 and n");
  return static_cast<double>(k) * (n - k) / n * sigma * sigma;
}

double prefix_correlation(unsigned k, unsigned l, unsigned n) {
  require(k >= 1 && k <= l && l < n, "1 <= k <= l < n");
  return std::sqrt(static_cast<double>(k) * (n - l) / (static_cast<double>(l) * (n - k)));
}

double bridge_supremum_probability(double x) { return x <= 0.0 ? 0.0 : -std::expm1(-2.0 * x * x); }

double bridge_supremum_mean() { return std::sqrt(std::numbers::pi / 2.0) / 2.0; }

double bridge_range_probability(double x) {
  if (x <= 0.0) return 0.0;
  // Below this, the sum needs more and more terms, and the probability is less than 1e-30.
  if (x < 0.13) return 0.0;
  double sum = 1.0;
  for (int i = 1; i <= 200; ++i) {
    const double term = 2.0 * std::exp(-2.0 * i * i * x * x);
    sum += i % 2 == 0 ? term : -term;
    if (term < 1e-18) break;
  }
  return std::clamp(sum, 0.0, 1.0);
}

double shift_percentile(unsigned n, double sigma, double alpha) {
  require(alpha >= 0.0 && alpha < 1.0, "alpha lies in [0, 1)");
  return sigma * std::sqrt(n / 2.0) * std::sqrt(-std::log1p(-alpha));
}

double shift_probability(double x, unsigned n, double mu, double sigma) {
  require(sigma > 0.0 && n >= 1, "sigma and n are positive");
  return std::exp(-2.0 * x * x * mu * mu / (sigma * sigma * n));
}

double mean_for_short_shift(unsigned n, double sigma, double k) {
  require(n >= 2, "n is at least 2");
  return sigma * std::sqrt(k / 2.0 * n * std::log(static_cast<double>(n)));
}

shift_cost expected_shift_cost(unsigned n, double mu, double sigma, bool as_printed) {
  require(mu > 0.0, "the mean load is positive");
  const double lambda = sigma * std::sqrt(static_cast<double>(n)) / mu;
  const double first = as_printed ? 0.626 : bridge_supremum_mean();
  const double second = as_printed ? 0.31 : 0.5;
  return {1.0 + first * lambda, (second * lambda * lambda + first * lambda) * mu};
}

shift_cost worthwhile_cost(unsigned n, double block, double p, bool as_printed) {
  require(p > 0.0 && p < 1.0, "p lies between 0 and 1");
  const double mu = block * p;
  const double sigma = std::sqrt(block * p * (1.0 - p));
  const shift_cost one_way = expected_shift_cost(n, mu, sigma, as_printed);
  const double gain = sigma * root_two_log(n);
  return {2.0 * one_way.startups / gain, 2.0 * one_way.items / gain};
}

}  // namespace evencube::theory
