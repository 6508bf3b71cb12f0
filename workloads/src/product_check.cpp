#include <algorithm>
#include <cmath>
#include <limits>

#include <evencube/workloads/matrix.hpp>

#include "random_bits.hpp"

namespace evencube::workloads {
namespace {

/// g of k operations: k u / (1 - k u), u the unit roundoff (Higham, section 3.1).
double roundoff_factor(double operations) {
  constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
  return operations * unit / (1 - operations * unit);
}

double largest_magnitude(const square_matrix& matrix) {
  double largest = 0;
  for (const double entry : matrix.entries()) {
    largest = std::max(largest, std::abs(entry));
  }
  return largest;
}

std::vector<double> times(const square_matrix& matrix, const std::vector<double>& vector) {
  std::vector<double> result(matrix.order());
  for (std::size_t row = 0; row < matrix.order(); ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < matrix.order(); ++column) {
      sum += matrix.row(row)[column] * vector[column];
    }
    result[row] = sum;
  }
  return result;
}

std::vector<double> magnitudes_times(const square_matrix& matrix,
                                     const std::vector<double>& vector) {
  std::vector<double> result(matrix.order());
  for (std::size_t row = 0; row < matrix.order(); ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < matrix.order(); ++column) {
      sum += std::abs(matrix.row(row)[column]) * vector[column];
    }
    result[row] = sum;
  }
  return result;
}

/// The worse of the two checks; one that is not a number is worse than any.
product_check worse(const product_check& left, const product_check& right) {
  const auto excess = [](const product_check& check) {
    return std::isnan(check.error) ? std::numeric_limits<double>::infinity()
                                   : check.error / check.bound;
  };
  return excess(right) > excess(left) ? right : left;
}

}  // namespace

product_check check_every_entry(const square_matrix& a, const square_matrix& b,
                                const square_matrix& c) {
  const auto order = a.order();
  const auto n = static_cast<double>(order);
  const double bound = 2 * roundoff_factor(n) * n * largest_magnitude(a) * largest_magnitude(b);
  product_check worst{0, bound};
  std::vector<double> sums(order);
  for (std::size_t row = 0; row < order; ++row) {
    std::ranges::fill(sums, 0.0);
    for (std::size_t k = 0; k < order; ++k) {
      for (std::size_t column = 0; column < order; ++column) {
        sums[column] += a.row(row)[k] * b.row(k)[column];
      }
    }
    for (std::size_t column = 0; column < order; ++column) {
      worst = worse(worst, {std::abs(c.row(row)[column] - sums[column]), bound});
    }
  }
  return worst;
}

product_check check_by_vectors(const square_matrix& a, const square_matrix& b,
                               const square_matrix& c, std::uint64_t seed, unsigned rounds) {
  const auto order = a.order();
  const double factor = roundoff_factor(4 * static_cast<double>(order));
  // |A||B||x| is the same for every x of -1 and +1. It is itself rounded, downwards perhaps: the
  // factor 1 + g makes up for it.
  auto sizes = magnitudes_times(a, magnitudes_times(b, std::vector<double>(order, 1.0)));
  product_check worst{0, std::numeric_limits<double>::min()};
  random_stream random{seed};
  std::vector<double> x(order);
  for (unsigned round = 0; round < rounds; ++round) {
    for (auto& entry : x) {
      entry = (random.next() >> 63) != 0 ? 1.0 : -1.0;
    }
    const auto expected = times(a, times(b, x));
    const auto found = times(c, x);
    for (std::size_t row = 0; row < order; ++row) {
      worst =
          worse(worst, {std::abs(found[row] - expected[row]), factor * (1 + factor) * sizes[row]});
    }
  }
  return worst;
}

}  // namespace evencube::workloads
