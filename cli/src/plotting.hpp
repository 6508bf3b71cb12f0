#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace evencube::cli {

/// Runs `script` with `python3 -I -B -c SCRIPT DIRECTORIES`: the Python that EVENCUBE_PYTHON names,
/// else the one on the path or /usr/bin/python3, whichever has matplotlib. Nothing is taken from
/// the current folder: neither the interpreter nor its modules, nor matplotlib's settings. Returns
/// how it went: "drawn", or "not drawn: " and why.
[[nodiscard]] std::string draw_plots(std::string_view script,
                                     std::span<const std::filesystem::path> directories);

}  // namespace evencube::cli
