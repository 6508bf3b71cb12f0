#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "group_table.hpp"
#include "held_results.hpp"
#include "job_pool.hpp"
#include "send_window.hpp"

namespace evencube::detail {

/// A task that its spawn sends to a rank.
struct outgoing_task {
  std::uint32_t to;
  job what;
};

/// What workers and threads of the program leave for the thread that has the turn, which sends it:
/// tasks that spawns send away, results, and failures. Not thread-safe.
struct out_tray {
  explicit out_tray(std::uint64_t window_bytes) : window(window_bytes) {}

  std::vector<outgoing_task> tasks;
  send_window window;            // of these, from their spawn on
  std::condition_variable room;  // in the window
  held_results results;
  bool results_due = false;
  std::vector<std::pair<std::uint32_t, task_failure>> failures;  // with their groups
  std::uint64_t next_number = 0;  // of the tasks that leave this rank
};

}  // namespace evencube::detail
