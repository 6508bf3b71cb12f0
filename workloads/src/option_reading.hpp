#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <evencube/workloads/workload.hpp>

namespace evencube::workloads {

/// The options of workload_options that not every workload has.
enum class option { size, tile, input, max_pixels, threshold, lines, kernel, task_us, seed };

/// Throws std::invalid_argument naming the first given option that is not among `used`.
void refuse_unused(std::string_view workload, const workload_options& options,
                   std::initializer_list<option> used);

/// The value, or `otherwise` when it is not given. Throws std::invalid_argument unless it lies
/// within [least, most].
[[nodiscard]] std::uint64_t in_range(std::string_view what,
                                     const std::optional<std::int64_t>& value,
                                     std::uint64_t otherwise, std::uint64_t least,
                                     std::uint64_t most);

/// `size`, which has grown to `grown` for the work of `times` workers. Throws std::invalid_argument
/// that names all three where `grown` is above `most`.
[[nodiscard]] std::uint64_t grown_within(std::uint64_t size, std::uint32_t times,
                                         std::uint64_t grown, std::uint64_t most);

/// The seed, or `otherwise` when none is given. Throws std::invalid_argument if it is negative.
[[nodiscard]] std::uint64_t seed_of(const workload_options& options, std::uint64_t otherwise);

}  // namespace evencube::workloads
