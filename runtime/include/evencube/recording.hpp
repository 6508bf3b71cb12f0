#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <evencube/balancing.hpp>

namespace evencube {

struct recording_options {
  /// Most memory for what happens, in bytes. At least 1 MiB. Every spawn, start, end, migration and
  /// wait takes 24 of them, two of a kind for each wait and each spawn of a task of several quanta.
  std::size_t memory = std::size_t{256} << 20;
};

/// What a runtime did between `start_recording` and `stop_recording`: every task that was spawned
/// and ended in between. Times are nanoseconds since the recording began; tasks are numbered by the
/// time of their spawn, rounds by the order in which they were planned. Spare workers are numbered
/// behind the others; rounds know nothing of them.
struct recording {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// In place of a round: the task was taken out of a queue or mailbox that nobody looked after, or
  /// given by the last worker that fell asleep to one that needed it.
  static constexpr std::uint32_t rescued = none - 1;

  /// A spawned task, the right half of a fork, or the function given to `run`.
  struct task {
    std::uint32_t parent = none;   ///< the task that spawned it; none: a thread outside
    std::uint32_t spawned_by = 0;  ///< the worker that spawned it; from outside: its home
    std::uint32_t home = 0;        ///< the worker in whose queue it began
    /// What a wait for it waits for: the number of its group from one wait for that group to the
    /// next, or a number of its own for a fork.
    std::uint32_t group = 0;
    std::uint64_t spawned = 0;
    std::uint32_t worker = 0;   ///< the worker that ran it
    std::uint64_t started = 0;  ///< >= spawned
    std::uint64_t ended = 0;    ///< >= started
    /// In `names`: what its maker called it (`spawn_options::name`), or the type of its function;
    /// `loop` for iterations that a loop gave away, `continuation` and `coroutine` for what others
    /// made ready, `run` for a function given to `run`. none: nothing of it is known.
    std::uint32_t name = none;
    /// For how many quanta it counted in the loads of queues: what its maker said
    /// (`spawn_options::cost`), or what was measured (`runtime_options::measured_costs`).
    std::uint32_t cost = 1;
  };

  /// A task waited until a group had no tasks left; its worker ran others meanwhile, or slept.
  struct wait {
    std::uint32_t waiting = 0;  ///< a task
    std::uint32_t group = 0;    ///< as in `task`
    std::uint64_t began = 0;
    std::uint64_t ended = 0;
  };

  struct migration {
    std::uint32_t moved = 0;  ///< a task
    std::uint64_t time = 0;
    std::uint32_t from = 0;  ///< a worker
    std::uint32_t to = 0;    ///< another one
    /// The round that planned it; none: its receiver took it when it ran dry; or `rescued`.
    std::uint32_t round = none;
  };

  /// A part of a task (<evencube/region.hpp>). Those of one task nest.
  struct region {
    std::uint32_t within = 0;  ///< a task
    std::uint32_t name = 0;    ///< in `names`
    std::uint64_t began = 0;
    std::uint64_t ended = 0;
  };

  /// What a counter of the program was (`evencube::count`).
  struct count {
    std::uint32_t worker = 0;  ///< the one that said so
    std::uint32_t name = 0;    ///< in `names`
    std::uint64_t time = 0;
    double value = 0;  ///< finite
  };

  struct round : balancing_round {
    std::uint64_t time = 0;  ///< when it was planned
    /// The worker that led it; nothing: the balancer's thread, or a holder.
    std::optional<std::uint32_t> leader;
  };

  std::vector<task> tasks;
  std::vector<wait> waits;
  std::vector<migration> migrations;
  std::vector<round> rounds;
  std::vector<region> regions;  ///< by their ends
  std::vector<count> counts;    ///< by time
  /// Of tasks, regions and counters; each once. At most 243 bytes each: of a longer one there is
  /// the beginning, and three dots.
  std::vector<std::string> names;
  std::uint64_t duration = 0;
  /// Memory that the events took.
  std::size_t bytes = 0;
  /// The memory was used up before the recording was stopped: it ends at `duration`, and what was
  /// under way then is left out.
  bool cut = false;
};

}  // namespace evencube
