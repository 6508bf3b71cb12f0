#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/futex_lock.hpp>
#include <evencube/detail/future_core.hpp>
#include <evencube/detail/mailbox.hpp>
#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// The tasks of one priority, high or low, that wait for a worker: a list in the order of their
/// spawn. The tasks are linked through themselves, so a spawn into the list needs no memory.
/// Invariants priority.first, priority.seen and priority.notified.
template <typename Policy>
class basic_priority_list {
 public:
  /// How far a wait has looked: no task that was added before this point is below its target.
  struct look {
    /// The last task that the wait saw.
    slot_word last = 0;
    /// The number of that task among all that were added.
    std::uint64_t number = 0;
    /// How often tasks had been taken from between others by then.
    std::uint64_t gaps = 0;
  };

  /// Adds a task as the newest. Never fails. From time to time it also removes slots whose futures
  /// have begun elsewhere and returns them; the caller drops them. O(1) on average.
  message line_up(slot_word word) noexcept {
    const std::lock_guard guard(lock_);
    const message begun = length() >= sweep_at_ ? sweep() : message{};
    link(word);
    return begun;
  }
  /// Adds a task as the newest, without removing slots whose futures have begun.
  void add(slot_word word) noexcept {
    const std::lock_guard guard(lock_);
    link(word);
  }

  /// Takes the oldest task; 0 if there is none.
  [[gnu::noinline]] slot_word take_oldest() noexcept {
    const std::lock_guard guard(lock_);
    const slot_word word = oldest_;
    if (word != 0) unlink(0, word);
    return word;
  }

  /// Takes the oldest task below `target` that this wait has not looked at; 0 if there is none.
  /// O(depth) for each task that it looks at.
  [[gnu::noinline]] slot_word take_below(const node& target, look& so_far) noexcept {
    const std::lock_guard guard(lock_);
    const std::uint64_t added = added_.load(std::memory_order_relaxed);
    slot_word last = 0;
    slot_word word = oldest_;
    std::uint64_t left = length();  // the tasks from `word` on
    // Every task added after the last one seen is still here. If there are more tasks than those,
    // the last one seen is here, too.
    if (so_far.gaps == gaps_ && left > added - so_far.number) {
      last = so_far.last;
      word = task_of(last)->next_;
      left = added - so_far.number;
    }
    while (word != 0) {
      --left;
      if (descends(task_of(word), target)) {
        unlink(last, word);
        break;
      }
      last = word;
      word = task_of(word)->next_;
    }
    so_far = {last, added - left, gaps_};
    return word;
  }

  /// Calls f(task) for each task, the oldest first. No task is added or taken meanwhile.
  template <typename F>
  void for_each(F&& f) noexcept {
    const std::lock_guard guard(lock_);
    for (slot_word word = oldest_; word != 0; word = task_of(word)->next_) f(*task_of(word));
  }

  /// True if there is no task. A hint.
  [[nodiscard]] bool empty() const noexcept { return length() == 0; }
  [[nodiscard]] std::uint64_t length() const noexcept {
    return word_.load(std::memory_order_relaxed) / one;
  }
  /// True if there is neither a task nor a call.
  [[nodiscard]] bool quiet() const noexcept { return word_.load(std::memory_order_relaxed) == 0; }
  /// The word that `quiet` reads, for a worker that checks it before every task.
  [[nodiscard]] const auto* word() const noexcept { return &word_; }
  /// True if there is a task. Seq_cst: after the announcement of a worker that is about to sleep.
  [[nodiscard]] bool occupied() const noexcept {
    return word_.load(std::memory_order_seq_cst) >= one;
  }

  /// Calls the workers that check this list before every task to work that other workers left
  /// (invariant injector.turns). `called` is true until `end_call`.
  void call() noexcept {
    // Seq_cst, as in `end_call`: after the work for which they are called has been queued.
    if ((word_.load(std::memory_order_seq_cst) & calling) == 0) {
      word_.fetch_or(calling, std::memory_order_seq_cst);
    }
  }
  [[nodiscard]] bool called() const noexcept {
    return (word_.load(std::memory_order_relaxed) & calling) != 0;
  }
  void end_call() noexcept { word_.fetch_and(~calling, std::memory_order_seq_cst); }
  /// True if a task was added that this wait has not looked at. Order: seq_cst for a worker that is
  /// about to sleep, after it has entered the waiting room; relaxed for a hint.
  [[nodiscard]] bool news(const look& so_far, std::memory_order order) const noexcept {
    return added_.load(order) != so_far.number;
  }

 private:
  template <typename T>
  using plain = typename Policy::template plain<T>;

  /// From this number of tasks on, the list looks for slots whose futures have begun elsewhere.
  static constexpr std::uint64_t least_sweep = 256;

  void link(slot_word word) noexcept {
    task_of(word)->next_ = 0;
    append(newest_, word);
    newest_ = word;
    // Seq_cst, both: before the sleepers are read, pair with the loads in `occupied` and `news`
    // (invariant parking.last-look).
    added_.store(added_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
    word_.fetch_add(one, std::memory_order_seq_cst);
  }

  void append(slot_word to, slot_word word) noexcept {
    if (to == 0) {
      oldest_ = word;
    } else {
      task_of(to)->next_ = word;
    }
  }

  // `before` is the task in front of `word`, or 0 for the oldest.
  void unlink(slot_word before, slot_word word) noexcept {
    append(before, task_of(word)->next_);
    if (newest_ == word) newest_ = before;
    if (before != 0) gaps_ = gaps_ + 1;
    word_.fetch_sub(one, std::memory_order_relaxed);
  }

  // Looks for slots whose futures have begun, and next when there are twice as many tasks as it
  // left.
  message sweep() noexcept {
    message begun;
    slot_word before = 0;
    for (slot_word word = oldest_; word != 0;) {
      const slot_word next = task_of(word)->next_;
      if ((word & future_bit) != 0 &&
          static_cast<basic_future_core<Policy>*>(task_of(word))->has_begun()) {
        unlink(before, word);
        begun.add_newest(word);
      } else {
        before = word;
      }
      word = next;
    }
    sweep_at_ = std::max(least_sweep, 2 * length());
    return begun;
  }

  // Checked before every task, so it does not share a cache line with members that change often.
  static constexpr std::uint64_t calling = 1;
  static constexpr std::uint64_t one = 2;  // one task
  alignas(128) typename Policy::template atomic<std::uint64_t> word_{0};
  typename Policy::template atomic<std::uint64_t> added_{0};
  basic_futex_lock<Policy> lock_;
  plain<slot_word> oldest_{0};
  plain<slot_word> newest_{0};
  plain<std::uint64_t> gaps_{0};
  plain<std::uint64_t> sweep_at_{least_sweep};
};

}  // namespace evencube::detail
