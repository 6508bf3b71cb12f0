#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <evencube/cluster.hpp>

#include "job_pool.hpp"

namespace evencube::detail {

/// Updates a mean in which the latest values count most; 0 means that there was none yet.
inline void take_into(double& mean, double value) {
  mean = mean == 0 ? value : mean + (value - mean) / 8;
}

/// How long the tasks of a rank took lately, how many bytes their results had, and how many tasks
/// they spawned. From these the rank guesses what is worth its way. Pure, as `termination` is.
class task_measures {
 public:
  /// The largest cost of a task, in quanta.
  static constexpr std::uint32_t most_cost = 65536;

  void add_type() { of_.emplace_back(); }

  /// A task ran here for that long.
  void ran(const job& one, double seconds) {
    measured& known = of_[one.task];
    take_into(known.task_seconds, seconds);
    if (!one.measured) take_into(known.quantum_seconds, seconds / one.cost);
    take_into(quantum_seconds_, seconds / one.cost);
    executed_lately_ += one.cost - executed_lately_ / recent_tasks;
    spawned_lately_ -= spawned_lately_ / recent_tasks;
  }
  /// A result of this type came home from another rank, or goes there.
  void travelled(std::uint32_t task, std::size_t bytes) {
    take_into(of_[task].result_bytes, static_cast<double>(bytes));
  }
  void spawned_by_task(std::uint32_t cost) { spawned_lately_ += cost; }
  void spawned_by_program() { program_spawns_ = true; }
  /// True if the program has spawned since the last call.
  [[nodiscard]] bool take_program_spawns() { return std::exchange(program_spawns_, false); }

  /// The mean time of a quantum of any task; 0 if none has run.
  [[nodiscard]] double quantum_seconds() const noexcept { return quantum_seconds_; }
  /// The time that waiting tasks of as many quanta would take one worker, including the tasks that
  /// they will spawn, if they behave as other tasks did lately.
  [[nodiscard]] double seconds_of(load_type quanta) const {
    const double spawned_by_each = spawned_lately_ / std::max(executed_lately_, 1.0);
    return static_cast<double>(quanta) * quantum_seconds_ /
           (1 - std::min(spawned_by_each, most_spawned));
  }
  /// The cost of a task that is spawned without one, where a quantum takes that long.
  [[nodiscard]] std::uint32_t cost_of(std::uint32_t task, double quantum_seconds) const {
    if (quantum_seconds == 0) return 1;
    const double quanta = of_[task].task_seconds / quantum_seconds;
    return static_cast<std::uint32_t>(std::clamp(std::round(quanta), 1.0, double{most_cost}));
  }
  /// True if the task runs for longer than it travels from rank `here` to rank `to`, in a message
  /// of `batch` tasks. If a result would have to come back, one more message travels; if the home
  /// of the task is there, one less.
  [[nodiscard]] bool worth_its_way(const job& one, unsigned here, unsigned to, std::size_t batch,
                                   const cluster_options& options) const {
    const measured& known = of_[one.task];
    const double runs = one.measured ? known.task_seconds : known.quantum_seconds * one.cost;
    double bytes = static_cast<double>(one.argument.size());
    if (one.home == here) bytes += known.result_bytes;
    if (one.home == to) bytes -= known.result_bytes;
    const double travels =
        options.message_seconds / static_cast<double>(batch) + bytes / options.bytes_per_second;
    return runs == 0 || travels <= runs;
  }

 private:
  /// The number of latest tasks that count when tasks are compared with those that they spawn.
  static constexpr double recent_tasks = 256;
  /// The upper limit, because tasks that each spawn one more would never end.
  static constexpr double most_spawned = 0.99;

  /// The mean times of tasks of a type; 0 if there are none yet.
  struct measured {
    double quantum_seconds = 0;  // of tasks that came with a cost
    double task_seconds = 0;
    double result_bytes = 0;  // of results that came home from other ranks, or went there
  };

  std::vector<measured> of_;
  double quantum_seconds_ = 0;
  double executed_lately_ = 0;  // in quanta
  double spawned_lately_ = 0;   // by these
  bool program_spawns_ = false;
};

}  // namespace evencube::detail
