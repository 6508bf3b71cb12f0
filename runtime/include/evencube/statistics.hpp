#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace evencube {

/// The counters of one worker since the last reset.
struct worker_statistics {
  /// The number of tasks that the worker took from a queue and ran. If no other worker took the
  /// right half of a `fork_join`, this half is a plain function call and is not counted.
  std::uint64_t executed = 0;
  /// The number of tasks that moved to this worker from another worker's queue.
  std::uint64_t received = 0;
  /// The number of times the worker went to sleep.
  std::uint64_t parks = 0;
  /// The time in seconds in which the worker neither looked for work, nor slept, nor blocked in a
  /// `blocking` scope. Work that a spare worker does during such a scope counts for the spare
  /// worker.
  double busy_seconds = 0;
  /// The time in seconds in which the worker stayed awake without work
  /// (`runtime_options::hotness`).
  double awake_seconds = 0;
  /// The number of times work arrived while the worker was still awake, so that no thread had to
  /// wake it.
  std::uint64_t wakeups_avoided = 0;
};

/// The numbers of requests for balancing rounds, by outcome. A worker that runs out of work
/// requests a round.
struct request_statistics {
  /// Requests after which the worker led a round that moved tasks.
  std::uint64_t moved = 0;
  /// Requests without effect, because the loads were even or the balancer moved nothing.
  std::uint64_t nothing = 0;
  /// Requests passed to the balancer's thread.
  std::uint64_t left_to_thread = 0;
  /// Requests refused because the last round had only just ended.
  std::uint64_t too_soon = 0;
  /// Requests refused because another thread was leading a round, or the runtime was held.
  std::uint64_t under_way = 0;
  /// Requests not made because the worker had been woken for tasks and pulled some of them.
  std::uint64_t not_asked = 0;
};

/// The measured cost of tasks that run a certain function (`runtime_options::measured_costs`).
struct task_cost {
  /// The type of the function; "continuation" for functions passed to `future::then`.
  std::string name;
  /// The number of tasks that were measured since the process began.
  std::uint64_t samples = 0;
  /// The mean time in seconds that a task takes, divided by `spawn_options::cost` if given. This is
  /// a moving mean, in which the last eight samples have two thirds of the weight.
  double mean_seconds = 0;
  /// The mean absolute deviation of the samples from `mean_seconds`, in seconds; a moving mean with
  /// the same weights.
  double deviation_seconds = 0;
};

/// A snapshot of a runtime's counters. While tasks are running, it is slightly out of date.
struct statistics {
  /// The counters of each worker.
  std::vector<worker_statistics> workers;
  /// The counters of each spare worker.
  std::vector<worker_statistics> spare_workers;
  /// The number of task moves over each dimension of the cube; the sum of the three following
  /// members. A task that travels two hops counts twice. A move to a worker that is not a neighbour
  /// (`direct` transmission, rescues) counts in the highest dimension that it crosses. A move to or
  /// from a spare worker crosses no dimension.
  std::vector<std::uint64_t> moved_by_dimension;
  /// The number of task moves by planned rounds, for each dimension.
  std::vector<std::uint64_t> moved_by_rounds;
  /// The number of task moves by pulls, for each dimension: to workers without work, from workers
  /// that were awake. All elements are zero if `runtime_options::pulls` is off.
  std::vector<std::uint64_t> moved_by_pulls;
  /// The number of task moves by rescues, for each dimension: out of the queues of workers that
  /// slept in a wait or blocked, or out of worker 0's queue while no thread was worker 0.
  std::vector<std::uint64_t> moved_by_rescues;
  /// The number of times a task moved to another worker, in any way.
  std::uint64_t tasks_moved = 0;
  /// The number of balancing rounds that were planned and carried out.
  std::uint64_t rounds = 0;
  /// The counts of round requests by workers without work. All are zero with the balancers "none"
  /// and "random_stealing".
  request_statistics requests;
  /// The number of round steps that workers without work carried out on behalf of the thread
  /// leading the round. A transfer over a link has two steps: the tasks are taken, then queued.
  std::uint64_t steps_by_helpers = 0;
  /// The number of rounds begun by the runtime itself in which the balancer threw. Such rounds
  /// moved nothing.
  std::uint64_t failed_rounds = 0;
  /// The number of observer calls that threw.
  std::uint64_t failed_observations = 0;
  /// The total time in seconds that all rounds spent on reading loads, planning and moving tasks.
  double balancing_seconds = 0;
  /// The largest load divided by the mean load before a round, averaged over all rounds. 1 means
  /// even loads; 0 means that there was no round.
  double imbalance_before = 0;
  /// The largest load divided by the mean load after a round, averaged over all rounds. Tasks also
  /// run during rounds. 0 means that there was no round.
  double imbalance_after = 0;
  /// The processor time of the balancer's thread in seconds, excluding any round in progress; zero
  /// if there is no such thread.
  double balancer_thread_seconds = 0;
  /// The costs of functions, measured since the process began, in descending order. They come from
  /// all runtimes of the process that measure costs. Empty if `runtime_options::measured_costs` is
  /// off.
  std::vector<task_cost> task_costs;
};

}  // namespace evencube
