#pragma once

#include <chrono>
#include <optional>

namespace evencube::detail {

/// Whether the program is spawning one task after another. Then sharing waits, so that many tasks
/// move together, and not the first few alone. It waits no longer than a millisecond. Pure, as
/// `termination` is; its time is given.
class spawning {
 public:
  using clock = std::chrono::steady_clock;

  /// `since_last` is true if the program has spawned since the last call.
  [[nodiscard]] bool goes_on(bool since_last, clock::time_point now) {
    if (!since_last) {
      since_.reset();
      return false;
    }
    if (!since_) since_ = now;
    return now - *since_ < longest;
  }

 private:
  static constexpr std::chrono::milliseconds longest{1};

  std::optional<clock::time_point> since_;
};

}  // namespace evencube::detail
