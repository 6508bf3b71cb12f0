#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace evencube {

/// The counters of one worker since they were last reset.
struct worker_statistics {
  /// The number of tasks that the worker took from a queue and ran. The right half of a `fork_join`
  /// that no other worker took is a plain function call and not counted.
  std::uint64_t executed = 0;
  /// The number of tasks that came to this worker from another worker's queue.
  std::uint64_t received = 0;
  /// The number of times the worker went to sleep.
  std::uint64_t parks = 0;
  /// The seconds in which the worker did not look for work, sleep, or block in a `blocking` scope.
  /// The work of a spare worker during such a scope counts for the spare worker.
  double busy_seconds = 0;
  /// The seconds in which the worker stayed awake without work (`runtime_options::hotness`).
  double awake_seconds = 0;
  /// The number of times work came while the worker stayed awake, so that no thread had to wake it.
  std::uint64_t wakeups_avoided = 0;
};

/// The numbers of requests for rounds, by outcome. A worker that runs out of work requests a round.
struct request_statistics {
  /// Requests after which the worker led a round that moved tasks.
  std::uint64_t moved = 0;
  /// Requests without effect: the loads were even, or the balancer moved nothing.
  std::uint64_t nothing = 0;
  /// Requests passed to the balancer's thread.
  std::uint64_t left_to_thread = 0;
  /// Requests refused because the last round had ended a moment ago.
  std::uint64_t too_soon = 0;
  /// Requests refused because another thread led a round, or the runtime was held.
  std::uint64_t under_way = 0;
  /// Requests not made, because the worker had been woken for tasks and pulled some of them.
  std::uint64_t not_asked = 0;
};

/// How long the tasks of one function take (`runtime_options::measured_costs`).
struct task_cost {
  /// The type of the function; "continuation" for the functions of `future::then`.
  std::string name;
  /// The number of tasks that were measured since the process began.
  std::uint64_t samples = 0;
  /// The mean seconds that a task takes, divided by `spawn_options::cost` if it was given. This is
  /// a moving mean, in which the last eight samples have two thirds of the weight.
  double mean_seconds = 0;
  /// The mean distance of samples from `mean_seconds`, in seconds; a moving mean with the same
  /// weights.
  double deviation_seconds = 0;
};

/// A snapshot of the counters of a runtime. While tasks run, the snapshot is slightly out of date.
struct statistics {
  /// The counters of the workers, one element for each.
  std::vector<worker_statistics> workers;
  /// The counters of the spare workers, one element for each.
  std::vector<worker_statistics> spare_workers;
  /// The number of task moves over each dimension of the cube: the sum of the three members below.
  /// A task that travels two hops counts twice. A move to a worker that is not a neighbour
  /// (`direct` transmission, rescues) counts in the highest dimension that it crosses. A move to or
  /// from a spare worker crosses no dimension.
  std::vector<std::uint64_t> moved_by_dimension;
  /// The task moves by planned rounds, for each dimension.
  std::vector<std::uint64_t> moved_by_rounds;
  /// The task moves by pulls, for each dimension: to workers without work, from workers that were
  /// awake.
  /// All elements are zero if `runtime_options::pulls` is off.
  std::vector<std::uint64_t> moved_by_pulls;
  /// The task moves by rescues, for each dimension: out of queues whose worker slept in a wait or
  /// blocked, or out of the queue of worker 0 while no thread was worker 0.
  std::vector<std::uint64_t> moved_by_rescues;
  /// The number of tasks that changed their worker in any way.
  std::uint64_t tasks_moved = 0;
  /// The number of balancing rounds that were planned and carried out.
  std::uint64_t rounds = 0;
  /// The requests for rounds by workers without work. All counts are zero with the balancers "none"
  /// and "random_stealing".
  request_statistics requests;
  /// The number of steps of rounds that workers without work carried out for the thread that led
  /// the round. A transfer over a link has two steps: the tasks are taken, then queued.
  std::uint64_t steps_by_helpers = 0;
  /// The number of rounds that the runtime began on its own and whose balancer threw. Such rounds
  /// moved nothing.
  std::uint64_t failed_rounds = 0;
  /// The number of calls of the observer that threw.
  std::uint64_t failed_observations = 0;
  /// The seconds spent on reading loads, planning and moving tasks, in all rounds together.
  double balancing_seconds = 0;
  /// The largest load divided by the mean load before a round, as a mean over all rounds. 1 means
  /// even loads; 0 means that there was no round.
  double imbalance_before = 0;
  /// The largest load divided by the mean load after a round, during which tasks ran, as a mean
  /// over all rounds. 0 means that there was no round.
  double imbalance_after = 0;
  /// The processor time of the balancer's thread in seconds, without a round in progress; zero if
  /// there is no such thread.
  double balancer_thread_seconds = 0;
  /// The measured costs of functions since the process began, longest first. The costs come from
  /// all runtimes of the process that measure costs. Empty if `runtime_options::measured_costs` is
  /// off.
  std::vector<task_cost> task_costs;
};

}  // namespace evencube
