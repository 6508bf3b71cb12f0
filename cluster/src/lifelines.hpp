#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace evencube::detail {

/// How much a rank needs tasks that it asks for.
enum class need : std::uint8_t {
  soon,  ///< all its tasks have begun
  now    ///< a worker has nothing to do
};

/// One rank's part in sharing tasks along the edges of the cube of ranks (A in
/// cluster/docs/ranks.md). A rank whose tasks have all begun asks its neighbours in turn. A
/// neighbour that has nothing to give owes it tasks from then on, and asks its own neighbours. So
/// ranks without work soon send nothing, until some rank has something to give. Pure, as
/// `termination` is; its time is given.
class lifelines {
 public:
  using clock = std::chrono::steady_clock;
  /// The time after which a rank that has not answered may stand still, so another one is asked.
  static constexpr std::chrono::milliseconds patience{10};

  struct creditor {
    unsigned rank = 0;
    need how = need::soon;
    friend bool operator==(const creditor&, const creditor&) = default;
  };

  lifelines(unsigned rank, unsigned size) : rank_(rank), size_(size) {}

  /// Called while all tasks of the rank have begun, or none is left for a rank that it owes some.
  /// Returns the rank to ask now, if any. The neighbours may be cut off by ranks that stand still.
  /// So if all of them have been asked, other ranks are, after the patience, and each further one
  /// after twice the time.
  [[nodiscard]] std::optional<unsigned> ask(need how, clock::time_point now) {
    const clock::duration since = now - asked_at_;
    if (!answered_ && since < patience) return std::nullopt;
    std::optional<unsigned> next = next_neighbour(how);
    if (!next && how == need::now && since >= pause_) {
      next = next_beyond();
      pause_ *= 2;
    }
    if (!next) return std::nullopt;
    asked_[*next] = how;
    last_ = *next;
    answered_ = false;
    asked_at_ = now;
    return next;
  }
  /// A rank that was asked has nothing to give yet.
  void refused(unsigned by) { answers(by); }
  /// Tasks have come, at once or later.
  void got_tasks(unsigned from) {
    answers(from);
    asked_.erase(from);
    pause_ = patience;
  }

  /// This rank has nothing to give to a rank that asks.
  void owe(unsigned to, need how) {
    const auto known = std::find_if(owed_.begin(), owed_.end(),
                                    [to](const creditor& each) { return each.rank == to; });
    if (known == owed_.end()) {
      owed_.push_back({to, how});
    } else {
      known->how = std::max(known->how, how);
    }
  }
  /// Returns the rank that has been owed tasks for the longest time, if any: one that needs them
  /// now, or else one that needs them soon.
  [[nodiscard]] std::optional<creditor> first_creditor() const {
    const auto first = std::find_if(owed_.begin(), owed_.end(),
                                    [](const creditor& each) { return each.how == need::now; });
    if (first != owed_.end()) return *first;
    if (owed_.empty()) return std::nullopt;
    return owed_.front();
  }
  /// This rank has given tasks to a rank.
  void gave(unsigned to) {
    std::erase_if(owed_, [to](const creditor& each) { return each.rank == to; });
  }

  friend bool operator==(const lifelines&, const lifelines&) = default;

 private:
  void answers(unsigned rank) {
    if (rank == last_) answered_ = true;
  }
  [[nodiscard]] bool is_neighbour(unsigned other) const {
    const unsigned differs = rank_ ^ other;
    return (differs & (differs - 1)) == 0;
  }
  /// A rank that was asked for tasks that are needed soon is asked again when they are needed now.
  [[nodiscard]] bool may_be_asked(unsigned other, need how) const {
    const auto known = asked_.find(other);
    return known == asked_.end() || known->second < how;
  }
  // If it always began with the same neighbour, the two would pass the same few tasks to and fro.
  [[nodiscard]] std::optional<unsigned> next_neighbour(need how) {
    const auto dimensions = static_cast<unsigned>(std::bit_width(size_ - 1));
    for (unsigned tried = 0; tried < dimensions; ++tried) {
      const unsigned other = rank_ ^ (1U << dimension_);
      dimension_ = (dimension_ + 1) % dimensions;
      if (other < size_ && may_be_asked(other, how)) return other;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<unsigned> next_beyond() {
    for (unsigned tried = 1; tried < size_; ++tried) {
      beyond_ = beyond_ % (size_ - 1) + 1;
      const unsigned other = (rank_ + beyond_) % size_;
      if (!is_neighbour(other) && !asked_.contains(other)) return other;
    }
    return std::nullopt;
  }

  unsigned rank_;
  unsigned size_;
  unsigned dimension_ = 0;          // of the neighbour that is asked next
  std::map<unsigned, need> asked_;  // ranks that have not given anything since
  unsigned last_ = 0;               // the one that was asked last
  bool answered_ = true;
  clock::time_point asked_at_{};
  clock::duration pause_ = patience;
  unsigned beyond_ = 0;  // the distance to the rank beyond the neighbours that was tried last
  std::deque<creditor> owed_;
};

}  // namespace evencube::detail
