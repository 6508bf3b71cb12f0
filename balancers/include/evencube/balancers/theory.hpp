#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <evencube/balancers/diffusion.hpp>
#include <evencube/detail/compiler.hpp>

/// The formulas of the papers as functions. All are pure. Arguments outside their stated range
/// throw std::invalid_argument.
namespace evencube::theory {

// ---- Cybenko 1989: matrices

/// A dense symmetric matrix, row by row.
struct symmetric_matrix {
  std::size_t size = 0;
  std::vector<double> values;
  /// Returns the element in row i and column j.
  [[nodiscard]] double& at(std::size_t i, std::size_t j) { return values[i * size + j]; }
  /// Returns the element in row i and column j.
  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return values[i * size + j]; }
};

/// Returns the diffusion matrix M of (1): m_ij = a_ij, m_ii = 1 - sum_j a_ij.
[[nodiscard]] EVENCUBE_EXPORT symmetric_matrix
diffusion_matrix(std::size_t nodes, std::span<const weighted_link> links);
/// Returns the adjacency matrix of the network.
[[nodiscard]] EVENCUBE_EXPORT symmetric_matrix adjacency_matrix(const topology& graph);

/// Returns all eigenvalues, ascending, by Jacobi rotations. O(size^3) for each sweep.
[[nodiscard]] EVENCUBE_EXPORT std::vector<double> eigenvalues(symmetric_matrix matrix);

/// Returns true if diffusion with these weights reaches the uniform load from every start (Theorem
/// 1). The condition is that the links with positive weight connect all nodes, and that some m_jj >
/// 0 or these links contain an odd cycle.
[[nodiscard]] EVENCUBE_EXPORT bool converges(std::size_t nodes,
                                             std::span<const weighted_link> links);

/// Returns the best legal k for the matrix (M + k I) / (1 + k) (Lemma 2). This k is max(-(lambda_2
/// + lambda_n) / 2, -min m_jj). The eigenvalues of M are in descending order, lambda_1 = 1.
[[nodiscard]] EVENCUBE_EXPORT double optimal_modification(double second, double smallest,
                                                          double least_diagonal);
/// Returns the contraction factor gamma((M + k I) / (1 + k)).
[[nodiscard]] EVENCUBE_EXPORT double modified_factor(double second, double smallest, double k);

/// Returns the adjacency eigenvalues of the d-cube with their multiplicities (Theorem 3): (d - 2k,
/// C(d, k)), k from 0 to d.
[[nodiscard]] EVENCUBE_EXPORT std::vector<std::pair<int, std::uint64_t>> cube_spectrum(
    unsigned dimensions);

/// Returns the optimal weight of the d-cube, 1 / (d + 1) (Section 3).
[[nodiscard]] EVENCUBE_EXPORT double cube_weight(unsigned dimensions);
/// Returns the contraction factor of one iteration on the d-cube, 1 - 2 / (d + 1) (Section 3).
[[nodiscard]] EVENCUBE_EXPORT double cube_factor(unsigned dimensions);
/// Returns the contraction factor of `iterations` iterations on the d-cube (Section 3, (15)).
[[nodiscard]] EVENCUBE_EXPORT double cube_factor(unsigned dimensions, unsigned iterations);

// ---- Cybenko 1989: random arrivals of variance sigma^2 per node and step

/// Returns E |mean of the first k - mean of all n|^2 = (n - k) sigma^2 / (n k), 1 <= k <= n (Lemma
/// 3).
[[nodiscard]] EVENCUBE_EXPORT double partial_mean_variance(unsigned k, unsigned n, double variance);

/// Returns the bound on E ||w - mean||^2 after step j + 1, starting with variance `initial`
/// (Theorem 2).
[[nodiscard]] EVENCUBE_EXPORT double distance_bound(unsigned nodes, double factor, double variance,
                                                    double initial, unsigned j);
/// Returns the limit of `distance_bound`, (n - 1) sigma^2 / (1 - gamma^2).
[[nodiscard]] EVENCUBE_EXPORT double steady_distance_bound(unsigned nodes, double factor,
                                                           double variance);
/// Returns the exact limit of E ||w - mean||^2, sigma^2 * sum over i >= 2 of 1 / (1 - lambda_i^2).
/// `spectrum` has the eigenvalues of M in any order; exactly one of them is 1.
[[nodiscard]] EVENCUBE_EXPORT double steady_distance(std::span<const double> spectrum,
                                                     double variance);
/// Returns `steady_distance_bound` of the d-cube, (n - 1)(d + 1)^2 sigma^2 / (4 d).
[[nodiscard]] EVENCUBE_EXPORT double cube_steady_distance_bound(unsigned dimensions,
                                                                double variance);

