#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include <evencube/workloads/matrix.hpp>

#include "blas_kernel.hpp"
#include "random_bits.hpp"

namespace evencube::workloads {
namespace {

/// Plain loops over blocks of B that stay in the second-level cache; the innermost one runs along
/// rows, which compilers vectorise.
class portable_kernel final : public multiply_kernel {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "portable"; }

  using multiply_kernel::multiply;
  void multiply(const product_block& of) const override {
    constexpr std::size_t depth = 128;
    for (std::size_t row = 0; row < of.rows; ++row) {
      std::fill_n(of.c + row * of.c_stride, of.columns, 0.0);
    }
    for (std::size_t first = 0; first < of.depth; first += depth) {
      const auto last = std::min(first + depth, of.depth);
      for (std::size_t row = 0; row < of.rows; ++row) {
        double* const out = of.c + row * of.c_stride;
        for (auto k = first; k < last; ++k) {
          const double factor = of.a[row * of.a_stride + k];
          const double* const in = of.b + k * of.b_stride;
          for (std::size_t column = 0; column < of.columns; ++column) {
            out[column] += factor * in[column];
          }
        }
      }
    }
  }
};

/// g of k operations: k u / (1 - k u), u the unit roundoff (Higham, section 3.1).
double roundoff_factor(double operations) {
  constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
  return operations * unit / (1 - operations * unit);
}

double largest_magnitude(const square_matrix& matrix) {
  double largest = 0;
  for (const double entry : matrix.entries()) largest = std::max(largest, std::abs(entry));
  return largest;
}

constexpr auto magnitude = [](double entry) { return std::abs(entry); };

/// The product of the matrix, or of what `part` takes of its entries, and a vector.
template <typename Part = std::identity>
std::vector<double> times(const square_matrix& matrix, const std::vector<double>& vector,
                          Part part = {}) {
  std::vector<double> result;
  for (std::size_t row = 0; row < matrix.order(); ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < matrix.order(); ++column) {
      sum += part(matrix.row(row)[column]) * vector[column];
    }
    result.push_back(sum);
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

square_matrix random_matrix(std::size_t order, std::uint64_t seed) {
  square_matrix matrix{order};
  const auto stream = mix_bits(seed);
  std::uint64_t place = 0;
  for (auto& entry : matrix.entries()) {
    // 53 bits fill a double's significand: the quotient and the difference are exact.
    const auto bits = mix_bits(stream + place++) >> 11;
    entry = static_cast<double>(bits) * 0x1p-52 - 1.0;
  }
  return matrix;
}

std::vector<matrix_tile> cut_into_tiles(std::size_t order, std::size_t side) {
  if (side == 0) throw std::invalid_argument{"tile side 0: at least 1 row is needed"};
  std::vector<matrix_tile> tiles;
  for (std::size_t row = 0; row < order; row += std::min(side, order - row)) {
    for (std::size_t column = 0; column < order; column += std::min(side, order - column)) {
      tiles.push_back({row, row + std::min(side, order - row), column,
                       column + std::min(side, order - column)});
    }
  }
  return tiles;
}

std::vector<std::string_view> multiply_kernels() {
  if (has_blas_kernel()) return {"blas", "portable"};
  return {"portable"};
}

std::unique_ptr<multiply_kernel> make_multiply_kernel(std::string_view name) {
  if (name == "portable" || (name == "auto" && !has_blas_kernel())) {
    return std::make_unique<portable_kernel>();
  }
  if (has_blas_kernel() && (name == "blas" || name == "auto")) return make_blas_kernel();
  std::string known = "auto";
  for (const auto kernel : multiply_kernels()) known.append(", ").append(kernel);
  throw std::invalid_argument{"unknown kernel \"" + std::string{name} + "\"; this build has " +
                              known};
}

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
  const auto sizes = times(a, times(b, std::vector<double>(order, 1.0), magnitude), magnitude);
  product_check worst{0, std::numeric_limits<double>::min()};
  random_stream random{seed};
  std::vector<double> x(order);
  for (unsigned round = 0; round < rounds; ++round) {
    for (auto& entry : x) entry = (random.next() >> 63) != 0 ? 1.0 : -1.0;
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
