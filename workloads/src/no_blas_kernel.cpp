#include <stdexcept>

#include "blas_kernel.hpp"

namespace evencube::workloads {

bool has_blas_kernel() noexcept { return false; }

std::unique_ptr<multiply_kernel> make_blas_kernel() {
  throw std::logic_error{"this build has no BLAS"};
}

}  // namespace evencube::workloads
