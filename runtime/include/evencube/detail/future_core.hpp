#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <evencube/detail/futex_lock.hpp>
#include <evencube/detail/task.hpp>

namespace evencube::detail {

class future_core;

/// What a future needs before it can be: the futures below it, which `then`, `when_all` or
/// `when_any` took over. A tree, for each of them has one consumer (runtime/docs/waiting.md).
struct dependency {
  enum class kind : std::uint8_t { then, all, any };

  kind what;
  std::uint32_t count;
  /// Each with one holder; the caller's memory, as long as the future that needs them.
  future_core* const* antecedents;
  /// all: how many have not ended; any: whether none has.
  std::atomic<std::uint32_t> missing;
  /// Those before it have ended. Guarded by the lock of the future.
  std::uint32_t first = 0;
  /// then: what it is to count for, and where it is to go.
  std::uint32_t cost = 1;
  std::optional<unsigned> home = std::nullopt;
  /// any: where to write which one was the first.
  std::size_t* index = nullptr;
};

/// A task whose result somebody may ask for: shared by the future and by the slot of the queue
/// through which it was to run. Who waits for it may begin it first; the slot is empty then. Knows
/// its runtime only by number, for it may outlive it.
class future_core : public task {
 public:
  /// What has happened to it already.
  enum class stage : std::uint32_t {
    /// It needs others, or is to be released yet.
    unreleased = 0,
    /// It may run.
    released = 16,
    /// It has a value.
    ended = 16 + 2 + 1
  };

  future_core(const future_core&) = delete;
  future_core& operator=(const future_core&) = delete;

  /// Whether the task has ended. Seq_cst: acquire, which pairs with the release in `settle`; and
  /// with the announcement of a waiter for any of several before it (invariant A).
  [[nodiscard]] bool done() const noexcept {
    return (state_.load(std::memory_order_seq_cst) & ended) != 0;
  }
  /// Whether it threw; once it is done.
  [[nodiscard]] bool threw() const noexcept {
    return (state_.load(std::memory_order_relaxed) & failed) != 0;
  }

  /// Elects who runs it: true for the first caller once it may run. Acquire: pairs with the release
  /// in `release`, for whoever comes to it through the futures above. Seq_cst as in `done`.
  bool begin() noexcept {
    return (state_.load(std::memory_order_seq_cst) & (begun | released)) == released &&
           (state_.fetch_or(begun, std::memory_order_acquire) & begun) == 0;
  }

  /// Asks the task's end to wake those who wait. False if it has ended. Release: pairs with the
  /// acquire in `settle`, for who waits has entered the room before (invariant G4). Acquire: pairs
  /// with the release there, for what the task wrote.
  bool announce_waiter() noexcept {
    return (state_.fetch_or(awaited, std::memory_order_acq_rel) & ended) == 0;
  }

  /// The number of the runtime whose task it is; 0: of none, and it has ended.
  [[nodiscard]] std::uint64_t runtime_id() const noexcept { return runtime_id_; }
  /// Throws evencube::error in a process forked from the one that made it, unless it is done.
  void check_alive() const;
  /// The same even if it is done: its runtime is not there.
  void check_process() const;

  /// One of those who share it goes.
  void drop() noexcept {
    // Release: what this side did comes before the destruction; acquire: the other side's, too.
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy_(*this);
  }

  /// What it needs; null: it is a task of its own, or was ready from the beginning.
  [[nodiscard]] const dependency* needs() const noexcept { return needs_; }
  /// It has begun, or ended: returns when nobody looks at what it needed any more.
  void close() noexcept;

 protected:
  future_core(std::uint64_t runtime_id, stage at, std::uint32_t holders,
              void (*execute)(task&, worker&) noexcept, void (*destroy)(future_core&) noexcept,
              dependency* needs = nullptr);
  ~future_core() = default;

 private:
  friend class future_tree;

  static constexpr std::uint32_t begun = 1;
  static constexpr std::uint32_t ended = 2;
  static constexpr std::uint32_t failed = 4;
  static constexpr std::uint32_t awaited = 8;
  static constexpr std::uint32_t released = 16;
  /// Another future needs it.
  static constexpr std::uint32_t continued = 32;

  std::atomic<std::uint32_t> state_;
  std::atomic<std::uint32_t> holders_;
  void (*destroy_)(future_core&) noexcept;
  std::uint64_t runtime_id_;
  unsigned fork_generation_;
  /// Guards the two below, and who looks at what is needed.
  basic_futex_lock<> lock_;
  /// Which future needs this one, and as the how-manieth.
  future_core* consumer_ = nullptr;
  std::uint32_t position_ = 0;
  dependency* const needs_;
  /// Of a waiter that runs it: the consumer that it would run next, and whether it is to.
  future_core* expected_ = nullptr;
  future_core* handed_ = nullptr;
};

/// Wakes those who wait for the node, of whatever runtime.
void ring_waiters(const node& ended) noexcept;

}  // namespace evencube::detail
