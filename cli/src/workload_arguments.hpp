#pragma once

#include <sys/types.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <evencube/workloads/workload.hpp>

namespace evencube::cli {

[[nodiscard]] std::vector<std::string> names_of_workloads();

/// The workload by name, as the first argument of a command, which is required.
CLI::Option* add_workload_name(CLI::App& command, std::string& name);

/// --placement.
void add_placement_option(CLI::App& command, std::string& placement);

/// What the workloads of the registry take: --size, --tile, --input and so on, each once.
void add_workload_options(CLI::App& command, workloads::workload_options& options);

/// Rewrites the help of `command`, which has been parsed. If a workload is given, only its own
/// options are shown, with its own defaults and examples. If not, the options of workloads give way
/// to a list of the workloads and the names of their options. Commands without such options keep
/// their help.
void fit_help_to_workload(CLI::App& command);

/// What --output writes, by workload.
[[nodiscard]] std::string output_help();

/// The file that the workload is to read, if one was given.
[[nodiscard]] std::optional<std::filesystem::path> input_file(
    const workloads::workload_options& options);

/// What a workload reads: the file of --input, or its folder and the files in it.
class known_inputs {
 public:
  explicit known_inputs(const workloads::workload_options& options);

  /// Throws usage_error where the value of the option is one of them, under whatever name.
  void refuse(const char* option, const std::filesystem::path& file) const;

 private:
  std::set<std::pair<dev_t, ino_t>> files_;
};

/// Checks the value of --plot: an SVG that can be written, and no input. Throws usage_error and
/// workloads::output_error.
void check_plot_file(const std::string& file, const workloads::workload_options& options);

/// For what makes the workload more than once. Throws usage_error where --input can be read but
/// once, as a pipe.
void require_lasting_input(const workloads::workload_options& options);

/// The option that says how much work there is, to be named where memory does not suffice.
[[nodiscard]] std::string input_of(const std::string& workload,
                                   const workloads::workload_options& options);

}  // namespace evencube::cli
