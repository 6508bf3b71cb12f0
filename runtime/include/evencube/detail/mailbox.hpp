#pragma once

#include <cstdint>
#include <utility>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// Tasks that travel together, linked by `task::next_`, the newest first, in the order of a queue
/// from its new end. `newest` is 0 if the message is empty.
struct message {
  slot_word newest = 0;
  slot_word oldest = 0;
  std::uint32_t tasks = 0;
  std::uint64_t quanta = 0;

  /// Puts a task in front, newer than all others.
  void add_newest(slot_word word) noexcept {
    task_of(word)->next_ = newest;
    newest = word;
    count(word);
    if (oldest == 0) oldest = word;
  }
  /// Puts a task at the end, older than all others.
  void add_oldest(slot_word word) noexcept {
    task_of(word)->next_ = 0;
    (newest == 0 ? newest : task_of(oldest)->next_) = word;
    count(word);
    oldest = word;
  }
  [[nodiscard]] bool empty() const noexcept { return newest == 0; }
  /// Takes the newest task out.
  slot_word take_newest() noexcept {
    const slot_word word = newest;
    newest = task_of(word)->next_;
    if (newest == 0) oldest = 0;
    --tasks;
    quanta -= cost_of(word);
    return word;
  }

 private:
  void count(slot_word word) noexcept {
    ++tasks;
    quanta += cost_of(word);
  }
};

/// Returns the same tasks in the reverse order. O(tasks).
inline message turned(message from) noexcept {
  message to;
  while (!from.empty()) to.add_newest(from.take_newest());
  return to;
}

/// The tasks sent to a worker. A task that its receiver did not fetch itself travels in no other
/// way (invariant mailbox.linked). Any thread sends, and any thread takes, always everything. No
/// step allocates, so a task that has been claimed elsewhere always arrives.
template <typename Atomics = std_atomics>
class basic_mailbox {
 public:
  /// Adds all tasks of a message that is not empty. Any thread, lock-free. The sender rings the
  /// receiver afterwards, and reads the idle set.
  void send(const message& sent) noexcept {
    quanta_.fetch_add(static_cast<std::int64_t>(sent.quanta), std::memory_order_relaxed);
    slot_word head = newest_.load(std::memory_order_relaxed);
    do {
      task_of(sent.oldest)->next_ = head;
      // Release: pairs with the acquire in `take`. Seq_cst: done before the sender reads the idle
      // set; pairs with the load in `empty` (invariant parking.last-look).
    } while (!newest_.compare_exchange_weak(head, sent.newest, std::memory_order_seq_cst,
                                            std::memory_order_relaxed));
  }

  /// Takes everything. Any thread.
  message take() noexcept {
    message all;
    // Acquire: pairs with the release in `send`; additions in between continue its release
    // sequence.
    all.newest = newest_.exchange(0, std::memory_order_acquire);
    for (slot_word word = all.newest; word != 0; word = task_of(word)->next_) {
      ++all.tasks;
      all.quanta += cost_of(word);
      all.oldest = word;
    }
    if (all.tasks != 0) {
      quanta_.fetch_sub(static_cast<std::int64_t>(all.quanta), std::memory_order_relaxed);
    }
    return all;
  }

  /// Takes the newest task alone, or 0. Any thread. Takes everything and puts the rest back, so the
  /// mailbox looks empty meanwhile: if `left` is true afterwards, the caller rings and reads the
  /// idle set, as a sender does. O(1) if nothing is sent meanwhile.
  slot_word take_one(bool& left) noexcept {
    // Acquire: as in `take`.
    const slot_word one = newest_.exchange(0, std::memory_order_acquire);
    left = false;
    if (one == 0) return 0;
    quanta_.fetch_sub(static_cast<std::int64_t>(cost_of(one)), std::memory_order_relaxed);
    slot_word rest = task_of(one)->next_;
    task_of(one)->next_ = 0;
    while (rest != 0) {
      slot_word head = 0;
      left = true;
      // Release and seq_cst: as in `send`.
      if (newest_.compare_exchange_strong(head, rest, std::memory_order_seq_cst,
                                          std::memory_order_relaxed)) {
        break;
      }
      // What has come meanwhile is newer, and few.
      const slot_word come = newest_.exchange(0, std::memory_order_acquire);
      if (come == 0) continue;
      slot_word oldest = come;
      while (task_of(oldest)->next_ != 0) oldest = task_of(oldest)->next_;
      task_of(oldest)->next_ = rest;
      rest = come;
    }
    return one;
  }

  /// Seq_cst: read after a thread that is going to sleep has announced itself.
  [[nodiscard]] bool empty() const noexcept { return newest_.load(std::memory_order_seq_cst) == 0; }

  /// The quanta on their way to the worker.
  [[nodiscard]] std::int64_t quanta() const noexcept {
    return quanta_.load(std::memory_order_relaxed);
  }

 private:
  typename Atomics::template atomic<slot_word> newest_{0};
  typename Atomics::template atomic<std::int64_t> quanta_{0};
};

}  // namespace evencube::detail
