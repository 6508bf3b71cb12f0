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

/// The permits of an arena and the tasks that wait for one (runtime/src/arenas/arenas.md). Its
/// holders share it: the interface, futures, and workers with a permit. The last of them destroys
/// it.
template <typename Policy>
class basic_arena {
 public:
  /// A worker with a begun task of the arena that waits in line for a permit to go on.
  struct waiter {
    basic_signal_word<Policy>* bell;
    waiter* next = nullptr;
    typename Policy::template atomic<bool> granted{false};
  };

  basic_arena(std::uint64_t number, std::uint32_t permits) noexcept
      : number_(number), permits_(permits) {}
  basic_arena(const basic_arena&) = delete;
  basic_arena& operator=(const basic_arena&) = delete;

  /// The number of the arena, unique in the process and never used again. Permits are taken back
  /// in the order of these numbers.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] std::uint32_t permits() const noexcept { return permits_; }

  void retain() noexcept { holders_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    // Release: everything that this holder did comes before the destruction. Acquire: so does
    // everything that the other holders did.
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
  /// Gives a permit back if neither a task nor a worker waits for one. Release: pairs with the
  /// acquires where permits are taken.
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
  /// True if a permit is free. Exact under the lock of the arenas while a task or worker waits for
  /// a permit; otherwise a hint.
  [[nodiscard]] bool has_free() const noexcept {
    return (word_.load(std::memory_order_relaxed) & ~waited_for) < permits_;
  }

 private:
  friend basic_arenas<Policy>;

  /// A bit next to the number of permits taken: a task or a worker waits for one. It is set under
  /// the lock of the arenas when all permits are taken, so a worker that gives one back afterwards
  /// finds it.
  static constexpr std::uint32_t waited_for = std::uint32_t{1} << 31;

  ~basic_arena() = default;

  // True if a permit has been taken. False if all are taken; then the next worker that gives one
  // back takes the lock. Call with the lock held. Acquire: as in `take`.
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
  // True if a permit is free. False if all are taken; then the next worker that gives one back
  // takes the lock. Call with the lock held.
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
  // Clears the bit if neither a task nor a worker waits. Call with the lock held.
  void forget_if_unwaited() noexcept {
    if (first_ == nullptr && parked_.empty() && !wanted_) {
      word_.fetch_and(~waited_for, std::memory_order_relaxed);
    }
  }

  const std::uint64_t number_;
  const std::uint32_t permits_;
  typename Policy::template atomic<std::uint32_t> holders_{1};
  typename Policy::template atomic<std::uint32_t> word_{0};
  // Guarded by the lock of the arenas, from here on.
  basic_priority_list<Policy> parked_;
  waiter* first_ = nullptr;
  waiter** last_ = &first_;
  /// A worker in a wait could begin a future if there were a permit.
  bool wanted_ = false;
  bool listed_ = false;
  basic_arena* next_ = nullptr;
};

/// The state that the arenas of a runtime share: the lock for everything that is not on a fast
/// path, and the list of arenas with parked tasks.
template <typename Policy>
class basic_arenas {
 public:
  using arena_type = basic_arena<Policy>;

  /// Which waiters are left when a permit has been given back.
  struct given_back {
    /// Parked tasks wait for the permit.
    bool parked = false;
    /// A worker in a wait may wait for the permit.
    bool wanted = false;
  };

