#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace evencube {

/// What one worker did since the counters were last reset.
struct worker_statistics {
  /// Tasks taken from a queue and run. The right half of a `fork_join` that nobody took is a plain
  /// function call and not counted.
  std::uint64_t executed = 0;
  /// Tasks that came to this worker from another one's queue.
  std::uint64_t received = 0;
  /// How often it went to sleep.
  std::uint64_t parks = 0;
  /// Seconds not spent looking for work, asleep, or in `blocking` scopes: those count for nobody,
  /// but what a spare worker does meanwhile counts for it.
  double busy_seconds = 0;
  /// Seconds this worker stayed awake without work (`runtime_options::hotness`), and how often work
  /// came in that time, so that no thread had to wake it.
  double awake_seconds = 0;
  std::uint64_t wakeups_avoided = 0;
};

/// How long the tasks of one function take (`runtime_options::measured_costs`).
struct task_cost {
  /// The type of the function; "continuation" for those of `future::then`.
  std::string name;
  /// Tasks that were measured since the process began.
  std::uint64_t samples = 0;
  /// Seconds of one, or for each unit of `spawn_options::cost`: a moving mean, of which the last
  /// eight samples make up two thirds, and how far samples lay from it, likewise.
  double mean_seconds = 0;
  double deviation_seconds = 0;
};

/// A snapshot of the counters of a runtime. While tasks run it is a little behind.
struct statistics {
  /// One per worker.
  std::vector<worker_statistics> workers;
  /// One per spare worker.
  std::vector<worker_statistics> spare_workers;
  /// Task moves over each dimension of the cube: the sum of the three below. A task that travels
  /// two hops counts twice; what goes to no neighbour (`direct` transmission, rescues) counts in
  /// the highest dimension it crosses. What goes to a spare worker, or comes from one, crosses
  /// none.
  std::vector<std::uint64_t> moved_by_dimension;
  /// Of these, what planned rounds sent.
  std::vector<std::uint64_t> moved_by_rounds;
  /// What workers without work took from others that were awake; nothing with
  /// `runtime_options::pulls` off.
  std::vector<std::uint64_t> moved_by_pulls;
  /// What lay where nobody looked after it: its worker slept in a wait or blocked, or nobody was in
  /// the caller's seat.
  std::vector<std::uint64_t> moved_by_rescues;
  /// Tasks that changed their worker, by whatever way.
  std::uint64_t tasks_moved = 0;
  /// Balancing rounds that were planned and carried out.
  std::uint64_t rounds = 0;
  /// Steps of rounds that workers without work carried out for the thread that led the round: of a
  /// transfer over a link the taking is one, the putting another.
  std::uint64_t steps_by_helpers = 0;
  /// Rounds that the runtime began by itself and whose balancer threw: they moved nothing.
  std::uint64_t failed_rounds = 0;
  /// Calls of the observer that threw.
  std::uint64_t failed_observations = 0;
  /// Seconds spent reading loads, planning and moving, all rounds together.
  double balancing_seconds = 0;
  /// Largest load over the mean load when a round was planned, the mean over all rounds; 1 is even.
  /// Zero without rounds.
  double imbalance_before = 0;
  /// The same when the round had been carried out: tasks ran meanwhile.
  double imbalance_after = 0;
  /// Seconds of processor time that the balancer's thread took; zero without one. While it works
  /// it is a round behind.
  double balancer_thread_seconds = 0;
  /// What tasks took, those that take longest first: of all runtimes of the process that measure,
  /// since it began. Empty where `runtime_options::measured_costs` is off.
  std::vector<task_cost> task_costs;
};

}  // namespace evencube
