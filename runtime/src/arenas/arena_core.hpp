#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include <evencube/detail/futex_lock.hpp>
#include <evencube/detail/mailbox.hpp>
#include <evencube/detail/signal_word.hpp>
#include <evencube/detail/task.hpp>
#include <evencube/detail/worker.hpp>

#include "queues/priority_list.hpp"

namespace evencube::detail {

template <typename Policy>
class basic_arenas;

/// The permits of an arena and the tasks that wait for one (runtime/src/arenas/arenas.md). Shared
/// by those that hold it: the interface, futures, workers with a permit; destroyed by the last.
template <typename Policy>
class basic_arena {
 public:
  /// One who has a task of the arena under way and waits for a permit to go on.
  struct waiter {
    basic_signal_word<Policy>* bell;
    waiter* next = nullptr;
    typename Policy::template atomic<bool> granted{false};
  };

  basic_arena(std::uint64_t number, std::uint32_t permits) noexcept
      : number_(number), permits_(permits) {}
  basic_arena(const basic_arena&) = delete;
  basic_arena& operator=(const basic_arena&) = delete;

  /// Of all arenas of the process, never used again: the order in which permits are taken again.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] std::uint32_t permits() const noexcept { return permits_; }

  void hold() noexcept { holders_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    // Release: what this side did comes before the destruction; acquire: the others', too.
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  /// Takes a permit if one is free. Acquire: pairs with the releases in `leave` and `give_back`.
  bool take() noexcept {
    std::uint32_t now = word_.load(std::memory_order_relaxed);
    while ((now & ~waited_for) < permits_) {
      if (word_.compare_exchange_weak(now, now + 1, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
  /// Gives a permit back if nobody waits for one. Release: pairs with the acquires where permits
  /// are taken.
  bool leave() noexcept {
    std::uint32_t now = word_.load(std::memory_order_relaxed);
    while ((now & waited_for) == 0) {
      if (word_.compare_exchange_weak(now, now - 1, std::memory_order_release,
                                      std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
  /// Exact under the lock of the arenas while somebody waits for a permit, else a glance.
  [[nodiscard]] bool has_free() const noexcept {
    return (word_.load(std::memory_order_relaxed) & ~waited_for) < permits_;
  }

 private:
  friend basic_arenas<Policy>;

  /// Beside the number of permits taken: somebody waits for one. Set under the lock of the arenas,
  /// where all are taken: who gives one back afterwards finds it.
  static constexpr std::uint32_t waited_for = std::uint32_t{1} << 31;

  ~basic_arena() = default;

  // Holds the lock. True: a permit has been taken; false: all are, and who gives one back comes.
  // Acquire: as in `take`.
  bool take_or_announce() noexcept {
    std::uint32_t now = word_.load(std::memory_order_relaxed);
    for (;;) {
      const bool free = (now & ~waited_for) < permits_;
      if (word_.compare_exchange_weak(now, free ? now + 1 : now | waited_for,
                                      std::memory_order_acquire, std::memory_order_relaxed)) {
        return free;
      }
    }
  }
  // Holds the lock. True: one is free; false: all are taken, and who gives one back comes.
  bool has_free_or_announce() noexcept {
    std::uint32_t now = word_.load(std::memory_order_relaxed);
    while ((now & ~waited_for) >= permits_) {
      if (word_.compare_exchange_weak(now, now | waited_for, std::memory_order_relaxed,
                                      std::memory_order_relaxed)) {
        return false;
      }
    }
    return true;
  }
  // Holds the lock.
  void forget_if_unwaited() noexcept {
    if (first_ == nullptr && parked_.empty() && !wanted_) {
      word_.fetch_and(~waited_for, std::memory_order_relaxed);
    }
  }

  const std::uint64_t number_;
  const std::uint32_t permits_;
  typename Policy::template atomic<std::uint32_t> holders_{1};
  typename Policy::template atomic<std::uint32_t> word_{0};
  // Guarded by the lock of the arenas:
  basic_priority_list<Policy> parked_;
  waiter* first_ = nullptr;
  waiter** last_ = &first_;
  /// Somebody in a wait could begin a future if there were a permit.
  bool wanted_ = false;
  bool listed_ = false;
  basic_arena* next_ = nullptr;
};

/// What the arenas of a runtime share: the lock of all that is no fast path, and which of them have
/// tasks that wait for a permit.
template <typename Policy>
class basic_arenas {
 public:
  using arena_type = basic_arena<Policy>;

  /// What became of a permit that was given back.
  struct given_back {
    /// Tasks wait for it.
    bool parked = false;
    /// Somebody in a wait may.
    bool wanted = false;
  };

  /// Takes a permit, or has the task wait for one: false, and `begun` are slots of futures that
  /// have begun elsewhere, for the caller to drop.
  bool take_or_park(arena_type& of, slot_word word, message& begun) noexcept {
    const std::lock_guard guard(lock_);
    if (of.take_or_announce()) return true;
    begun = of.parked_.line_up(word);
    if (!of.listed_) {
      of.listed_ = true;
      of.next_ = first_;
      first_ = &of;
      // Seq_cst: pairs with the load in `waiting`, by who is about to sleep.
      waiting_.store(waiting_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
    }
    return false;
  }
  /// Takes a permit, or has the next one who gives one back tell those who wait: false.
  bool take_or_want(arena_type& of) noexcept {
    const std::lock_guard guard(lock_);
    if (of.take_or_announce()) return true;
    of.wanted_ = true;
    return false;
  }
  /// Whether there is a permit; if not, the next one who gives one back tells those who wait, of
  /// whom the caller, in the waiting room, is one. The word that it left before may have been taken
  /// when it was not there yet, and the permit by others since.
  bool has_free_or_want(arena_type& of) noexcept {
    const std::lock_guard guard(lock_);
    if (!Policy::checks("want anew")) return of.has_free();
    if (of.has_free_or_announce()) return true;
    of.wanted_ = true;
    return false;
  }
  /// Takes a permit, or stands in line for one: false.
  bool take_or_wait(arena_type& of, typename arena_type::waiter& me) noexcept {
    const std::lock_guard guard(lock_);
    if (of.take_or_announce()) return true;
    *of.last_ = &me;
    of.last_ = &me.next;
    return false;
  }

  /// The permit goes to the first who has a task under way, or becomes free.
  given_back give_back(arena_type& of) noexcept {
    if (of.leave()) return {};
    const std::lock_guard guard(lock_);
    if (auto* const next = of.first_) {
      of.first_ = next->next;
      if (of.first_ == nullptr) of.last_ = &of.first_;
      of.forget_if_unwaited();
      basic_signal_word<Policy>& bell = *next->bell;
      // Release: pairs with the acquire of who waits, and whose frame it may be no longer.
      next->granted.store(true, std::memory_order_release);
      bell.raise(signal_done);
      return {};
    }
    // Release: as in `leave`. Who looks for a permit before it sleeps does it under the lock.
    of.word_.fetch_sub(1, std::memory_order_release);
    const given_back outcome{!of.parked_.empty(), std::exchange(of.wanted_, false)};
    of.forget_if_unwaited();
    return outcome;
  }

  /// The task that has waited longest; 0 if there is none, or no permit.
  slot_word take_parked(arena_type& of) noexcept {
    const std::lock_guard guard(lock_);
    return of.has_free() ? oldest_of(of) : 0;
  }
  /// The same of any arena.
  slot_word take_parked() noexcept {
    if (!waiting()) return 0;
    const std::lock_guard guard(lock_);
    for (arena_type* a = first_; a != nullptr; a = a->next_) {
      if (a->has_free()) return oldest_of(*a);
    }
    return 0;
  }
  /// One below `target`, of an arena in which the caller has a permit, `holds(arena)`, or gets one:
  /// that is then `taken`. 0 if there is none.
  template <typename Holds>
  slot_word take_below(const node& target, Holds&& holds, arena_type*& taken) noexcept {
    if (!waiting()) return 0;
    const std::lock_guard guard(lock_);
    for (arena_type* a = first_; a != nullptr; a = a->next_) {
      const bool held = holds(*a);
      if (!held && !a->take()) continue;
      typename basic_priority_list<Policy>::look from_the_first;
      if (const slot_word word = a->parked_.take_below(target, from_the_first)) {
        if (!held) taken = a;
        unlist_if_empty(*a);
        return word;
      }
      // Nobody has stood in line meanwhile, and who was refused looks again under the lock.
      // Release: as in `leave`.
      if (!held) a->word_.fetch_sub(1, std::memory_order_release);
    }
    return 0;
  }

  /// Whether tasks wait anywhere. Seq_cst: after the announcement of who is about to sleep.
  [[nodiscard]] bool waiting() const noexcept {
    return waiting_.load(std::memory_order_seq_cst) != 0;
  }
  /// Whether some wait for which there is a permit, ...
  [[nodiscard]] bool offers() noexcept {
    if (!waiting()) return false;
    const std::lock_guard guard(lock_);
    for (arena_type* a = first_; a != nullptr; a = a->next_) {
      if (a->has_free()) return true;
    }
    return false;
  }
  /// ... and for one of which `needs(task)` holds, the first that is found. O(tasks that wait).
  template <typename Needs>
  bool offers(Needs&& needs) noexcept {
    if (!waiting()) return false;
    const std::lock_guard guard(lock_);
    for (arena_type* a = first_; a != nullptr; a = a->next_) {
      if (!a->has_free()) continue;
      bool found = false;
      a->parked_.for_each([&](const task& t) { found = found || needs(t); });
      if (found) return true;
    }
    return false;
  }
  /// Takes up all that waits: calls give(word).
  template <typename Give>
  void empty_into(Give&& give) noexcept {
    if (!waiting()) return;
    const std::lock_guard guard(lock_);
    while (first_ != nullptr) give(oldest_of(*first_));
  }

 private:
  // Holds the lock.
  slot_word oldest_of(arena_type& of) noexcept {
    const slot_word word = of.parked_.take_oldest();
    unlist_if_empty(of);
    return word;
  }
  void unlist_if_empty(arena_type& of) noexcept {
    if (!of.parked_.empty() || !of.listed_) return;
    arena_type** link = &first_;
    while (*link != &of) link = &(*link)->next_;
    *link = of.next_;
    of.listed_ = false;
    of.forget_if_unwaited();
    waiting_.store(waiting_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }

  basic_futex_lock<Policy> lock_;
  arena_type* first_ = nullptr;  // of those with tasks that wait
  typename Policy::template atomic<std::uint32_t> waiting_{0};
};

}  // namespace evencube::detail
