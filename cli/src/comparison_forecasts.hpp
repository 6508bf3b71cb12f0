#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <evencube/evencube.hpp>
#include <evencube/simulator/distribution.hpp>
#include <evencube/simulator/what_if.hpp>
#include <evencube/trace/trace.hpp>
#include <evencube/workloads/placement.hpp>
#include <evencube/workloads/workload.hpp>

namespace evencube::cli {

/// Which workers run on cores of half the speed.
enum class slow_cores { none, second_half, last };

/// A machine that forecasts are made for.
struct forecast_machine {
  std::string_view name;
  std::string_view summary;
  slow_cores slow;
  bool speeds_known;  ///< or something slows a core down that says nothing of it
  unsigned numa_nodes;

  /// Relative speeds of so many workers; empty: all alike.
  [[nodiscard]] std::vector<double> speeds(unsigned workers) const;
  /// Whether it is the one that programs run on here.
  [[nodiscard]] bool is_usual() const { return name == "equal"; }
};

/// equal, hybrid, numa2, numa8, slowed.
[[nodiscard]] std::span<const forecast_machine> forecast_machines();

/// Throws std::invalid_argument that lists the known names.
[[nodiscard]] const forecast_machine& machine_named(std::string_view name);

/// What a task takes over one hop from one NUMA node to another, in seconds: its frame and some
/// kilobytes of its data, ten to twenty lines of a cache at 60 to 100 ns each.
inline constexpr double time_per_numa_hop = 1e-6;

/// A run that was recorded, as a program to replay.
struct recorded_program {
  std::string name;    ///< of the workload
  std::string source;  ///< the file that it comes from; empty: recorded just now
  traces::trace recorded;
  simulator::task_graph program;
};

/// Throws usage_error, beginning with the file's name, for a file that is no trace or holds no
/// program that ends.
[[nodiscard]] recorded_program read_program(const std::string& file);

/// Records the workload under these options `repeat` times; the run of median time.
[[nodiscard]] recorded_program record_program(workloads::workload& work,
                                              const runtime_options& options, unsigned repeat);

/// The replay of one cell. Who plans is as `options` say, and who runs dry where they leave it
/// open.
struct replay_request {
  const recorded_program& of;
  const forecast_machine& on;
  workloads::placement where;
  unsigned workers;
};

/// The program where its tasks begin as the request says.
[[nodiscard]] simulator::task_graph placed_program(const replay_request& asked);

/// What a task takes another time, of what it took: up to a tenth less or more. In two recordings
/// of a workload on two days half of the tasks differed by more than 2 % (mandelbrot), 4 % (nbody),
/// 10 % (edges), 11 % (matmul) and 18 % (sort).
[[nodiscard]] simulator::distribution time_from_run_to_run();

/// `seed`: of strategies that draw.
[[nodiscard]] simulator::result replay_on(const replay_request& asked,
                                          const simulator::task_graph& placed,
                                          const runtime_options& options, std::uint64_t seed = 1,
                                          simulator::ledger* kept = nullptr);

}  // namespace evencube::cli
