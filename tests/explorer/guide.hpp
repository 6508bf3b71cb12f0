#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "clock.hpp"

namespace evencube::explorer {

/// Decides a schedule at random if there are too many to run all. Threads, store buffers and timed
/// sleeps have random priorities. The possible way of the highest priority is taken, and at a few
/// random steps the running thread becomes the lowest.
///
/// One schedule finds a bug that takes d such steps with a chance of at least 1 / (threads *
/// length^d) (probabilistic concurrency testing, Burckhardt et al., ASPLOS 2010, with d - 1 change
/// points). Equal seeds give equal schedules.
class guide {
 public:
  /// The entities with a priority: threads 0 to max_threads - 1, then their buffers, then their
  /// timed sleeps.
  static constexpr unsigned entities = 3 * max_threads;

  /// `length`: the approximate number of steps in the schedule.
  guide(std::uint64_t seed, unsigned change_points, unsigned length);

  /// Called before step `now` of a thread.
  void reach(unsigned now, unsigned thread) noexcept;
  /// Gives an entity a priority below all others: a spinning thread needs that.
  void lower(unsigned entity) noexcept { priority_[entity] = --lowest_; }
  /// Gives an entity a new random priority when it becomes possible: a late store, a timed sleep.
  void renew(unsigned entity) noexcept {
    priority_[entity] = static_cast<std::int64_t>(random() >> 2);
  }
  [[nodiscard]] std::int64_t priority(unsigned entity) const noexcept { return priority_[entity]; }

  /// A random number in [0, ways).
  unsigned any_of(unsigned ways) noexcept { return static_cast<unsigned>(random() % ways); }
  /// Rarely true, in some schedules more often than in others.
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
