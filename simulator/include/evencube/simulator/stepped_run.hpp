#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <evencube/detail/compiler.hpp>
#include <evencube/simulator/model.hpp>
#include <evencube/simulator/simulation.hpp>

namespace evencube::simulator {

/// What has happened in a run up to its last event. The difference of two readings is what happened
/// between them.
struct run_reading {
  double time = 0;  ///< of the last event
  std::uint64_t events = 0;
  std::uint64_t arrived = 0;  ///< tasks that arrived, including initial and spawned tasks
  std::uint64_t completed = 0;
  std::uint64_t in_system = 0;  ///< tasks that wait, travel or are in service
  std::uint64_t responses = 0;  ///< tasks completed from the warm-up on
  double response_sum = 0;      ///< the time from arrival to completion of these tasks, in total
  std::uint64_t rounds = 0;     ///< rounds or activations that planned
  std::uint64_t messages = 0;
  std::uint64_t tasks_moved = 0;
};

/// A simulation that stops between events, so that it can be shown while it runs. Where it stops
/// changes nothing: its result is that of `simulate`, bit for bit.
class stepped_run {
 public:
  /// Begins a run of the model, which must outlive it. Throws what `simulate` throws.
  EVENCUBE_EXPORT stepped_run(const model& what, std::uint64_t seed);
  EVENCUBE_EXPORT stepped_run(stepped_run&&) noexcept;
  EVENCUBE_EXPORT stepped_run& operator=(stepped_run&&) noexcept;
  EVENCUBE_EXPORT ~stepped_run();

  /// Handles the next `events` events, or all that are left. Returns false if the run is over.
  /// Throws what `simulate` throws while it runs; after that, the run must not be used again.
  EVENCUBE_EXPORT bool advance(std::uint64_t events);

  /// Returns what has happened so far. O(1).
  [[nodiscard]] EVENCUBE_EXPORT run_reading reading() const noexcept;

  /// Returns the load of each node: its waiting quanta, plus one for the task in service. O(nodes).
  [[nodiscard]] EVENCUBE_EXPORT std::vector<load_type> loads() const;

  /// Handles all events that are left and returns the result.
  [[nodiscard]] EVENCUBE_EXPORT result finish();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace evencube::simulator
