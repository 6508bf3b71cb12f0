#pragma once

#include <CLI/App.hpp>
#include <string>

namespace evencube::cli {

/// The manual page of the program, or of one of its commands, in the language of man(7): made of
/// what the commands say of themselves, so that it cannot say anything else.
[[nodiscard]] std::string manual_page(const CLI::App& program);
[[nodiscard]] std::string manual_page(const CLI::App& program, const CLI::App& command);

}  // namespace evencube::cli
