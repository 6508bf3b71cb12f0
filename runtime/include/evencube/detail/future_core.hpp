#pragma once

#include <atomic>
#include <cstdint>

#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// A task whose result somebody may ask for: shared by the future and by the slot of the queue
/// through which it was to run. Who waits for it may begin it first; the slot is empty then. Knows
/// its runtime only by number, for it may outlive it.
class future_core : public task {
 public:
  future_core(const future_core&) = delete;
  future_core& operator=(const future_core&) = delete;

  /// Whether the task has ended. Acquire: pairs with the release in `end`.
  [[nodiscard]] bool done() const noexcept {
    return (state_.load(std::memory_order_acquire) & ended) != 0;
  }
  /// Whether it threw; once it is done.
  [[nodiscard]] bool threw() const noexcept {
    return (state_.load(std::memory_order_relaxed) & failed) != 0;
  }

  /// Elects who runs it: true for the first caller. Relaxed: what it needs was published with the
  /// queue, or with the future.
  bool begin() noexcept {
    return (state_.load(std::memory_order_relaxed) & begun) == 0 &&
           (state_.fetch_or(begun, std::memory_order_relaxed) & begun) == 0;
  }

  /// Asks the task's end to wake those who wait. False if it has ended.
  bool announce_waiter() noexcept {
    return (state_.fetch_or(awaited, std::memory_order_acq_rel) & ended) == 0;
  }

  /// The task has ended; true if somebody is to be woken.
  bool end(bool with_failure) noexcept {
    // Release: pairs with the acquire in `done`. Acquire: pairs with that of `announce_waiter`.
    return (state_.fetch_or(ended | (with_failure ? failed : 0), std::memory_order_acq_rel) &
            awaited) != 0;
  }

  /// The number of the runtime whose task it is.
  [[nodiscard]] std::uint64_t runtime_id() const noexcept { return runtime_id_; }
  /// Throws evencube::error in a process forked from the one that made it, unless it is done.
  void check_alive() const;

  /// One of the two who share it goes.
  void drop() noexcept {
    // Release: what this side did comes before the destruction; acquire: the other side's, too.
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy_(*this);
  }

 protected:
  future_core(scheduler& of, void (*execute)(task&, worker&) noexcept,
              void (*destroy)(future_core&) noexcept);
  ~future_core() = default;

 private:
  static constexpr std::uint32_t begun = 1;
  static constexpr std::uint32_t ended = 2;
  static constexpr std::uint32_t failed = 4;
  static constexpr std::uint32_t awaited = 8;

  std::atomic<std::uint32_t> state_{0};
  std::atomic<std::uint32_t> holders_{2};
  void (*destroy_)(future_core&) noexcept;
  std::uint64_t runtime_id_;
  unsigned fork_generation_;
};

/// Wakes those who wait for the node, of whatever runtime.
void ring_waiters(const node& ended) noexcept;

}  // namespace evencube::detail
