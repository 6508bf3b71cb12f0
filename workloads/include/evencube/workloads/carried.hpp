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

// Workloads whose tasks carry all their data, for engines whose tasks run without access to the
// workload's memory: ranks of a cluster. Each workload defines the contents of the bytes. The same
// program reads them on the same kind of machine.

/// An argument or a result.
using task_bytes = std::vector<std::byte>;

struct carried_task {
  task_bytes argument;
  /// Quanta of work, 1 to 65536.
  std::uint32_t cost = 1;
};

/// The function of the tasks. It depends on the workload's options alone, so it is the same
/// wherever it is made, and contains neither input nor result. Several threads may call it at once.
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
  /// stage begins when all results of the previous stage were taken.
  [[nodiscard]] virtual unsigned stages() const { return 1; }

  /// Runs a task. If the caller is a task of a runtime, the call may fork further tasks on that
  /// runtime.
  [[nodiscard]] virtual outcome run(std::span<const std::byte> argument) const = 0;

  /// Adds the result of a task that another task spawned to `sum`, without access to the workload.
  /// The first call gets an empty `sum`. Throws std::logic_error if tasks of this workload spawn no
  /// tasks.
  virtual void add(task_bytes& sum, std::span<const std::byte> result) const;
};

/// A run in the process of the workload: it gives tasks and takes their results, on one thread at a
/// time. Once the last result is taken, this run counts as a run() of the workload. The workload
/// must outlive the run.
class carried_run {
 public:
  carried_run() = default;
  carried_run(const carried_run&) = delete;
  carried_run& operator=(const carried_run&) = delete;
  virtual ~carried_run() = default;

  /// Returns the next task of the stage, or nothing after the last task. The next stage begins when
  /// all results have come. Call it only as tasks are needed, because arguments take memory.
  [[nodiscard]] virtual std::optional<carried_task> next() = 0;

  /// Takes the result of a task, or a sum that is not empty, in any order. Throws
  /// std::runtime_error if the bytes are neither.
  virtual void take(std::span<const std::byte> result) = 0;

  /// Called after all stages, when all results were taken.
  virtual void end() = 0;
};

/// Makes the function of a workload's tasks, for up to `threads` threads at a time. Throws
/// std::invalid_argument as make_workload does. For a workload without such tasks, the exception
/// lists the workloads that have them.
[[nodiscard]] std::unique_ptr<carried_function> make_carried_function(
    std::string_view name, const workload_options& options, unsigned threads);

}  // namespace evencube::workloads
