#pragma once

#include <algorithm>
#include <cstdint>

namespace evencube::detail {

/// How long a thread that ran dry stays awake, which it learns from how long its last stretches
/// without work were: what comes back at once, again and again, is worth waiting for awake; what
/// comes late, or when it likes, is not (invariant W of runtime/docs/parking.md). Times are in
/// nanoseconds.
class patience {
 public:
  /// No stretch is longer, learned or not. Ten to fifteen times what waking a thread costs.
  static constexpr std::int64_t longest_ns = 300'000;
  /// How many stretches in a row must have been short.
  static constexpr unsigned needed = 3;
  /// How long nobody stays awake who lost its processor while it did; doubled each time in a row.
  static constexpr std::int64_t shortest_penalty_ns = 10'000'000;
  static constexpr std::int64_t longest_penalty_ns = 1'000'000'000;
  /// Two looks are further apart than this only if somebody else had the processor.
  static constexpr std::int64_t lost_ns = 50'000;

  /// Nothing is found at `now`. Until when to stay awake, if one that has learned nothing stays so
  /// for `base_ns`.
  [[nodiscard]] std::int64_t begin(std::int64_t now, std::int64_t base_ns) noexcept {
    if (dry_since_ == 0) dry_since_ = now;
    return hot(now) ? dry_since_ + stretch(base_ns) : now + base_ns;
  }
  /// It goes on at `now`: called, or (not `called`) to look for itself, which ends no stretch.
  void end(std::int64_t now, bool called) noexcept {
    if (!called) return;
    learn(now, now - dry_since_);
    dry_since_ = 0;
  }
  /// Somebody else had the processor.
  void lost(std::int64_t now) noexcept {
    short_ones_ = 0;
    cold_until_ = now + penalty_ns_;
    penalty_ns_ = (std::min)(2 * penalty_ns_, longest_penalty_ns);
  }

 private:
  [[nodiscard]] bool hot(std::int64_t now) const noexcept {
    return short_ones_ >= needed && now >= cold_until_;
  }
  [[nodiscard]] std::int64_t stretch(std::int64_t base_ns) const noexcept {
    return (std::min)(longest_seen_ns_ + longest_seen_ns_ / 2 + base_ns, longest_ns);
  }
  void learn(std::int64_t now, std::int64_t gap) noexcept {
    if (gap > longest_ns) {
      short_ones_ = 0;
      longest_seen_ns_ = 0;
      return;
    }
    short_ones_ = (std::min)(short_ones_ + 1, needed);
    // Slowly forgotten: among many short gaps a long one comes again.
    longest_seen_ns_ = (std::max)(gap, longest_seen_ns_ - longest_seen_ns_ / 8);
    if (hot(now)) penalty_ns_ = (std::max)(penalty_ns_ - penalty_ns_ / 64, shortest_penalty_ns);
  }

  std::int64_t dry_since_ = 0;  // 0: it is at work
  unsigned short_ones_ = 0;
  std::int64_t longest_seen_ns_ = 0;
  std::int64_t cold_until_ = 0;
  std::int64_t penalty_ns_ = shortest_penalty_ns;
};

}  // namespace evencube::detail
