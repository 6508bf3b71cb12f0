#include <cblas.h>

#include "blas_kernel.hpp"

namespace evencube::workloads {
namespace {

class blas_kernel final : public multiply_kernel {
 public:
  blas_kernel() : threads_before_{openblas_get_num_threads()} { openblas_set_num_threads(1); }
  ~blas_kernel() override { openblas_set_num_threads(threads_before_); }

  [[nodiscard]] std::string_view name() const noexcept override { return "blas"; }

  void multiply(const square_matrix& a, const square_matrix& b, const matrix_tile& tile,
                square_matrix& c) const override {
    const auto order = static_cast<blasint>(a.order());
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans,
                static_cast<blasint>(tile.last_row - tile.first_row),
                static_cast<blasint>(tile.last_column - tile.first_column), order, 1.0,
                a.row(tile.first_row), order, b.row(0) + tile.first_column, order, 0.0,
                c.row(tile.first_row) + tile.first_column, order);
  }

 private:
  int threads_before_;
};

}  // namespace

bool has_blas_kernel() noexcept { return true; }

std::unique_ptr<multiply_kernel> make_blas_kernel() { return std::make_unique<blas_kernel>(); }

}  // namespace evencube::workloads
