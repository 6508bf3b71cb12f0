#pragma once

#include <cstdint>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// The number of unfinished tasks of a group. Tasks that the owner itself spawns and runs are
/// counted without atomics. All others are counted in one word, together with two bits that say
/// which threads must be woken at zero. Invariants waiting.counts, waiting.asleep and
/// waiting.last-touch.
template <typename Atomics = std_atomics>
class basic_group_count {
 public:
  /// What a thread that ended a task for another worker's group must do. The group may be gone.
  struct ending {
    bool owner_sleeps;
    bool others_wait;
  };

  /// Called by the owner.
  void add_by_owner(std::int64_t n) noexcept { local_ += n; }

  void add_by_others() noexcept {
    // Relaxed: the spawning thread runs a task of this group, or will wait for the group, so the
    // count cannot reach zero meanwhile.
    pending_.fetch_add(one, std::memory_order_relaxed);
  }

  /// Subtracts `n` tasks, n >= 1. Called by any thread but the owner's.
  ending end_by_others(std::int64_t n) noexcept {
    // Release: pairs with the acquire in `done_*`: a thread that sees zero sees what the tasks
    // wrote. Acquire: the last one passes on what the others released.
    const std::int64_t before = pending_.fetch_sub(n * one, std::memory_order_acq_rel);
    if (count_of(before) != n) return {false, false};
    return {(before & owner_sleeps) != 0, (before & others_wait) != 0};
  }

  /// For the owner: true if no task is left.
  [[nodiscard]] bool done_for_owner() const noexcept {
    // Acquire: pairs with the release in `end_by_others`.
    return local_ + count_of(pending_.load(std::memory_order_acquire)) == 0;
  }
  [[nodiscard]] bool done_for_others() const noexcept {
    return count_of(pending_.load(std::memory_order_acquire)) == 0;  // as above
  }

  /// Asks the last task to wake all waiters. Returns false if no task is left.
  bool announce_waiter() noexcept {
    // Acquire: as in done_for_others.
    return count_of(pending_.fetch_or(others_wait, std::memory_order_acq_rel)) != 0;
  }

  /// Called before the owner sleeps: moves `local_` into `pending_`, so that the last task
  /// elsewhere sees that it is the last. Returns false if no task is left.
  bool begin_sleep() noexcept {
    const std::int64_t moved = local_ * one;
    local_ = 0;
    // Acquire: as in done_for_owner.
    const std::int64_t before = pending_.fetch_add(moved + owner_sleeps, std::memory_order_acq_rel);
    if (count_of(before + moved) != 0) return true;
    end_sleep();
    return false;
  }
  void end_sleep() noexcept { pending_.fetch_sub(owner_sleeps, std::memory_order_relaxed); }

 private:
  static constexpr std::int64_t one = 4;
  static constexpr std::int64_t owner_sleeps = 1;
  static constexpr std::int64_t others_wait = 2;

  static std::int64_t count_of(std::int64_t word) noexcept { return word >> 2; }

  // One cache line for what the owner writes, and one for what the others write.
  alignas(64) std::int64_t local_ = 0;
  alignas(64) typename Atomics::template atomic<std::int64_t> pending_{0};
};

using group_count = basic_group_count<>;

}  // namespace evencube::detail
