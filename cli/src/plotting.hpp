#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace evencube::cli {

enum class plot_outcome { drawn, no_python, no_matplotlib, failed };

/// Runs `script` with `python3 - DIRECTORIES`, trying the Python named by EVENCUBE_PYTHON, the one
/// on the path and /usr/bin/python3 until one has matplotlib.
[[nodiscard]] plot_outcome draw_plots(std::string_view script,
                                      std::span<const std::filesystem::path> directories);

}  // namespace evencube::cli
