#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <evencube/workloads/input_error.hpp>

namespace evencube::workloads {

/// What a file may have that does not say its size: it may have no end.
inline constexpr std::uint64_t most_of_no_size = std::uint64_t{1} << 28;

/// All of a file, a pipe too. Throws input_error where it cannot be read or is too long, and
/// std::bad_alloc.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);

}  // namespace evencube::workloads
