#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <evencube/workloads/workload.hpp>

namespace evencube::workloads {

// Workloads whose tasks carry all their data, for engines whose tasks cannot access the workload's
// memory, such as the ranks of a cluster. Each workload defines its own byte format; the reader is
// the same program on the same kind of machine.

/// The bytes of an argument or a result.
using task_bytes = std::vector<std::byte>;

struct carried_task {
  task_bytes argument;
  /// The cost in quanta, 1 to 65536.
  std::uint32_t cost = 1;
};

/// The function that the tasks call. It depends only on the workload's options, is the same on
/// every rank, and contains neither input nor results. Several threads may call it simultaneously.
class carried_function {
 public:
  struct outcome {
    task_bytes result;
    /// Further tasks of the same stage; the engine that runs this task spawns them.
    std::vector<carried_task> more;
  };

  carried_function() = default;
  carried_function(const carried_function&) = delete;
  carried_function& operator=(const carried_function&) = delete;
  virtual ~carried_function() = default;

  /// Returns the number of stages of a run. The tasks of a stage are independent of each other. A
  /// stage begins when all results of the previous stage have been taken.
  [[nodiscard]] virtual unsigned stages() const { return 1; }

  /// Runs a task. If called within a runtime's task, it may fork further tasks there.
  [[nodiscard]] virtual outcome run(std::span<const std::byte> argument) const = 0;

  /// Adds `result`, which comes from a task spawned by another task, to `sum`, without access to
  /// the workload. The first call gets an empty `sum`. Throws std::logic_error if this workload's
  /// tasks never spawn tasks.
  virtual void add(task_bytes& sum, std::span<const std::byte> result) const;
};

/// A run in the workload's process: it supplies tasks and accepts their results, on one thread at a
/// time. Once the last result has been taken, it counts as a run() of the workload. The workload
/// must outlive this object.
class carried_run {
 public:
  carried_run() = default;
  carried_run(const carried_run&) = delete;
  carried_run& operator=(const carried_run&) = delete;
  virtual ~carried_run() = default;

  /// Returns the next task of the stage, or nothing after the last task. The next stage begins when
  /// all results have been taken. Call this only when a task is needed, because arguments use
  /// memory.
  [[nodiscard]] virtual std::optional<carried_task> next() = 0;

  /// Adds the result of one task, or a sum that is not empty. The order of the calls does not
  /// matter. Throws std::runtime_error for any other bytes.
  virtual void take(std::span<const std::byte> result) = 0;

  /// Called after all stages, when all results have been taken.
  virtual void end() = 0;
};

/// Makes the function that a workload's tasks call; up to `threads` threads may call it
/// simultaneously. Throws std::invalid_argument as make_workload does; if the workload has no tasks
/// that carry their data, the message lists the workloads that do.
[[nodiscard]] std::unique_ptr<carried_function> make_carried_function(
    std::string_view name, const workload_options& options, unsigned threads);

}  // namespace evencube::workloads
