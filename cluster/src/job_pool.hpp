#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <evencube/balancers/plan.hpp>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <evencube/cluster/detail/call.hpp>

namespace evencube::detail {

/// A task that has not begun.
struct job {
  std::uint32_t task = 0;  ///< which of the registered tasks
  std::uint32_t group = 0;
  std::uint32_t home = 0;  ///< the rank that spawned it and gets its result
  std::uint32_t cost = 1;
  bool measured = false;     ///< true if the cost was not given
  bool stays = false;        ///< on the rank to which its spawn sends it
  std::uint64_t number = 0;  ///< among those that left its home
  /// Its argument: as an object at home, as bytes elsewhere.
  std::unique_ptr<cluster_call> call = nullptr;
  message_bytes argument = {};
};

/// The tasks of a rank that have not begun. Its workers take the newest, other ranks get the
/// oldest. Tasks that are not worth their way, or were spawned to stay, are taken first. Not
/// thread-safe.
class job_pool {
 public:
  void put(job one) {
    if (one.stays) return put_to_stay(std::move(one));
    movable_.push_back(std::move(one));
    quanta_ += movable_.back().cost;
  }
  void put_to_stay(job one) {
    staying_.push_back(std::move(one));
    quanta_ += staying_.back().cost;
  }

  [[nodiscard]] std::optional<job> take_newest() {
    std::deque<job>& from = staying_.empty() ? movable_ : staying_;
    if (from.empty()) return std::nullopt;
    std::optional<job> found(std::move(from.back()));
    from.pop_back();
    quanta_ -= found->cost;
    return found;
  }

  /// Takes the oldest tasks that fit into `quanta` together. O(tasks considered).
  [[nodiscard]] std::vector<job> take_oldest(load_type quanta) {
    std::vector<job> found;
    std::vector<job> dearer;
    while (quanta > 0 && !movable_.empty()) {
      job& oldest = movable_.front();
      if (load_type{oldest.cost} <= quanta) {
        quanta -= oldest.cost;
        quanta_ -= oldest.cost;
        found.push_back(std::move(oldest));
      } else {
        dearer.push_back(std::move(oldest));
      }
      movable_.pop_front();
    }
    movable_.insert(movable_.begin(), std::move_iterator(dearer.begin()),
                    std::move_iterator(dearer.end()));
    return found;
  }

  /// Puts in tasks that have come later than those here.
  void append(job_pool later) {
    for (auto* of : {&later.movable_, &later.staying_}) {
      std::deque<job>& into = of == &later.movable_ ? movable_ : staying_;
      std::move(of->begin(), of->end(), std::back_inserter(into));
    }
    quanta_ += later.quanta_;
  }
  /// Calls f for each task.
  template <typename F>
  void for_each(F f) const {
    std::ranges::for_each(movable_, f);
    std::ranges::for_each(staying_, f);
  }

  void clear() {
    movable_.clear();
    staying_.clear();
    quanta_ = 0;
  }
  [[nodiscard]] load_type quanta() const noexcept { return quanta_; }
  [[nodiscard]] std::size_t size() const noexcept { return movable_.size() + staying_.size(); }
  [[nodiscard]] std::size_t movable() const noexcept { return movable_.size(); }
  /// The cost of the oldest task that may move; 0 if there is none.
  [[nodiscard]] load_type oldest_cost() const noexcept {
    return movable_.empty() ? 0 : load_type{movable_.front().cost};
  }

 private:
  std::deque<job> movable_;
  std::deque<job> staying_;
  load_type quanta_ = 0;
};

}  // namespace evencube::detail
