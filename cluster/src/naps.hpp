#pragma once

#include <algorithm>
#include <chrono>

namespace evencube::detail {

/// How long the progress thread sleeps when nothing happens (N in cluster/docs/ranks.md). Pure, as
/// `termination` is; its time is given.
class nap_lengths {
 public:
  using clock = std::chrono::steady_clock;

  /// Something has happened.
  void wake() noexcept { nap_ = {}; }
  /// The next nap. Each is twice as long as the one before, up to the usual length. Beyond that it
  /// grows with the time for which nothing has happened. `sends` is true while the receiver of a
  /// long message waits for this rank, `has_idle_worker()` while a worker has nothing to do.
  template <typename HasIdleWorker>
  [[nodiscard]] std::chrono::microseconds next(clock::time_point now, bool sends,
                                               HasIdleWorker&& has_idle_worker) {
    if (nap_ == nap_.zero()) idle_since_ = now;
    if (sends) {
      nap_ = std::clamp(2 * nap_, shortest, while_sending);
      return nap_;
    }
    const auto idle = std::chrono::duration_cast<std::chrono::microseconds>(now - idle_since_);
    auto most = std::clamp(idle / part_of_idle_time, usual, longest);
    if (idle < short_idleness && has_idle_worker()) most = without_work;
    nap_ = std::clamp(2 * nap_, shortest, most);
    return nap_;
  }

 private:
  static constexpr std::chrono::microseconds shortest{10};
  /// While a worker has nothing to do, its processor is free to look for messages.
  static constexpr std::chrono::microseconds without_work{50};
  static constexpr std::chrono::milliseconds short_idleness{5};
  static constexpr std::chrono::microseconds while_sending{20};
  static constexpr std::chrono::microseconds usual{1000};
  static constexpr std::chrono::microseconds longest{10'000};
  /// Naps longer than the usual ones are at most this part of the time for which nothing has
  /// happened.
  static constexpr int part_of_idle_time = 64;

  std::chrono::microseconds nap_{0};
  clock::time_point idle_since_{};
};

}  // namespace evencube::detail
