#pragma once

#include <cmath>
#include <numbers>

namespace evencube::papers {

// Mehrotra, Ranka, Wang 1992, Section 3. X_k is the number of items of node k, independent with
// mean mu and deviation sigma; V_k = X_1 + .. + X_k - k Xbar; Z = max X_k; W = max V_k; D = max
// |V_k| / mu. lambda = sigma sqrt(n) / mu.

/// sqrt(2 ln n): a_n and b_n of the extreme value distribution for normal X.
inline double extreme_scale(double n) { return std::sqrt(2 * std::log(n)); }

/// The alpha percentile of (Z - mu)/sigma as the paper approximates it.
inline double maximum_percentile(double n, double alpha) {
  return extreme_scale(n) - std::log(-std::log(alpha)) / extreme_scale(n);
}

/// (E(Z) - mu)/sigma as the paper approximates it.
inline double maximum_mean(double n) {
  return extreme_scale(n) + std::numbers::egamma / extreme_scale(n);
}

/// The point that W/sigma passes with probability alpha, Brownian bridge: P(W' > x) = exp(-2 x^2).
inline double shift_percentile(double n, double alpha) {
  return std::sqrt(n / 2) * std::sqrt(-std::log(alpha));
}

/// E(W') = sqrt(pi/2)/2, printed as .626.
inline double shift_mean() { return std::sqrt(std::numbers::pi / 2) / 2; }

/// P(|N(0,1)| > x).
inline double two_sided_tail(double x) { return std::erfc(x / std::numbers::sqrt2); }

/// P(D >= x) = exp(-2 x^2 / lambda^2), one direction.
inline double distance_tail(double x, double lambda) {
  return std::exp(-2 * x * x / (lambda * lambda));
}

/// The bound on the time of one direction of the shift: (1 + e1 lambda) tau + (e2 lambda^2 + e1
/// lambda) phi mu, with e1 = E(W') and e2 = E(W'^2).
inline double shift_time(double lambda, double mu, double tau, double phi, double e1, double e2) {
  return (1 + e1 * lambda) * tau + (e2 * lambda * lambda + e1 * lambda) * phi * mu;
}

}  // namespace evencube::papers
