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
  bool speeds_known;  ///< false: an unknown load slows a core down
  unsigned numa_nodes;

  /// Relative speeds of `workers` workers; empty: all have the same speed.
  [[nodiscard]] std::vector<double> speeds(unsigned workers) const;
  /// Whether this is the machine on which programs run here.
  [[nodiscard]] bool is_usual() const { return name == "equal"; }
};

/// The known machines: equal, hybrid, numa2, numa8, slowed.
[[nodiscard]] std::span<const forecast_machine> forecast_machines();

/// The machine of that name. Throws std::invalid_argument that lists the known names.
[[nodiscard]] const forecast_machine& machine_named(std::string_view name);

/// Seconds for moving a task over one hop between NUMA nodes: its frame and some kilobytes of its
/// data, ten to twenty cache lines at 60 to 100 ns each.
inline constexpr double time_per_numa_hop = 1e-6;

/// A recorded run, as a program to replay.
struct recorded_program {
  std::string name;    ///< name of the workload
  std::string source;  ///< the file that holds the recording; empty: recorded just now
  traces::trace recorded;
  simulator::task_graph program;
};

/// Reads a recording from a file. Throws usage_error, beginning with the file's name, if the file
/// is no trace or holds no program that ends.
[[nodiscard]] recorded_program read_program(const std::string& file);

/// Records the workload under these options `repeat` times. Returns the run of median time.
[[nodiscard]] recorded_program record_program(workloads::workload& work,
                                              const runtime_options& options, unsigned repeat);

/// The request to replay one cell. `options` choose the planner; if they leave it open, the workers
/// that run dry plan.
struct replay_request {
  const recorded_program& of;
  const forecast_machine& on;
  workloads::placement where;
  unsigned workers;
};

/// The program with its tasks beginning where the request says.
[[nodiscard]] simulator::task_graph placed_program(const replay_request& asked);

/// The distribution of a task's time in another run, relative to its recorded time: up to a tenth
/// less or more. In two recordings of a workload on two days, half of the tasks differed by more
/// than 2 % (mandelbrot), 4 % (nbody), 10 % (edges), 11 % (matmul) and 18 % (sort).
[[nodiscard]] simulator::distribution time_from_run_to_run();

/// Replays the program. `seed` is for strategies that draw random numbers.
[[nodiscard]] simulator::result replay_on(const replay_request& asked,
                                          const simulator::task_graph& placed,
                                          const runtime_options& options, std::uint64_t seed = 1,
                                          simulator::ledger* kept = nullptr);

}  // namespace evencube::cli
