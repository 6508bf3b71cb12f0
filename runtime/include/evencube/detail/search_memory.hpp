#pragma once

#include <cstdint>

#include <evencube/detail/patience.hpp>
#include <evencube/detail/repeated_calls.hpp>

namespace evencube::detail {

/// What a worker remembers between two searches for work. Used by the worker alone.
struct search_memory {
  /// `place` is the number of the worker.
  explicit search_memory(std::uint32_t number) noexcept
      : place(number), rescue_from(number), random(number * 0x9e3779b97f4a7c15U + 1) {}

  /// The place at which the worker works, where it looks for work first. A spare worker holds the
  /// places of others.
  std::uint32_t place;
  /// The worker at which the worker begins to look for tasks that were left.
  std::uint32_t rescue_from;
  /// The number of tasks from outside that came one after another since the worker last parked.
  unsigned streak = 0;
  /// How often the worker has looked for a task from outside.
  unsigned from_outside = 0;
  /// The state of `draw`; never 0.
  std::uint64_t random;
  /// True if the last round that the worker asked for was refused for the moment. It then looks
  /// again soon instead of sleeping long.
  bool look_again = false;
  /// True if the worker was in the idle set since it last found work, so it may have been called.
  bool called = false;
  /// The calls of the strategy while the load is beyond one of its marks.
  repeated_calls marks;
  /// How long the worker stays awake without work, and in a wait.
  patience idle_patience;
  patience wait_patience;

  std::uint64_t draw() noexcept {  // xorshift64
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return random;
  }
};

/// How long a worker that was called has gone on with its own tasks (invariant injector.turns).
struct others_turn {
  unsigned tasks = 0;
  std::int64_t began = 0;
  /// True if the last task had been parked in an arena.
  bool parked = false;
};

}  // namespace evencube::detail
