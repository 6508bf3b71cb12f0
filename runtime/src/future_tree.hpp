#pragma once

#include <cstdint>
#include <utility>

#include <evencube/detail/future_core.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube::detail {

/// A holder of a future's state.
class future_hold {
 public:
  future_hold() = default;
  /// Takes one over that was counted already.
  explicit future_hold(future_core* counted) noexcept : held_(counted) {}
  future_hold(future_hold&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  future_hold& operator=(future_hold&& other) noexcept {
    future_hold(std::move(other)).swap(*this);
    return *this;
  }
  ~future_hold() {
    if (held_ != nullptr) held_->drop();
  }
  void swap(future_hold& other) noexcept { std::swap(held_, other.held_); }

  /// From now on the caller's.
  [[nodiscard]] future_core* let_go() noexcept { return std::exchange(held_, nullptr); }

  [[nodiscard]] future_core* get() const noexcept { return held_; }
  future_core& operator*() const noexcept { return *held_; }
  future_core* operator->() const noexcept { return held_; }
  explicit operator bool() const noexcept { return held_ != nullptr; }

 private:
  future_core* held_ = nullptr;
};

/// How futures that need others hang together. All links are followed from holder to holder: who
/// goes down takes a hold of the antecedent under the lock of its consumer, who goes up one of the
/// consumer under the lock of the antecedent (invariants T1 and T2 of runtime/docs/waiting.md).
class future_tree {
 public:
  /// `consumer` needs `antecedent`, as number `position`. False if that has ended already.
  static bool attach(future_core& antecedent, future_core& consumer,
                     std::uint32_t position) noexcept;
  /// Antecedent number `position` of one that needs all or any has ended: gives back the hold that
  /// it had of it, after having ended it if it was the last or the first. Not for one that
  /// something needs already.
  static void arrive(future_core& consumer, std::uint32_t position) noexcept;
  /// The task has ended, run by `by`: wakes who waits, and releases who needed nothing else.
  static void end(future_core& ended, bool threw, worker& by) noexcept;
  /// It may run from now on.
  static void release(future_core& ready) noexcept;

  static future_hold hold(future_core& shared) noexcept;
  /// The consumer, and the place there; nothing if there is none, or `below` has ended.
  static future_hold consumer(future_core& below, std::uint32_t& position) noexcept;
  /// The first antecedent from number `position` on that has not ended, and its number. Nothing if
  /// there is none, or `above` has begun or ended.
  static future_hold antecedent(future_core& above, std::uint32_t& position) noexcept;

  /// How often a future that one consumer was done with has got another one: what stood above it
  /// is then of another tree (invariant T2).
  static std::uint64_t relinks() noexcept;
  /// Whether `root` needs `below`, directly or through others, or is it. O(depth).
  static bool hangs_below(future_core& below, const future_core& root) noexcept;

  /// Runs `begun`, which the caller has begun and whose consumer is `parent` (or null). Gives back
  /// what this released, not queued: the caller's to run, or to queue.
  static future_hold run(worker& by, future_core& begun, const future_hold& parent) noexcept;
  /// Queues what `run` gave back.
  static void queue_released(future_hold released, worker& by) noexcept;

  /// How often something has changed that a wait for any of several looks at. Counted while there
  /// is such a wait (invariant A).
  static std::uint64_t changes() noexcept;
  static void begin_any_wait() noexcept;
  static void end_any_wait() noexcept;
  /// What these waits wait for.
  static const node& any_change() noexcept;

 private:
  /// What becomes of the consumer of one that has ended.
  static bool has_arrived(future_core& consumer, std::uint32_t position) noexcept;
  static future_core* settle(future_core& ended, bool threw) noexcept;
  static void queue(future_core& ready, worker& by) noexcept;
  static void send(future_core& ready, worker& by) noexcept;
  static void note_change() noexcept;
};

/// Looks through the tree below a future for what may run and nobody has begun, from left to right.
/// Goes on after what it found last. Needs no memory.
class tree_search {
 public:
  explicit tree_search(future_core& root)
      : root_(&root), seen_(future_tree::relinks()), at_(future_tree::hold(root)) {}

  /// Begins the next one and runs it, with what it releases within the tree. False at the end of a
  /// pass; the next call begins another one.
  bool run_next(worker& by) noexcept;

 private:
  void start_again() noexcept {
    seen_ = future_tree::relinks();
    at_ = future_tree::hold(*root_);
    position_ = 0;
  }
  /// Runs `begun`, which is below number `position` of `parent`, and then one after another the
  /// consumers that need nothing more, up to the root; goes on from where that ended.
  void run_upwards(worker& by, future_hold begun, future_hold parent,
                   std::uint32_t position) noexcept;
  /// Goes on at `above` behind number `position`, if that is there and of the tree.
  void go_on(future_hold above, std::uint32_t position) noexcept;
  /// Whether somebody went up from a future of the tree to this one within the tree (T2).
  bool still_within(future_core& reached) noexcept;

  future_core* root_;
  std::uint64_t seen_;          // the relinks when `at_` was last known to be below the root
  future_hold at_;              // looking at its antecedents ...
  std::uint32_t position_ = 0;  // ... from this one on
};

}  // namespace evencube::detail
