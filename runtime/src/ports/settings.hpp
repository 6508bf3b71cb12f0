#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <evencube/hotness.hpp>

namespace evencube::detail {

struct workers_settings {
  std::uint32_t workers = 1;
  /// Workers more, that hold the places of those in blocking scopes (runtime/src/life/blocking.md).
  std::uint32_t spare_workers = 0;
  /// How long one looks for work before it sleeps.
  std::int64_t spin_ns = 0;
  /// Whether it learns to look longer, or always does.
  hotness hot = hotness::never;
  /// Until when workers stay awake because a `hot_phase` says so; 0 if there is none.
  const std::atomic<std::int64_t>* hot_until = nullptr;
  /// No processor is left for threads outside.
  bool fill_machine = true;
  /// Idle workers plan rounds, so that others need not be told of long queues.
  bool idle_leads = true;
  /// Workers without work take tasks from others between rounds.
  bool pulls = true;
  /// Workers begin the largest of their tasks first, where these cost differently.
  bool largest_first = true;
  /// A worker with more quanta than this asks for a round.
  std::uint64_t threshold = 256;
  std::size_t injection_capacity = 4096;
  /// Who goes to sleep in a wait looks whether it waits for itself.
  bool check_waits = false;
  /// Tasks count for the time that others of their function took, in microseconds.
  bool measures_costs = false;
  /// There is an observer, and it is told of tasks, too.
  bool observes_workers = false;
  bool observes_tasks = false;
};

}  // namespace evencube::detail
