#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace evencube::cli {

enum class plot_outcome { drawn, no_python, no_matplotlib, failed };

/// Runs `script` with `python3 -I -B - DIRECTORIES`: the Python that EVENCUBE_PYTHON names, else
/// the one on the path or /usr/bin/python3, whichever has matplotlib. Nothing is taken from the
/// current folder: neither the interpreter nor its modules, nor matplotlib's settings.
[[nodiscard]] plot_outcome draw_plots(std::string_view script,
                                      std::span<const std::filesystem::path> directories);

}  // namespace evencube::cli
