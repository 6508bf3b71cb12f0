#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "clock.hpp"

namespace evencube::explorer {

/// Decides a schedule by chance where there are too many to run all: threads, store buffers and
/// timed sleeps have random priorities, the highest that can go on does, and at a few random steps
/// the running thread becomes the lowest. A bug that takes d such steps is found by one schedule
/// with a chance of at least 1 / (threads * length^d) (probabilistic concurrency testing,
/// Burckhardt et al., ASPLOS 2010, with d - 1 change points). The same seed gives the same
/// schedule.
class guide {
 public:
  /// What can go on: threads 0 to max_threads - 1, then their buffers, then their timed sleeps.
  static constexpr unsigned entities = 3 * max_threads;

  /// `length`: about how many steps the schedule will have.
  guide(std::uint64_t seed, unsigned change_points, unsigned length);

  /// Before step `now` of a thread.
  void reach(unsigned now, unsigned thread) noexcept;
  /// Below all others, as who spins must be.
  void lower(unsigned entity) noexcept { priority_[entity] = --lowest_; }
  /// Any priority anew, for what begins to be possible: a store that may come late, a timed sleep.
  void renew(unsigned entity) noexcept {
    priority_[entity] = static_cast<std::int64_t>(random() >> 2);
  }
  [[nodiscard]] std::int64_t priority(unsigned entity) const noexcept { return priority_[entity]; }

  /// In [0, ways).
  unsigned any_of(unsigned ways) noexcept { return static_cast<unsigned>(random() % ways); }
  /// Rarely, in some schedules more often than in others.
  bool unlikely() noexcept { return random() % rarity_ == 0; }

 private:
  std::uint64_t random() noexcept { return mix(state_ += 0x9e3779b97f4a7c15U); }

  std::uint64_t state_;
  std::uint64_t rarity_;
  std::int64_t lowest_ = 0;
  std::array<std::int64_t, entities> priority_{};
  std::vector<unsigned> changes_;
};

}  // namespace evencube::explorer
