#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <evencube/simulator/what_if.hpp>
#include <evencube/trace/trace.hpp>

namespace evencube::pages {

/// A trace with a replay of its recorded configuration, checked before any part is shown or used.
struct checked_trace {
  traces::trace source;
  simulator::task_graph program;
  simulator::what_if configuration;  ///< the recorded configuration
  simulator::result outcome;         ///< the result of the replay
  simulator::round_check rounds;

  /// Returns |replayed - measured| / measured for the makespans of the recorded configuration.
  [[nodiscard]] double forecast_error() const;
};

/// Replays a trace and plans its rounds again. Throws std::invalid_argument if the trace has no
/// work or is inconsistent, or its program never ends.
[[nodiscard]] checked_trace check_trace(traces::trace source);

/// The reason why a run was not shorter.
enum class run_bound {
  work,           ///< all workers computed nearly all of the time
  critical_path,  ///< a chain of computations that must run in order took nearly all of the time
  balance,        ///< workers had nothing to do while tasks waited elsewhere
  parallelism     ///< workers had nothing to do, and no tasks waited
};

/// Returns the word that outputs use for `bound`.
[[nodiscard]] std::string_view name_of(run_bound bound) noexcept;
/// Returns a sentence that explains `bound`.
[[nodiscard]] std::string_view sentence_of(run_bound bound) noexcept;

/// The figures that `evencube trace` prints for a run. Times are in nanoseconds; sums over workers
/// are in nanoseconds x workers.
struct trace_figures {
  struct worker {
    std::uint64_t tasks = 0;
    double busy = 0;  ///< computing, not waiting
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
  };

  /// The computing times of tasks: from start to end, excluding waits.
  struct durations {
    double least = 0;
    double median = 0;
    double p90 = 0;
    double p99 = 0;
    double most = 0;
    double mean = 0;
    /// Element i is the number of tasks that took [2^i, 2^(i + 1)) ns; element 0 includes tasks
    /// below 1 ns.
    std::vector<std::uint64_t> by_power_of_two;
  };

  /// All tasks with the same name.
  struct type {
    std::uint32_t name = 0;  ///< index in the trace; `no_name`: unnamed tasks
    double computed = 0;     ///< the total computing time of its tasks
    durations tasks;
    std::uint64_t count = 0;
  };

  /// All regions with the same name.
  struct region {
    std::uint32_t name = 0;
    std::uint64_t count = 0;
    double lasted = 0;  ///< the total time from begin to end, including waits
    double longest = 0;
  };

  /// The values of one of the program's counters.
  struct counter {
    std::uint32_t name = 0;
    std::uint64_t count = 0;  ///< the number of values
    double least = 0;
    double most = 0;
    double last = 0;
  };

  std::vector<worker> workers;
  durations tasks;
  std::vector<type> types;        ///< the longest total computing time first
  std::vector<region> regions;    ///< the longest total time first
  std::vector<counter> counters;  ///< in the order of their name indices
  double busy = 0;
  /// The total time in which workers had nothing to compute while tasks waited in queues. Each
  /// waiting task counts for at most one worker.
  double idle_with_work = 0;
  /// The rest of the time in which workers had nothing to compute.
  double idle_without_work = 0;
  double critical_path = 0;
  std::vector<traces::task_id> critical_tasks = {};  ///< the tasks on the critical path
  double waited = 0;  ///< the total time of all waits, whatever the worker ran meanwhile
  std::uint64_t moved_by_rounds = 0;
  std::uint64_t moved_by_pulls = 0;
  std::uint64_t moved_by_rescues = 0;
  std::uint64_t moved_tasks = 0;  ///< tasks that moved at least once
  /// The number of tasks sent, for each pair (from, to) of workers.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> sent;
  /// The mean, over rounds that saw any load, of the largest load divided by the mean load; 0 if
  /// there were none.
  double imbalance_before = 0;
  double imbalance_after = 0;
  run_bound bound = run_bound::work;
};

/// Returns the figures of a run. O(n log n) for n entries of the trace.
[[nodiscard]] trace_figures figures_of(const checked_trace& given);

}  // namespace evencube::pages
