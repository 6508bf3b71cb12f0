#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include <evencube/workloads/output_file.hpp>
#include <evencube/workloads/workload.hpp>

#include "other_engines.hpp"
#include "runtime_arguments.hpp"

namespace evencube::cli {

/// What the user says about a run.
struct run_arguments {
  std::string workload;
  bool over_ranks = false;
  std::string sharing = "lifelines";
  runtime_arguments engine;
  std::string placement = "spread";
  workloads::workload_options options;
  std::string engines = own_engine;
  std::optional<std::string> output;
  std::optional<std::string> trace;
  bool live = false;
  std::optional<std::int64_t> live_ms;
  unsigned repeat = 1;
  bool verify = true;
  bool forecast = false;
  /// The tasks of each worker for one held round in place of a workload; empty: none.
  std::string held_loads;
  std::string held_costs = "1";
  bool as_json = false;
};

/// Adds `run` with all its options, which write into `arguments`, and its help. `arguments`
/// outlives the application.
CLI::App* add_run_arguments(CLI::App& app, run_arguments& arguments);

/// The trace would replace the picture that was written just before, or the one that was read.
/// Throws usage_error.
void require_own_file(const run_arguments& arguments);

/// Makes the folder of the results where it is one, and looks whether they can be written. Throws
/// usage_error and workloads::output_error.
[[nodiscard]] std::optional<workloads::results_folder> require_output(
    const run_arguments& arguments);

/// After all the others were worked on, written and reported: throws usage_error where files were
/// left out.
void tell_left_out(const run_arguments& arguments, const workloads::workload& work);

}  // namespace evencube::cli
