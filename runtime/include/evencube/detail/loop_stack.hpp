#pragma once

#include <cstdint>
#include <utility>

namespace evencube::detail {

struct loop_frame;

/// The loops that a worker runs, the innermost first. Used by the worker alone.
class loop_stack {
 public:
  /// Makes `loop` the innermost loop. Returns the one before, for `leave`.
  loop_frame* enter(loop_frame* loop) noexcept { return std::exchange(innermost_, loop); }
  void leave(loop_frame* outer) noexcept { innermost_ = outer; }
  /// The innermost loop; null if no loop runs.
  [[nodiscard]] loop_frame* innermost() const noexcept { return innermost_; }

  /// True for one of 16 loops in place, which is timed. Which ones is drawn, so that of loops that
  /// take turns each is timed. (The constants are those of Numerical Recipes' generator.)
  [[nodiscard]] bool timed_in_place() noexcept {
    drawn_ = drawn_ * 1664525 + 1013904223;
    return drawn_ >> 28 == 0;
  }

  /// True if a failure was stored since the last call, where `told` is the number of failures so
  /// far.
  [[nodiscard]] bool failed_since(std::uint32_t told) noexcept {
    return std::exchange(failures_seen_, told) != told;
  }

 private:
  loop_frame* innermost_ = nullptr;
  std::uint32_t failures_seen_ = 0;
  std::uint32_t drawn_ = 0;
};

}  // namespace evencube::detail
