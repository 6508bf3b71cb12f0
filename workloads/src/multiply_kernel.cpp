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
