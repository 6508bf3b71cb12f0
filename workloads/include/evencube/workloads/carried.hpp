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

// Workloads whose tasks carry all their data, for engines such as ranks of a cluster, whose tasks
// have no access to the workload's memory. Each workload defines the format of the bytes; the
// reader is the same program on the same kind of machine.

/// The bytes of an argument or a result.
using task_bytes = std::vector<std::byte>;

struct carried_task {
  task_bytes argument;
  /// The cost in quanta, 1 to 65536.
  std::uint32_t cost = 1;
};

/// The function of the tasks. The function depends only on the workload's options, is the same on
/// every rank, and contains neither input nor result. Several threads may call it simultaneously.
class carried_function {
 public:
  struct outcome {
    task_bytes result;
    /// Further tasks of the same stage, which the engine that runs this task spawns.
    std::vector<carried_task> more;
  };

  carried_function() = default;
  carried_function(const carried_function&) = delete;
  carried_function& operator=(const carried_function&) = delete;
  virtual ~carried_function() = default;

  /// Returns the number of stages of a run. The tasks of a stage do not depend on each other. A
  /// stage begins when all results of the previous stage have been taken.
  [[nodiscard]] virtual unsigned stages() const { return 1; }

  /// Runs a task. A call within a task of a runtime may fork further tasks there.
  [[nodiscard]] virtual outcome run(std::span<const std::byte> argument) const = 0;

  /// Adds the result of a task that another task spawned to `sum`, without access to the workload.
  /// The first call gets an empty `sum`. Throws std::logic_error if tasks of this workload spawn no
  /// tasks.
  virtual void add(task_bytes& sum, std::span<const std::byte> result) const;
};

/// A run in the workload's process: it supplies tasks and takes their results, on one thread at a
/// time. Once the last result is taken, the object counts as a run() of the workload, which must
/// outlive it.
class carried_run {
 public:
  carried_run() = default;
  carried_run(const carried_run&) = delete;
  carried_run& operator=(const carried_run&) = delete;
  virtual ~carried_run() = default;

  /// Returns the next task of the stage, or nothing after the last task. The next stage begins when
  /// all results have been taken. Call it only as tasks are needed, because arguments take memory.
  [[nodiscard]] virtual std::optional<carried_task> next() = 0;

  /// Takes the result of a task, or a sum that is not empty. The order is free. Throws
  /// std::runtime_error for other bytes.
  virtual void take(std::span<const std::byte> result) = 0;

  /// Called after all stages, when all results have been taken.
  virtual void end() = 0;
};

/// Makes the function of a workload's tasks, for calls by up to `threads` threads simultaneously.
/// Throws std::invalid_argument as make_workload does; for a workload without tasks that carry
/// their data, the exception lists the workloads that have them.
[[nodiscard]] std::unique_ptr<carried_function> make_carried_function(
    std::string_view name, const workload_options& options, unsigned threads);

}  // namespace evencube::workloads
