#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "balancing.hpp"

namespace evencube::detail {

/// What a rank knows of the others since loads were gathered last, and whether a round is worth
/// beginning (R in cluster/docs/ranks.md). Pure, as `termination` is; its time is given.
class round_outlook {
 public:
  using clock = std::chrono::steady_clock;

  /// A round must save the time that it takes, `round_seconds`, and a part of the time for which
  /// groups have existed. So at the end, where there is little to share, there are few rounds.
  [[nodiscard]] static double worth_a_round(double round_seconds, clock::duration since) {
    return std::max(
        round_seconds,
        std::min(std::chrono::duration<double>(since).count() * part_of_time, most_worth));
  }

  /// All loads are known, at `now`.
  void begin(clock::time_point now) {
    planned_at_ = now;
    hungry_.clear();
    seconds_left_.clear();
  }
  /// Adds that of the next rank.
  void add(const rank_load& said) {
    hungry_.push_back(said.hungry);
    seconds_left_.push_back(said.seconds);
  }
  /// The plan moves a part of what one rank has, which is a guess: quanta that are passed on in
  /// later phases may not be there yet.
  void moves(unsigned from, unsigned to, double part) {
    const double goes = std::min(seconds_left_[from], seconds_left_[from] * part);
    seconds_left_[from] -= goes;
    seconds_left_[to] += goes;
    hungry_[to] = false;
  }

  /// True if this rank, whose tasks that may move take that long, has something to give.
  /// That is a guess, so it is believed for a while only.
  [[nodiscard]] bool is_rich(double seconds_waiting, double worth, clock::time_point now) const {
    const std::chrono::duration<double> since = now - planned_at_;
    return seconds_waiting / 2 >= worth || since.count() >= 2 * worth;
  }
  void is_fed() { hungry_since_.reset(); }
  /// True if rank `here`, which has something to give if it is `rich`, and needs something if it is
  /// `hungry`, should begin a round: it can give to a rank that is known to be hungry, or the
  /// others do not know that it is hungry.
  [[nodiscard]] bool wants_round(unsigned here, unsigned ranks, bool rich, bool hungry,
                                 double worth, clock::time_point now) {
    hungry_.resize(ranks, true);
    const bool others_hungry =
        std::count(hungry_.begin(), hungry_.end(), true) > (hungry_[here] ? 1 : 0);
    const bool news = hungry && !hungry_[here] && others_have_work(here, worth, now);
    return (rich && others_hungry) || news;
  }

 private:
  /// A round that a rank begins saves at least this part of the time.
  static constexpr double part_of_time = 0.004;
  /// A saving of this many seconds is worth a round, however late it is. A rank waits twice as long
  /// before it doubts its guess.
  static constexpr double most_worth = 1e-3;

  // A hungry rank need not say so while the others, by their last loads, have next to nothing left.
  // But that was a guess, so the rank says so after it has been hungry for long.
  [[nodiscard]] bool others_have_work(unsigned here, double worth, clock::time_point now) {
    if (!hungry_since_) hungry_since_ = now;
    if (std::chrono::duration<double>(now - *hungry_since_).count() >= 2 * worth) return true;
    const double since = std::chrono::duration<double>(now - planned_at_).count();
    for (unsigned k = 0; k < seconds_left_.size(); ++k) {
      if (k != here && (seconds_left_[k] - since) / 2 >= worth) return true;
    }
    return seconds_left_.empty();
  }

  /// The ranks that had nothing to do, or soon would, when loads were gathered last, and that got
  /// nothing from that round. Before the first round, all ranks.
  std::vector<bool> hungry_;
  std::vector<double> seconds_left_;  // of each rank, when that round had been planned
  clock::time_point planned_at_{};
  std::optional<clock::time_point> hungry_since_;
};

}  // namespace evencube::detail
