#pragma once

#include <CLI/App.hpp>

namespace evencube::cli {

/// Gives an application its name, its commands and its help.
void add_everything(CLI::App& app);

/// Parses the arguments, which does what they ask for, and tells on stderr what is wrong. Returns
/// the program's exit code.
[[nodiscard]] int run_application(int count, const char* const* arguments) noexcept;

}  // namespace evencube::cli
