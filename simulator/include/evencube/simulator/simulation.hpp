#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <evencube/detail/compiler.hpp>
#include <evencube/simulator/ledger.hpp>
#include <evencube/simulator/model.hpp>

namespace evencube::simulator {

/// The result of one simulation. Times are in the unit of the model.
struct result {
  double makespan = 0;  ///< time at which the last task completed
  double end = 0;       ///< time at which the simulation stopped
  std::uint64_t completed = 0;
  std::uint64_t arrived = 0;  ///< tasks that arrived, including initial and spawned tasks
  std::uint64_t events = 0;
  double work = 0;  ///< service demand completed, as time on a node of speed 1
  /// work / makespan; the time spent on unfinished tasks does not count.
  double speedup = 0;
  double efficiency = 0;  ///< speedup / sum of speeds
  double busy = 0;        ///< mean over nodes of the time spent on completed steps of tasks
  double overhead = 0;    ///< mean over nodes of the processor time taken by balancing
  double idle = 0;        ///< end - busy - overhead - time spent on tasks in service at the end

  // Statistics after the warm-up:
  double mean_in_system = 0;    ///< waiting and running tasks on all nodes, averaged over time
  double mean_waiting = 0;      ///< waiting tasks only, averaged over time
  double mean_response = 0;     ///< mean time from arrival to completion (independent tasks)
  double utilisation = 0;       ///< time average of the share of nodes with a task in service
  load_type longest_queue = 0;  ///< maximum number of tasks at one node at any time

  std::uint64_t rounds = 0;  ///< rounds or activations in which a plan was made
  std::uint64_t messages = 0;
  std::uint64_t tasks_moved = 0;   ///< task moves, one per task and link
  std::uint64_t shortfall = 0;     ///< planned quanta that were not sent (gone or in service)
  double t_comm = 0;               ///< transmission steps, in units of one quantum over one link
  double stabilised = 0;           ///< time at which the last transfer arrived
  double difference_before = 0;    ///< mean over rounds of maximum - minimum load when planned
  double difference_after = 0;     ///< mean difference when a round's last transfer had arrived
  double planned_difference = 0;   ///< mean difference that the plans predicted
  double mean_difference = 0;      ///< mean difference over samples
  load_type worst_difference = 0;  ///< greatest difference over samples and ends of rounds

  std::size_t memory_bytes = 0;  ///< memory of nodes, tasks and events at the end
  std::uint64_t hash = 0;        ///< hash of all events in order; equal runs have equal hashes
  bool partial = false;          ///< stopped by the caller before its end
};

/// Watches a running simulation.
struct observer {
  /// Called every `stride` events with the time reached and the number of events. If it returns
  /// false, the run stops and its result is marked partial. May be empty.
  std::function<bool(double time, std::uint64_t events)> progress;
  std::uint64_t stride = std::uint64_t{1} << 16;
  /// The ledger that the run fills, only for models with a program. Not owned; null means no
  /// ledger.
  ledger* kept = nullptr;
};

/// Runs the model and returns its result, which is a pure function of (model, seed), bit for bit.
/// Throws std::invalid_argument, whose message names the value, if a member of the model is out of
/// range. The run throws std::invalid_argument, whose message names the place, if a drawn duration
/// or a time is out of range, more tasks wait than the model allows, or time does not advance.
[[nodiscard]] EVENCUBE_EXPORT result simulate(const model& what, std::uint64_t seed,
                                              const observer& watch = {});

/// Like `simulate`, but with a plain heap as event queue, to measure and test the bucket queue.
/// Only the result's memory_bytes differs.
[[nodiscard]] EVENCUBE_EXPORT result simulate_with_heap(const model& what, std::uint64_t seed,
                                                        const observer& watch = {});

/// A function that runs body(0) .. body(count - 1) in any order, on any number of threads.
using parallel_executor =
    std::function<void(std::size_t count, const std::function<void(std::size_t)>& body)>;

/// Runs independent replications: replication i runs with random_source(seed).replication_seed(i).
/// The results are in the order of i, whatever the executor does. An empty executor runs the
/// replications one by one. Replications that were not finished when `watch` stopped them are
/// marked partial.
[[nodiscard]] EVENCUBE_EXPORT std::vector<result> replicate(const model& what, std::uint64_t seed,
                                                            std::size_t replications,
                                                            const parallel_executor& executor = {},
                                                            const observer& watch = {});

/// Returns one hash of all results' hashes and metrics, in order.
[[nodiscard]] EVENCUBE_EXPORT std::uint64_t hash_of(const std::vector<result>& results);

}  // namespace evencube::simulator
