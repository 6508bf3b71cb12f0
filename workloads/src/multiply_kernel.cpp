#include <algorithm>
#include <stdexcept>
#include <string>

#include <evencube/workloads/matrix.hpp>

#include "blas_kernel.hpp"

namespace evencube::workloads {
namespace {

/// Plain loops over blocks of B that stay in the second-level cache; the innermost one runs along
/// rows, which compilers vectorise.
class portable_kernel final : public multiply_kernel {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "portable"; }

  void multiply(const square_matrix& a, const square_matrix& b, const matrix_tile& tile,
                square_matrix& c) const override {
    constexpr std::size_t depth = 128;
    const auto width = tile.last_column - tile.first_column;
    for (auto row = tile.first_row; row < tile.last_row; ++row) {
      std::fill_n(c.row(row) + tile.first_column, width, 0.0);
    }
    for (std::size_t first = 0; first < a.order(); first += depth) {
      const auto last = std::min(first + depth, a.order());
      for (auto row = tile.first_row; row < tile.last_row; ++row) {
        double* const out = c.row(row) + tile.first_column;
        for (auto k = first; k < last; ++k) {
          const double factor = a.row(row)[k];
          const double* const in = b.row(k) + tile.first_column;
          for (std::size_t column = 0; column < width; ++column) {
            out[column] += factor * in[column];
          }
        }
      }
    }
  }
};

}  // namespace

std::vector<std::string_view> multiply_kernels() {
  if (has_blas_kernel()) {
    return {"blas", "portable"};
  }
  return {"portable"};
}

std::unique_ptr<multiply_kernel> make_multiply_kernel(std::string_view name) {
  if (name == "portable" || (name == "auto" && !has_blas_kernel())) {
    return std::make_unique<portable_kernel>();
  }
  if (has_blas_kernel() && (name == "blas" || name == "auto")) {
    return make_blas_kernel();
  }
  std::string known = "auto";
  for (const auto kernel : multiply_kernels()) {
    known.append(", ").append(kernel);
  }
  throw std::invalid_argument{"unknown kernel \"" + std::string{name} + "\"; this build has " +
                              known};
}

}  // namespace evencube::workloads
