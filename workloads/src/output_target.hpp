#pragma once

#include <filesystem>
#include <string>

namespace evencube::workloads {

/// Throws output_error about `file`.
[[noreturn]] void fail_to_write(const std::filesystem::path& file, const std::string& why);
/// The same with the system's text for an errno.
[[noreturn]] void fail_to_write(const std::filesystem::path& file, int code);

/// Where a write to `file` really goes: symbolic links are followed, the last one too if what it
/// names is still to be made. Throws output_error.
[[nodiscard]] std::filesystem::path real_target(const std::filesystem::path& file);

}  // namespace evencube::workloads
