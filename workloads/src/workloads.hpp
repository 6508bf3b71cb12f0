#pragma once

#include <memory>

#include <evencube/workloads/edge_detection.hpp>
#include <evencube/workloads/matrix.hpp>
#include <evencube/workloads/workload.hpp>

namespace evencube::workloads {

[[nodiscard]] std::unique_ptr<workload> make_edges_workload(const workload_options& options);
[[nodiscard]] std::unique_ptr<workload> make_matmul_workload(const workload_options& options);
[[nodiscard]] std::unique_ptr<workload> make_spin_workload(const workload_options& options);

/// Bit for bit; names the first pixel that differs.
[[nodiscard]] verification compare_edge_results(const edge_result& serial,
                                                const edge_result& parallel);

/// Every entry up to the order of largest_full_check, random vectors above.
[[nodiscard]] verification check_product(const square_matrix& a, const square_matrix& b,
                                         const square_matrix& c);

/// `runs[i]` says how often task i was run: each must be 1.
[[nodiscard]] verification check_run_once(const std::vector<std::uint32_t>& runs);

}  // namespace evencube::workloads
