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

// Workloads whose tasks carry all that they work on, for engines whose tasks run where the
// workload's memory is not: ranks of a cluster. What stands in the bytes is the workload's own
// affair; they are read by the same program on the same kind of machine.

/// An argument or a result.
using task_bytes = std::vector<std::byte>;

struct carried_task {
  task_bytes argument;
  /// Quanta of work, 1 to 65536.
  std::uint32_t cost = 1;
};

/// What the tasks do. It is made of the workload's options alone, and so the same wherever that is
/// done; neither input nor result is in it. Several threads may call it at once.
class carried_function {
 public:
  struct outcome {
    task_bytes result;
    /// Tasks that follow from this one, of the same stage; whoever runs this one spawns them.
    std::vector<carried_task> more;
  };

  carried_function() = default;
  carried_function(const carried_function&) = delete;
  carried_function& operator=(const carried_function&) = delete;
  virtual ~carried_function() = default;

  /// How many stages a run has. The tasks of one do not depend on each other; it begins when all
  /// results of the one before were taken.
  [[nodiscard]] virtual unsigned stages() const { return 1; }

  /// Runs a task. As one of a runtime's it may use that for tasks of its own.
  [[nodiscard]] virtual outcome run(std::span<const std::byte> argument) const = 0;

  /// Adds up results of tasks that other tasks spawned, away from the workload. A sum begins empty.
  /// Throws std::logic_error where tasks spawn none.
  virtual void add(task_bytes& sum, std::span<const std::byte> result) const;
};

/// A run where the workload is: it gives tasks and takes their results, on one thread at a time.
/// When the last result is taken it counts as a run() of the workload, which outlives it.
class carried_run {
 public:
  carried_run() = default;
  carried_run(const carried_run&) = delete;
  carried_run& operator=(const carried_run&) = delete;
  virtual ~carried_run() = default;

  /// The next task of the stage; none: that was the last one, and when its results have come the
  /// next stage begins. To be called so often, and no more: arguments take memory.
  [[nodiscard]] virtual std::optional<carried_task> next() = 0;

  /// The result of a task, or a sum that is not empty. In any order. Throws std::runtime_error for
  /// other bytes.
  virtual void take(std::span<const std::byte> result) = 0;

  /// After all stages, when all was taken.
  virtual void end() = 0;
};

/// Makes what the tasks of a workload do, for up to `threads` threads at a time. Throws
/// std::invalid_argument as make_workload does, and, listing those that have, for a workload that
/// has no such tasks.
[[nodiscard]] std::unique_ptr<carried_function> make_carried_function(
    std::string_view name, const workload_options& options, unsigned threads);

}  // namespace evencube::workloads
