#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include <evencube/workloads/edge_detection.hpp>
#include <evencube/workloads/matrix.hpp>
#include <evencube/workloads/workload.hpp>

namespace evencube::workloads {

// Each stands in the source of its workload; the registry has all of them.
[[nodiscard]] workload_entry edges_entry();
[[nodiscard]] workload_entry heat_entry();
[[nodiscard]] workload_entry mandelbrot_entry();
[[nodiscard]] workload_entry matmul_entry();
[[nodiscard]] workload_entry nbody_entry();
[[nodiscard]] workload_entry pagerank_entry();
[[nodiscard]] workload_entry pathtrace_entry();
[[nodiscard]] workload_entry sort_entry();
[[nodiscard]] workload_entry spin_entry();
[[nodiscard]] workload_entry uts_entry();

/// --seed.
[[nodiscard]] workload_option seed_option(std::int64_t usual = 1);

/// `size`, which has grown to `grown` for the work of `times` workers. Throws std::invalid_argument
/// that names all three where `grown` is above `most`.
[[nodiscard]] std::uint64_t grown_within(std::uint64_t size, std::uint32_t times,
                                         std::uint64_t grown, std::uint64_t most);

/// Where two planes of one size differ first.
template <typename Sample>
struct plane_difference {
  std::string place;  ///< "(x, y)"
  Sample expected;
  Sample found;
};

template <typename Sample>
[[nodiscard]] std::optional<plane_difference<Sample>> first_difference(
    const plane<Sample>& expected, const plane<Sample>& found) {
  const auto [here, there] = std::ranges::mismatch(expected.samples(), found.samples());
  if (here == expected.samples().end()) return std::nullopt;
  const auto at = here - expected.samples().begin();
  return plane_difference<Sample>{"(" + std::to_string(at % expected.width()) + ", " +
                                      std::to_string(at / expected.width()) + ")",
                                  *here, *there};
}

/// Bit for bit; names the first pixel that differs.
[[nodiscard]] verification compare_edge_results(const edge_result& serial,
                                                const edge_result& parallel);

/// Every entry up to the order of largest_full_check, random vectors above.
[[nodiscard]] verification check_product(const square_matrix& a, const square_matrix& b,
                                         const square_matrix& c);

/// `runs[i]` says how often task i was run: each must be 1.
[[nodiscard]] verification check_run_once(const std::vector<std::uint32_t>& runs);

}  // namespace evencube::workloads
