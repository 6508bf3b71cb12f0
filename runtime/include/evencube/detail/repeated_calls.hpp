#pragma once

#include <cstdint>

#include <evencube/detail/least.hpp>

namespace evencube::detail {

/// When a worker whose load stays beyond a mark of the strategy calls it again. A call may find
/// nothing to move because the other workers are no better off, and a worker learns neither that
/// nor when it changes. So it calls after 1, 2, 4 ... `most` further tasks, until its load comes
/// back (invariant migration.repeated). Used by the worker alone.
class repeated_calls {
 public:
  /// Two calls are at most this many tasks apart: rare enough to cost short tasks nothing.
  static constexpr std::uint32_t most = 256;

  /// Called before each task that begins while the load is beyond a mark. True if a call is due.
  [[nodiscard]] bool due() noexcept {
    if (left_ == 0) return true;
    --left_;
    return false;
  }
  /// A call was heard. One that was refused for the moment stays due.
  void heard() noexcept {
    left_ = next_;
    next_ = detail::least(next_ * 2, most);
  }
  /// The load is not beyond a mark any more.
  void end() noexcept { *this = {}; }

 private:
  std::uint32_t left_ = 0;  // tasks until the next call
  std::uint32_t next_ = 1;
};

}  // namespace evencube::detail
