#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "task_measures.hpp"

namespace evencube::detail {

/// How long rounds take one rank, when it may begin the next one, and when a round is late (R and L
/// in cluster/docs/ranks.md). Pure, as `termination` is; its time is given.
class round_pace {
 public:
  using clock = std::chrono::steady_clock;

  void begin(clock::time_point now) {
    began_ = now;
    said_late_ = false;
  }
  /// If the last plan could not be carried out, because the tasks that it counted run already, or
  /// if there is nothing to plan, the next round waits for longer.
  void planned(bool transfers, bool last_moved) {
    const bool of_use = transfers && (last_moved || !transfers_);
    transfers_ = transfers;
    pause_ = of_use ? clock::duration{}
                    : std::clamp<clock::duration>(2 * pause_, shortest_pause, longest_pause);
  }
  void end(clock::time_point now, unsigned ranks) {
    // A late round says nothing of the next one, but if all are late, they become usual.
    const clock::duration took = std::min(now - began_, patience());
    take_into(seconds_, std::chrono::duration<double>(took).count());
    const clock::duration longest = std::bit_width(ranks - 1) * longest_usual_pause;
    not_before_ = now + std::max(pause_, std::clamp<clock::duration>(8 * (now - began_),
                                                                     shortest_pause, longest));
  }

  /// The mean time of a round; 0 if there was none.
  [[nodiscard]] double seconds() const noexcept { return seconds_; }
  [[nodiscard]] bool may_begin(clock::time_point now) const { return now >= not_before_; }
  [[nodiscard]] bool is_late(clock::time_point now) const { return now - began_ >= patience(); }
  /// True on the first call in a round.
  [[nodiscard]] bool say_that_it_is_late() { return !std::exchange(said_late_, true); }

 private:
  static constexpr std::chrono::microseconds shortest_pause{100};
  static constexpr std::chrono::milliseconds longest_pause{10};
  /// After a round that moved something, for each dimension of the cube of ranks. A round takes
  /// long if some rank lost its processor, and that says little of the next one.
  static constexpr std::chrono::milliseconds longest_usual_pause{2};
  /// A round is late if it takes longer than this, and longer than eight usual rounds.
  static constexpr std::chrono::milliseconds late_round{20};
  static constexpr int late_rounds = 8;

  [[nodiscard]] clock::duration patience() const {
    const std::chrono::duration<double> usual(late_rounds * seconds_);
    return std::max<clock::duration>(late_round,
                                     std::chrono::duration_cast<clock::duration>(usual));
  }

  clock::time_point began_{};
  bool said_late_ = false;
  bool transfers_ = false;  // of the last plan
  clock::duration pause_{};
  clock::time_point not_before_{};
  double seconds_ = 0;
};

}  // namespace evencube::detail
