#include "workload_arguments.hpp"

#include <fmt/core.h>

#include "number_options.hpp"

namespace evencube::cli {

void add_workload_name(CLI::App& command, std::string& name) {
  std::string known;
  for (const auto& entry : workloads::registered_workloads()) {
    known += fmt::format("{}{} ({})", known.empty() ? "" : "; ", entry.name, entry.summary);
  }
  command.add_option("WORKLOAD", name, known)->required();
}

void add_placement_option(CLI::App& command, std::string& placement) {
  command
      .add_option("--placement", placement,
                  "Where tasks begin: spread (task i on worker i mod P), one (all on worker 0) or "
                  "skewed (half on worker 0, a quarter on 1, ...)")
      ->capture_default_str();
}

void add_workload_options(CLI::App& command, workloads::workload_options& options) {
  add_whole_number(
      command, "--size", options.size, {},
      "edges: side of the made-up picture (default 2048); matmul: order of the matrices "
      "(1024); spin: number of tasks (4096)");
  add_whole_number(command, "--tile", options.tile, {},
                   "edges, matmul: side of the tile that is one task (default 128)");
  command.add_option("--input", options.input,
                     "edges: a PNG, PGM or PPM instead of the made-up picture");
  add_whole_number(command, "--max-pixels", options.max_pixels, {},
                   "edges: pixels that a small file may unfold to (default 67108864)");
  add_whole_number(command, "--threshold", options.threshold, {},
                   "edges: least magnitude of an edge pixel, 1 to 255 (default 128)");
  add_whole_number(command, "--lines", options.lines, {},
                   "edges: lines to find and draw (default 16)");
  command.add_option("--kernel", options.kernel,
                     "matmul: auto, portable or blas (where it was found)");
  add_real_number(command, "--task-us", options.task_us, reals::any,
                  "spin: microseconds per task (default 10)");
  add_whole_number(command, "--seed", options.seed, {},
                   "edges, matmul: of the made-up input (default 1)");
}

std::string input_of(const std::string& workload, const workloads::workload_options& options) {
  if (options.input) return options.input->string();
  return options.size ? fmt::format("--size {}", *options.size) : "run " + workload;
}

}  // namespace evencube::cli
