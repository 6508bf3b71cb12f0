#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <evencube/hotness.hpp>

namespace evencube::detail {

struct workers_settings {
  std::uint32_t workers = 1;
  /// The number of additional workers that hold the places of workers in blocking scopes
  /// (runtime/src/life/blocking.md).
  std::uint32_t spare_workers = 0;
  /// How long a worker stays awake before it parks.
  std::int64_t spin_ns = 0;
  /// Whether a worker stays awake longer: never, as it learns, or always.
  hotness hot = hotness::never;
  /// The time until which workers stay awake because of a `hot_phase`; its value is 0 if there is
  /// none.
  const std::atomic<std::int64_t>* hot_until = nullptr;
  /// True if no processing unit is left for threads outside.
  bool fill_machine = true;
  /// True if idle workers lead rounds, so the balancer thread need not be notified of long queues.
  bool idle_leads = true;
  /// True if workers without work pull tasks between rounds.
  bool pulls = true;
  /// True if workers begin the largest of their tasks first where tasks have different costs.
  bool largest_first = true;
  /// A worker with more quanta than this asks for a round.
  std::uint64_t threshold = 256;
  std::size_t injection_capacity = 4096;
  /// True if a worker that goes to sleep in a wait checks whether it waits for itself.
  bool check_waits = false;
  /// True if a task counts for as many quanta as tasks of its function took microseconds.
  bool measures_costs = false;
  /// True if there is an observer; `observes_tasks` if it also observes tasks.
  bool observes_workers = false;
  bool observes_tasks = false;
};

}  // namespace evencube::detail
