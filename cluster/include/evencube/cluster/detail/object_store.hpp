#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include <evencube/cluster/object_id.hpp>

namespace evencube::detail {

/// An object on the rank where it lives.
template <typename T>
struct stored_object {
  explicit stored_object(T of) : value(std::move(of)) {}

  std::shared_mutex lock;  ///< of the value
  T value;
  /// The time of its tasks since objects were last balanced.
  std::atomic<double> seconds{0};
};

/// Measures the time of a task of an object.
class object_timer {
 public:
  explicit object_timer(std::atomic<double>& into) noexcept : into_(into) {}
  object_timer(const object_timer&) = delete;
  object_timer& operator=(const object_timer&) = delete;
  ~object_timer() {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_;
    into_.fetch_add(took.count(), std::memory_order_relaxed);
  }

 private:
  std::atomic<double>& into_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// The objects that live on a rank, and where all known objects live. Any thread may call it.
template <typename T>
class object_store {
 public:
  using object = stored_object<T>;
  using objects = std::map<cluster_object_id, std::shared_ptr<object>>;

  explicit object_store(std::uint32_t rank) noexcept : rank_(rank) {}

  cluster_object_id make(T value) {
    auto made = std::make_shared<object>(std::move(value));
    const std::lock_guard lock(mutex_);
    const cluster_object_id id{rank_, next_++};
    here_.emplace(id, std::move(made));
    where_[id] = rank_;
    return id;
  }
  /// Puts an object that has come, with the time of its tasks. It lives here from `settle` on.
  void put(cluster_object_id id, T value, double seconds) {
    auto come = std::make_shared<object>(std::move(value));
    come->seconds.store(seconds, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    come_.insert_or_assign(id, std::move(come));
  }
  /// Ends a move: drops what has left, and keeps what has come. If the move has failed, nothing has
  /// left, and what has come is dropped.
  void settle(bool moved, const std::vector<cluster_object_id>& left) {
    const std::lock_guard lock(mutex_);
    if (moved) {
      for (const cluster_object_id id : left) here_.erase(id);
      here_.merge(come_);
    }
    come_.clear();
  }
  /// No object that is made here gets a number below `next`.
  void number_from(std::uint32_t next) {
    const std::lock_guard lock(mutex_);
    next_ = (std::max)(next_, next);
  }
  [[nodiscard]] std::uint32_t next() const {
    const std::shared_lock lock(mutex_);
    return next_;
  }
  bool remove(cluster_object_id id) {
    const std::lock_guard lock(mutex_);
    where_.erase(id);
    return here_.erase(id) != 0;
  }
  /// Returns the object, or null if it does not live here.
  [[nodiscard]] std::shared_ptr<object> find(cluster_object_id id) const {
    const std::shared_lock lock(mutex_);
    const auto found = here_.find(id);
    return found == here_.end() ? nullptr : found->second;
  }
  [[nodiscard]] objects here() const {
    const std::shared_lock lock(mutex_);
    return here_;
  }
  [[nodiscard]] std::vector<cluster_object_id> ids() const {
    const std::shared_lock lock(mutex_);
    std::vector<cluster_object_id> all;
    for (const auto& [id, one] : here_) all.push_back(id);
    return all;
  }
  /// Returns where an object lives, or `nowhere`.
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  [[nodiscard]] std::uint32_t rank_of(cluster_object_id id) const {
    const std::shared_lock lock(mutex_);
    const auto found = where_.find(id);
    return found == where_.end() ? nowhere : found->second;
  }
  /// Takes over where all objects live, by their ranks.
  void learn(const std::vector<std::vector<cluster_object_id>>& of_ranks) {
    std::map<cluster_object_id, std::uint32_t> where;
    std::uint32_t next = 0;
    for (std::uint32_t rank = 0; rank < of_ranks.size(); ++rank) {
      for (const cluster_object_id id : of_ranks[rank]) {
        where.emplace_hint(where.end(), id, rank);
        if (id.maker == rank_) next = (std::max)(next, id.number + 1);
      }
    }
    const std::lock_guard lock(mutex_);
    where_.swap(where);
    next_ = (std::max)(next_, next);
  }

 private:
  const std::uint32_t rank_;
  mutable std::shared_mutex mutex_;  // guards all below
  objects here_;
  objects come_;  // in a move that has not ended
  std::map<cluster_object_id, std::uint32_t> where_;
  std::uint32_t next_ = 0;  // number of an object that is made here
};

}  // namespace evencube::detail