  /// Takes a permit; or parks the task, and returns false. Then `begun` has slots of futures that
  /// have begun elsewhere, which the caller drops.
  bool take_or_park(arena_type& arena, slot_word word, message& begun) noexcept {
    const std::lock_guard guard(lock_);
    if (arena.take_or_announce()) return true;
    begun = arena.parked_.line_up(word);
    if (!arena.listed_) {
      arena.listed_ = true;
      append(arena);
      // Seq_cst: pairs with the load in `waiting` by a worker that is about to sleep.
      waiting_.store(waiting_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
    }
    return false;
  }
  /// Takes a permit; or returns false, and the next worker that gives one back notifies the
  /// waiters.
  bool take_or_want(arena_type& arena) noexcept {
    const std::lock_guard guard(lock_);
    if (arena.take_or_announce()) return true;
    arena.wanted_ = true;
    return false;
  }
  /// True if there is a permit. If not, the next worker that gives one back notifies the waiters,
  /// of which the caller, in the waiting room, is one. The mark that the caller left before may
  /// have been taken before it was in the room, and the permit may have been taken by others since.
  bool has_free_or_want(arena_type& arena) noexcept {
    const std::lock_guard guard(lock_);
    if (!Policy::checks("arenas.wanted")) return arena.has_free();
    if (arena.has_free_or_announce()) return true;
    arena.wanted_ = true;
    return false;
  }
  /// Takes a permit; or puts the caller in line for one, and returns false.
  bool take_or_wait(arena_type& arena, typename arena_type::waiter& me) noexcept {
    const std::lock_guard guard(lock_);
    if (arena.take_or_announce()) return true;
    *arena.last_ = &me;
    arena.last_ = &me.next;
    return false;
  }

  /// Gives the permit to the first worker in line, or else makes it free.
  given_back give_back(arena_type& arena) noexcept {
    if (arena.leave()) return {};
    const std::lock_guard guard(lock_);
    if (auto* const next = arena.first_) {
      arena.first_ = next->next;
      if (arena.first_ == nullptr) arena.last_ = &arena.first_;
      arena.forget_if_unwaited();
      basic_signal_word<Policy>& bell = *next->bell;
      // Release: pairs with the acquire of the worker in line. From here on its frame may be gone.
      next->granted.store(true, std::memory_order_release);
      bell.raise(signal_done);
      return {};
    }
    // Release: as in `leave`. A worker that checks for a permit before it sleeps does so under the
    // lock.
    arena.word_.fetch_sub(1, std::memory_order_release);
    const given_back outcome{!arena.parked_.empty(), std::exchange(arena.wanted_, false)};
    arena.forget_if_unwaited();
    return outcome;
  }

  /// Takes a free permit of any arena with parked tasks, and the task that was parked there first;
  /// 0 if there is none. Then `taken` is that arena, which comes last the next time.
  slot_word take_parked(arena_type*& taken) noexcept {
    if (!waiting()) return 0;
    const std::lock_guard guard(lock_);
    for (arena_type* a = first_; a != nullptr; a = a->next_) {
      if (!a->take()) continue;
      taken = a;
      const slot_word word = oldest_of(*a);
      if (a->listed_) {
        unlink(*a);
        append(*a);
      }
      return word;
    }
    return 0;
  }
  /// Takes a parked task below `target`, from an arena in which the caller has a permit
  /// (`holds(arena)`) or gets one. In the latter case `taken` is that arena. 0 if there is none.
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
      // No worker has joined the line meanwhile, and a worker that was refused checks again under
      // the lock. Release: as in `leave`.
      if (!held) a->word_.fetch_sub(1, std::memory_order_release);
    }
    return 0;
  }

  /// True if tasks are parked in any arena. Seq_cst: after the announcement of a worker that is
  /// about to sleep.
  [[nodiscard]] bool waiting() const noexcept {
    return waiting_.load(std::memory_order_seq_cst) != 0;
  }
  /// True if tasks are parked in an arena with a free permit.
  [[nodiscard]] bool offers() noexcept {
    if (!waiting()) return false;
    const std::lock_guard guard(lock_);
    for (arena_type* a = first_; a != nullptr; a = a->next_) {
      if (a->has_free()) return true;
    }
    return false;
  }
  /// True if `needs(task)` holds for a task that is parked in an arena with a free permit. O(parked
  /// tasks).
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
  /// Takes all parked tasks and calls give(word) for each.
  template <typename Give>
  void empty_into(Give&& give) noexcept {
    if (!waiting()) return;
    const std::lock_guard guard(lock_);
    while (first_ != nullptr) give(oldest_of(*first_));
  }

 private:
  // Call with the lock held.
  slot_word oldest_of(arena_type& arena) noexcept {
    const slot_word word = arena.parked_.take_oldest();
    unlist_if_empty(arena);
    return word;
  }
  void append(arena_type& arena) noexcept {
    arena_type** link = &first_;
    while (*link != nullptr) link = &(*link)->next_;
    arena.next_ = nullptr;
    *link = &arena;
  }
  void unlink(arena_type& arena) noexcept {
    arena_type** link = &first_;
    while (*link != &arena) link = &(*link)->next_;
    *link = arena.next_;
  }
  void unlist_if_empty(arena_type& arena) noexcept {
    if (!arena.parked_.empty() || !arena.listed_) return;
    unlink(arena);
    arena.listed_ = false;
    arena.forget_if_unwaited();
    waiting_.store(waiting_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }

  basic_futex_lock<Policy> lock_;
  arena_type* first_ = nullptr;  // of the arenas with parked tasks
  typename Policy::template atomic<std::uint32_t> waiting_{0};
};

}  // namespace evencube::detail
