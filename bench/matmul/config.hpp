#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "../common/program.hpp"

namespace bench::matmul {

/// Below this size a product is computed by three loops.
inline constexpr std::size_t leaf = 32;

inline const workload about{
    "matmul", "leaf product", {{"n", "2048", "128", "rows and columns: a power of two >= 32"}}};

/// A square part of a row-major matrix whose rows are `stride` apart.
template <typename Element>
struct square {
  Element* first;
  std::size_t stride;

  /// The quarter in row `down` and column `right`, 0 or 1 each, of this square of size 2 * half.
  square quarter(std::size_t half, std::size_t down, std::size_t right) const {
    return {first + (down * stride + right) * half, stride};
  }
};
using input = square<const double>;
using output = square<double>;

/// c += a * b of the leaf's size.
inline void multiply_leaf(input a, input b, output c) {
  for (std::size_t i = 0; i < leaf; ++i) {
    for (std::size_t k = 0; k < leaf; ++k) {
      const double factor = a.first[i * a.stride + k];
      for (std::size_t j = 0; j < leaf; ++j) {
        c.first[i * c.stride + j] += factor * b.first[k * b.stride + j];
      }
    }
  }
}

/// Small whole numbers, so that every sum is exact in whatever order it is made.
inline std::vector<double> some_matrix(std::size_t n, std::uint64_t seed) {
  std::vector<double> values(n * n);
  for (double& value : values) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<double>(seed >> 60U) - 7.0;
  }
  return values;
}

inline std::vector<double> times_vector(const std::vector<double>& matrix,
                                        const std::vector<double>& x) {
  std::vector<double> y(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += matrix[i * x.size() + j] * x[j];
  }
  return y;
}

/// `multiply(n, a, b, c)` adds a * b to c, in two steps of four products of half the size that may
/// run at the same time.
template <typename Multiply>
int measure(program& with, const Multiply& multiply) {
  const std::size_t n = with.number("n");
  if (n < leaf || n > 16384 || !std::has_single_bit(n)) {
    throw std::invalid_argument("n is " + std::to_string(n) +
                                "; must be a power of two, 32 to 16384");
  }
  const std::vector<double> a = some_matrix(n, 1);
  const std::vector<double> b = some_matrix(n, 2);
  std::vector<double> c(n * n);
  // Freivalds' check: c x = a (b x). A wrong element escapes only if its errors cancel in a row;
  // all numbers are whole and below 2^53, so the comparison is exact.
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i * i % 1009U + 1);
  const std::vector<double> right = times_vector(a, times_vector(b, x));
  const std::size_t leaves_in_row = n / leaf;
  const auto leaves = static_cast<double>(leaves_in_row);
  return with.measure({
      .units = leaves * leaves * leaves,
      .prepare = [&] { std::fill(c.begin(), c.end(), 0.0); },
      .run =
          [&] {
            return timed(
                [&] { multiply(n, input{a.data(), n}, input{b.data(), n}, output{c.data(), n}); });
          },
      .verify =
          [&] { return times_vector(c, x) == right ? "" : std::string("the product is wrong"); },
  });
}

}  // namespace bench::matmul
