#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <random>
#include <set>

namespace evencube::detail {

/// One rank's part in asking other ranks, drawn at random, for tasks. It waits for the answer of
/// the rank that it asked last, but not for long, because that rank may stand still. A rank that
/// owes an answer is not asked again. Pure, as `termination` is; its time is given.
class thief {
 public:
  using clock = std::chrono::steady_clock;
  /// The time after which another rank is asked.
  static constexpr std::chrono::milliseconds patience{10};
  static constexpr std::chrono::microseconds shortest_pause{50};
  static constexpr std::chrono::milliseconds longest_pause{10};

  thief(unsigned rank, unsigned size) : rank_(rank), size_(size), random_(rank) {}

  /// Called while the rank has nothing to do. Returns the rank to ask now, if any. After as many
  /// refusals as there are other ranks, there is a pause, twice as long each time.
  [[nodiscard]] std::optional<unsigned> ask(clock::time_point now) {
    const std::size_t others = size_ - 1;
    if (asked_.size() == others) return std::nullopt;
    if (asked_.contains(last_) && now - asked_at_ < patience) return std::nullopt;
    if (refused_ > 0 && refused_ + asked_.size() >= others) {
      pause_ = std::clamp<clock::duration>(2 * pause_, shortest_pause, longest_pause);
      not_before_ = now + pause_;
      refused_ = 0;
    }
    if (now < not_before_) return std::nullopt;
    auto drawn = std::uniform_int_distribution<std::size_t>(0, others - asked_.size() - 1)(random_);
    for (unsigned k = 0;; ++k) {
      if (k == rank_ || asked_.contains(k)) continue;
      if (drawn-- > 0) continue;
      last_ = k;
      break;
    }
    asked_.insert(last_);
    asked_at_ = now;
    return last_;
  }

  void refused(unsigned by) {
    if (asked_.erase(by) > 0) ++refused_;
  }
  void got_tasks(unsigned from) {
    asked_.erase(from);
    refused_ = 0;
    pause_ = {};
  }

 private:
  unsigned rank_;
  unsigned size_;
  std::mt19937_64 random_;
  std::set<unsigned> asked_;  // ranks that have not answered
  unsigned last_ = 0;         // the one that was asked last
  clock::time_point asked_at_{};
  std::size_t refused_ = 0;
  clock::duration pause_{};
  clock::time_point not_before_{};
};

}  // namespace evencube::detail
