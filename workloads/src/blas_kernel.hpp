#pragma once

#include <memory>

#include <evencube/workloads/matrix.hpp>

namespace evencube::workloads {

// Two files carry these out: blas_kernel.cpp where a BLAS was found, no_blas_kernel.cpp elsewhere.

[[nodiscard]] bool has_blas_kernel() noexcept;

/// Only where has_blas_kernel().
[[nodiscard]] std::unique_ptr<multiply_kernel> make_blas_kernel();

}  // namespace evencube::workloads
