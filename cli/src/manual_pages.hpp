#pragma once

#include <CLI/App.hpp>
#include <string>

namespace evencube::cli {

/// The manual page of the program, or of one of its commands, in the language of man(7): made of
/// what the commands say of themselves, so that it cannot say anything else.
[[nodiscard]] std::string manual_page(const CLI::App& program);
[[nodiscard]] std::string manual_page(const CLI::App& program, const CLI::App& command);

/// A script by which a shell completes commands, options and some of their values. `shell` is bash,
/// zsh or fish; throws usage_error for another.
[[nodiscard]] std::string completion_script(const CLI::App& program, const std::string& shell);

}  // namespace evencube::cli
