#pragma once

namespace evencube::cli {

/// Parses the arguments, which does what they ask for, and tells on stderr what is wrong. Returns
/// the program's exit code.
[[nodiscard]] int run_application(int count, const char* const* arguments) noexcept;

}  // namespace evencube::cli
