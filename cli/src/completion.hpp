#pragma once

#include <CLI/App.hpp>
#include <string>

namespace evencube::cli {

/// A script by which a shell completes commands, options, and the words that stand for something:
/// workloads, balancers, networks and the like. `shell` is bash, zsh or fish; throws usage_error
/// for another.
[[nodiscard]] std::string completion_script(const CLI::App& program, const std::string& shell);

}  // namespace evencube::cli
