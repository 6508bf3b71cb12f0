#pragma once

#include <algorithm>
#include <cstdint>

namespace evencube::detail {

/// How long no round runs after a round, so that planning takes at most a ninth of the idle time of
/// one worker. A round that lost its processor takes far longer than others. Its time says nothing
/// about the next round, so it counts as a few times the usual time (invariant migration.rest).
class round_rest {
 public:
  /// The rest is this many times as long as the round.
  static constexpr std::int64_t factor = 8;
  /// A round counts as at most this many times the usual round.
  static constexpr std::int64_t most = 4;
  /// The usual round counts as at least this long.
  static constexpr std::int64_t least_ns = 5'000;

  /// The rest after a round of `took` nanoseconds.
  [[nodiscard]] std::int64_t after(std::int64_t took) noexcept {
    const std::int64_t counted = (std::min)(took, most * usual_ns_);
    usual_ns_ = (std::max)(usual_ns_ + (counted - usual_ns_) / 8, least_ns);
    return factor * counted;
  }

 private:
  /// A moving mean of what rounds took.
  std::int64_t usual_ns_ = least_ns;
};

}  // namespace evencube::detail
