#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <evencube/balancing.hpp>

namespace evencube {

/// The options of a recording.
struct recording_options {
  /// The maximum memory for the events, in bytes; at least 1 MiB. Each spawn, start, end, migration
  /// and counter value takes 24 bytes. A wait, a region, or the spawn of a task that costs several
  /// quanta takes twice as much.
  std::size_t memory = std::size_t{256} << 20;
};

/// The events of a runtime between `start_recording` and `stop_recording`. A recording contains
/// every task that was both spawned and ended in that time. Times are nanoseconds since the
/// recording began. Tasks are numbered by spawn time, and rounds in the order in which they were
/// planned. The numbers of spare workers follow those of the other workers; spare workers are not
/// part of rounds.
struct recording {
  /// The index that stands for no task, no round or no name.
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// The value of `migration::round` for a rescue. In a rescue, a task is taken from the queue or
  /// mailbox of a worker that sleeps or is absent, or the last worker to fall asleep gives a task
  /// to a worker that needs it.
  static constexpr std::uint32_t rescued = none - 1;

  /// A spawned task, the right half of a fork, or the function passed to `run`.
  struct task {
    std::uint32_t parent = none;   ///< the spawning task; `none` if spawned outside
    std::uint32_t spawned_by = 0;  ///< the spawning worker; equals `home` if spawned outside
    std::uint32_t home = 0;        ///< the worker whose queue first held the task
    /// The number of the group, or fork, that the task belongs to. A group gets a new number after
    /// each wait for it.
    std::uint32_t group = 0;
    /// The time of the spawn.
    std::uint64_t spawned = 0;
    std::uint32_t worker = 0;   ///< the worker that ran the task
    std::uint64_t started = 0;  ///< >= spawned
    std::uint64_t ended = 0;    ///< >= started
    /// The index of the task's name in `names`: its `spawn_options::name`, or else the type of its
    /// function. The name is `loop` for iterations that a loop gave away, `run` for a function
    /// passed to `run`, and `continuation` or `coroutine` for a task of this kind that became
    /// ready. The index is `none` if no name is known.
    std::uint32_t name = none;
    /// The number of quanta that the task added to a queue's load: the program's
    /// `spawn_options::cost`, or the measured cost (`runtime_options::measured_costs`).
    std::uint32_t cost = 1;
  };

  /// A task's wait for a group to have no tasks left. Meanwhile the task's worker ran other tasks
  /// or slept.
  struct wait {
    std::uint32_t waiting = 0;  ///< the task that waited
    std::uint32_t group = 0;    ///< the group's number, as in `task::group`
    std::uint64_t began = 0;
    std::uint64_t ended = 0;
  };

  /// A move of a task from one worker to another.
  struct migration {
    std::uint32_t moved = 0;  ///< the task
    std::uint64_t time = 0;
    std::uint32_t from = 0;  ///< the worker that had the task
    std::uint32_t to = 0;    ///< the worker that received the task
    /// The round that planned the move, `rescued` for a rescue, or `none` if the receiver pulled
    /// the task because it had run out of work.
    std::uint32_t round = none;
  };

  /// A named part of a task (<evencube/region.hpp>). A task's regions are nested.
  struct region {
    std::uint32_t within = 0;  ///< the task
    std::uint32_t name = 0;    ///< index in `names`
    std::uint64_t began = 0;
    std::uint64_t ended = 0;
  };

  /// A value that the program reported for a counter (`evencube::trace_counter`).
  struct count {
    std::uint32_t worker = 0;  ///< the worker that reported the value
    std::uint32_t name = 0;    ///< index in `names`
    std::uint64_t time = 0;
    double value = 0;  ///< always finite
  };

  /// A round of balancing, with the time at which it was planned and the worker that led it.
  struct round : balancing_round {
    std::uint64_t time = 0;  ///< when the round was planned
    /// The worker that led the round; empty if the balancer's thread or a thread that held the
    /// runtime led it.
    std::optional<std::uint32_t> leader;
  };

  std::vector<task> tasks;
  std::vector<wait> waits;
  std::vector<migration> migrations;
  std::vector<round> rounds;
  std::vector<region> regions;  ///< sorted by end time
  std::vector<count> counts;    ///< sorted by time
  /// The names of tasks, regions and counters, without duplicates. A name longer than 240 bytes is
  /// truncated and ends with three dots.
  std::vector<std::string> names;
  /// The length of the recording in nanoseconds.
  std::uint64_t duration = 0;
  /// The memory that the events took up, in bytes.
  std::size_t bytes = 0;
  /// True if the memory was used up before the recording was stopped. The recording then ends at
  /// `duration`, and tasks that were running at that time are left out.
  bool cut = false;
};

}  // namespace evencube
