#pragma once

#include <filesystem>
#include <string>

#include <evencube/workloads/input_error.hpp>

namespace evencube::workloads {

/// All of a file, a pipe too. Throws input_error where it cannot be read, and std::bad_alloc.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);

}  // namespace evencube::workloads
