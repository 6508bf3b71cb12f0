#pragma once

#include <cstdint>

#include <evencube/detail/least.hpp>

namespace evencube::detail {

/// How long a worker without work stays awake before it parks. It learns from its own last
/// stretches without work: after several short ones in a row it stays awake for about as long as
/// they were (invariant parking.awake). Times are in nanoseconds. Used by one thread
/// at a time.
class patience {
 public:
  /// The longest stretch awake, ten to fifteen times the cost of waking a thread.
  static constexpr std::int64_t longest_ns = 300'000;
  /// The number of short stretches in a row after which a worker stays awake longer.
  static constexpr unsigned needed = 3;
  /// After a worker has lost its processor while it stayed awake, it does not stay awake longer for
  /// this time. The penalty doubles each time it happens again.
  static constexpr std::int64_t shortest_penalty_ns = 10'000'000;
  static constexpr std::int64_t longest_penalty_ns = 1'000'000'000;
  /// Two readings of the clock are this far apart only if the thread lost its processor in between.
  static constexpr std::int64_t lost_ns = 50'000;

  /// Called when a stretch without work begins at `now`. Returns the time until which to stay
  /// awake. `base_ns` is how long a worker that has learned nothing stays awake.
  [[nodiscard]] std::int64_t begin(std::int64_t now, std::int64_t base_ns) noexcept {
    began_ = now;
    awake_until_ = hot(now) ? now + stretch(base_ns) : 0;
    return awake_until_ != 0 ? awake_until_ : now + base_ns;
  }
  /// Called when the stretch ends at `now`. `called` is true if work came, and false if the worker
  /// woke up by itself, which counts as a long stretch.
  void end(std::int64_t now, bool called) noexcept {
    const std::int64_t gap = now - began_;
    if (!called || gap > longest_ns) {
      short_ones_ = 0;
      longest_seen_ns_ = 0;
      return;
    }
    const bool in_vain = awake_until_ != 0 && now > awake_until_;
    short_ones_ = in_vain ? 0 : detail::least(short_ones_ + 1, needed);
    // Decays slowly, because a long gap among many short ones comes again.
    longest_seen_ns_ = detail::greatest(gap, longest_seen_ns_ - longest_seen_ns_ / 8);
    if (hot(now))
      penalty_ns_ = detail::greatest(penalty_ns_ - penalty_ns_ / 64, shortest_penalty_ns);
  }
  /// Called when another thread had the processor until `now`.
  void lost(std::int64_t now) noexcept {
    short_ones_ = 0;
    cold_until_ = now + penalty_ns_;
    penalty_ns_ = detail::least(2 * penalty_ns_, longest_penalty_ns);
  }

 private:
  [[nodiscard]] bool hot(std::int64_t now) const noexcept {
    return short_ones_ >= needed && now >= cold_until_;
  }
  [[nodiscard]] std::int64_t stretch(std::int64_t base_ns) const noexcept {
    return detail::least(longest_seen_ns_ + longest_seen_ns_ / 2 + base_ns, longest_ns);
  }

  std::int64_t began_ = 0;
  std::int64_t awake_until_ = 0;  // 0: it stays awake for `base_ns` only
  unsigned short_ones_ = 0;
  std::int64_t longest_seen_ns_ = 0;
  std::int64_t cold_until_ = 0;
  std::int64_t penalty_ns_ = shortest_penalty_ns;
};

}  // namespace evencube::detail
