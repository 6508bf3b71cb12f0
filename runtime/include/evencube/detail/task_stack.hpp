#pragma once

#include <cstdint>

#include <evencube/detail/frame.hpp>
#include <evencube/detail/loop_stack.hpp>

namespace evencube::detail {

/// The tasks and loops that a worker is in the middle of. Used by the worker alone, and by the
/// waiting room while the worker sleeps there.
template <typename Policy>
class basic_task_stack {
 public:
  using frame = basic_frame<Policy>;

  basic_task_stack() = default;
  basic_task_stack(const basic_task_stack&) = delete;
  basic_task_stack& operator=(const basic_task_stack&) = delete;
  ~basic_task_stack() = default;

  /// The frame of the running task. Its task is null if the worker runs none.
  [[nodiscard]] frame* innermost() const noexcept { return innermost_; }
  /// Makes `begun` the innermost frame. Its member `outer` is the innermost frame so far.
  void enter(frame& begun) noexcept { innermost_ = &begun; }
  void leave(const frame& ended) noexcept { innermost_ = ended.outer; }

  /// True if no task runs but those of the worker's own loop, which begins the next one soon. A
  /// caller of `run` has no such loop.
  [[nodiscard]] bool at_loop() const noexcept { return innermost_ == &root_ && !caller_; }
  /// Notes whether a caller of `run` is the worker.
  void seat_caller(bool sits) noexcept { caller_ = sits; }

  /// Lowers the bases of the frames to `head`, the end of the queue. A wait may take tasks out from
  /// below the bases. Tasks that these frames push from now on have lower places.
  void lower_bases(std::uint32_t head) noexcept {
    for (frame* f = innermost_; f != nullptr && static_cast<std::int32_t>(head - f->base) < 0;
         f = f->outer) {
      f->base = head;
    }
  }

  /// The frame of the task that had begun last when the queue ended at `place`.
  [[nodiscard]] const frame* at_place(std::uint32_t place) const noexcept {
    const frame* f = innermost_;
    while (f->outer != nullptr && static_cast<std::int32_t>(place - f->base) < 0) f = f->outer;
    return f;
  }

  [[nodiscard]] loop_stack& loops() noexcept { return loops_; }

 private:
  frame root_{nullptr, 0, nullptr};
  frame* innermost_ = &root_;
  loop_stack loops_;
  bool caller_ = false;
};

}  // namespace evencube::detail