/// Returns the exact limit of E ||w - mean||^2 for dimension exchange over one dimension per step,
/// (2 n - d - 2) sigma^2.
[[nodiscard]] EVENCUBE_EXPORT double exchange_steady_distance(unsigned dimensions, double variance);
/// Returns the bound of Theorem 5 on `exchange_steady_distance`, 2 n sigma^2.
[[nodiscard]] EVENCUBE_EXPORT double exchange_steady_distance_bound(unsigned dimensions,
                                                                    double variance);
/// Returns the limit of E ||w - mean||^2 for dimension exchange over all dimensions per step, (n -
/// 1) sigma^2.
[[nodiscard]] EVENCUBE_EXPORT double sweep_steady_distance(unsigned dimensions, double variance);

// ---- Mehrotra, Ranka, Wang 1992: n loads, independent, mean mu, deviation sigma

/// Returns the mean of the largest of n normal loads by the extreme-value law with
/// a_n = b_n = sqrt(2 ln n) (Section 3). n >= 2. This is the paper's approximation.
[[nodiscard]] EVENCUBE_EXPORT double maximum_mean(unsigned n, double mu, double sigma);
/// Returns the variance of the largest of n normal loads by the extreme-value law (Section 3).
/// n >= 2. This is the paper's approximation.
[[nodiscard]] EVENCUBE_EXPORT double maximum_variance(unsigned n, double sigma);
/// Returns the value that the largest of n normal loads does not exceed with probability alpha in
/// (0, 1), by the extreme-value law (Section 3). n >= 2. This is the paper's approximation: at n =
/// 16, its .95 percentile (3.616) exceeds the true value (2.72).
[[nodiscard]] EVENCUBE_EXPORT double maximum_percentile(unsigned n, double alpha);

/// Returns the variance of V_k = X_1 + .. + X_k - k mean, which is k (n - k) sigma^2 / n.
[[nodiscard]] EVENCUBE_EXPORT double prefix_variance(unsigned k, unsigned n, double sigma);
/// Returns the correlation of V_k and V_l, k < l, for V_k = X_1 + .. + X_k - k mean.
[[nodiscard]] EVENCUBE_EXPORT double prefix_correlation(unsigned k, unsigned l, unsigned n);

/// Returns P(S <= x) = 1 - exp(-2 x^2), x >= 0, for the supremum S of a Brownian bridge. S is the
/// limit of W' = max V_k / (sigma sqrt n).
[[nodiscard]] EVENCUBE_EXPORT double bridge_supremum_probability(double x);
/// Returns the mean of the supremum of a Brownian bridge, sqrt(pi / 2) / 2. Its second moment is
/// 1 / 2.
[[nodiscard]] EVENCUBE_EXPORT double bridge_supremum_mean();
/// Returns P(max |V_k| / (sigma sqrt n) <= x) for x > 0, which is
/// 1 + 2 sum over i >= 1 of (-1)^i exp(-2 i^2 x^2).
[[nodiscard]] EVENCUBE_EXPORT double bridge_range_probability(double x);
/// Returns the value that max V_k does not exceed with probability alpha: sigma sqrt(n / 2)
/// sqrt(-ln(1 - alpha)).
[[nodiscard]] EVENCUBE_EXPORT double shift_percentile(unsigned n, double sigma, double alpha);

/// Returns P(D >= x) = exp(-2 x^2 mu^2 / (sigma^2 n)) for the shift distance D = max V / mu.
[[nodiscard]] EVENCUBE_EXPORT double shift_probability(double x, unsigned n, double mu,
                                                       double sigma);
/// Returns the smallest mean mu with P(D >= 1) <= n^-k, which is sigma sqrt(k n ln n / 2).
[[nodiscard]] EVENCUBE_EXPORT double mean_for_short_shift(unsigned n, double sigma, double k);

/// The expected cost of a shift in one direction, at most `startups` * tau + `items` * phi.
struct shift_cost {
  double startups;
  double items;
};
/// Returns the expected cost of a shift. With lambda = sigma sqrt(n) / mu, `startups` is 1 + m1
/// lambda and `items` is (m2 lambda^2 + m1 lambda) mu. If `as_printed`, m1 = .626 and m2 = .31;
/// otherwise these are the exact moments of W' (.6267, 1/2).
[[nodiscard]] EVENCUBE_EXPORT shift_cost expected_shift_cost(unsigned n, double mu, double sigma,
                                                             bool as_printed = true);

/// Returns the smallest cost of an active element at which balancing pays off in a conditional loop
/// (Section 4). The loop has n blocks of `block` elements, and each element is active with
/// probability p. The result is startups * tau + items * phi: the cost of a shift in both
/// directions, divided by the gain sigma sqrt(2 ln n).
[[nodiscard]] EVENCUBE_EXPORT shift_cost worthwhile_cost(unsigned n, double block, double p,
                                                         bool as_printed = true);

}  // namespace evencube::theory
