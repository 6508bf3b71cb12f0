#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// Work from outside: a bounded ring of slot words for many producers and consumers. Each cell has
/// the number of the word that it holds. Producers that find the ring full sleep here. Words leave
/// in the order in which they came. boost::lockfree::queue is not used: it takes longer
/// (docs/measurements.md has the figures), and it reads the link of a node that another thread may
/// be recycling, which ThreadSanitizer rightly reports. Invariants injector.reuse, injector.ready
/// and injector.room are in runtime/src/queues/injector.md.
template <typename Atomics = std_atomics>
class basic_injector {
 public:
  /// Holds at least `capacity` words, capacity >= 1.
  explicit basic_injector(std::size_t capacity)
      : capacity_(std::bit_ceil(capacity)), cells_(std::make_unique<cell[]>(capacity_)) {}

  /// Appends a word. False if there is no room, or if the injector is closed. After a successful
  /// push the caller wakes an idle worker.
  bool push(std::uint64_t word) noexcept {
    std::size_t position = tail_.load(std::memory_order_relaxed);
    do {
      // Acquire: pairs with the release of `head_seen_` below.
      if (position - head_seen_.load(std::memory_order_acquire) >= capacity_) {
        // Acquire: pairs with the swap in `take`: the word that was in the cell has been read.
        const std::size_t head = head_.load(std::memory_order_acquire);
        if (static_cast<std::ptrdiff_t>(position - head) >= static_cast<std::ptrdiff_t>(capacity_))
          return false;
        // Release: passes on what this look acquired to a producer that trusts it.
        head_seen_.store(head, std::memory_order_release);
      }
    } while (!tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed,
                                          std::memory_order_relaxed));
    cell& c = at(position);
    c.word.store(word, std::memory_order_relaxed);
    // Release: pairs with the loads in `whole_at`. Seq_cst: before the idle set is read, pairs with
    // the load in `ready` (invariant parking.last-look).
    c.number.store(position + 1, std::memory_order_seq_cst);
    return true;
  }

  /// Takes the oldest word; 0 if there is none, or if it is still being written.
  std::uint64_t take() noexcept {
    std::size_t position = head_.load(std::memory_order_relaxed);
    for (;;) {
      if (!whole_at(position)) {
        const std::size_t now = head_.load(std::memory_order_relaxed);
        if (now == position) return 0;
        position = now;
        continue;
      }
      // The right word if the swap succeeds: while the head is here, no producer writes to the
      // cell.
      const std::uint64_t word = at(position).word.load(std::memory_order_relaxed);
      // Release: pairs with the load in `push`; the cell has been read. Seq_cst: before `blocked_`
      // is read (invariant injector.room).
      if (head_.compare_exchange_weak(position, position + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
        if (blocked_.load(std::memory_order_seq_cst) != 0 && roomy()) wake_blocked();
        fetch_ahead(position);
        return word;
      }
    }
  }

  /// Refuses all further words, and wakes the producers that sleep for room.
  void close() noexcept {
    // Seq_cst: before the sleeping producers are woken, pairs with the load in `roomy` (invariant
    // injector.room).
    tail_.fetch_or(closed_bit, std::memory_order_seq_cst);
    wake_blocked();
  }
  [[nodiscard]] bool closed() const noexcept {
    return (tail_.load(std::memory_order_seq_cst) & closed_bit) != 0;
  }
  /// True once every word that came in before `close` has been taken, including words that were
  /// still being written. Call after `close`.
  [[nodiscard]] bool drained() const noexcept {
    return (tail_.load(std::memory_order_seq_cst) & ~closed_bit) ==
           head_.load(std::memory_order_seq_cst);
  }

  /// Sleeps while more than half of the ring is full, unless it is closed; so not every word costs
  /// a wake-up. Calls `full()` before each sleep: other producers may have filled the ring again,
  /// and then sleep for something else. Also returns once `given_up()` is true, because no worker
  /// will make room.
  template <typename Full, typename GivenUp>
  void await_room(Full&& full, GivenUp&& given_up) noexcept {
    // Seq_cst: before the length and `given_up` are read, and before `full` looks for a worker that
    // is awake; pairs with the loads in `take` and `wake_producers` (invariant injector.room).
    blocked_.fetch_add(1, std::memory_order_seq_cst);
    for (;;) {
      // Acquire: pairs with the release in `wake_blocked`.
      const std::uint32_t seen = freed_.load(std::memory_order_acquire);
      if (roomy() || given_up()) break;
      full();
      Atomics::wait(freed_, seen);
    }
    blocked_.fetch_sub(1, std::memory_order_relaxed);
  }

  /// Wakes producers that sleep in `await_room`. Call when their `given_up()` has become true.
  void wake_producers() noexcept {
    // Seq_cst: after `given_up()` has become true (invariant injector.room).
    if (blocked_.load(std::memory_order_seq_cst) != 0) wake_blocked();
  }

  /// The approximate number of words, including those that are still being written.
  [[nodiscard]] std::size_t length() const noexcept {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    return (tail_.load(std::memory_order_relaxed) & ~closed_bit) - head;
  }

  /// True if there is a word to take. A hint. False if the oldest word is still being written, even
  /// if there are complete words behind it. Its writer will wake a worker when it is complete; a
  /// worker that stayed awake for it would take the processor that the writer may need.
  [[nodiscard]] bool ready() const noexcept {
    // Seq_cst: after the announcement of a worker that is about to sleep (invariant
    // parking.last-look). If the head has moved on meanwhile, the cell has a larger number.
    const std::size_t position = head_.load(std::memory_order_relaxed);
    return at(position).number.load(std::memory_order_seq_cst) > position;
  }

 private:
  template <typename T>
  using atomic = typename Atomics::template atomic<T>;

  /// A bit of the tail that makes the ring look full to a push, so that a push need not check it.
  static constexpr std::size_t closed_bit = std::size_t{1} << (sizeof(std::size_t) * 8 - 2);

  struct cell {
    atomic<std::size_t> number{0};  ///< of the word in the cell, from 1; 0: none yet
    atomic<std::uint64_t> word{0};
  };

  [[nodiscard]] cell& at(std::size_t position) const noexcept {
    return cells_[position & (capacity_ - 1)];
  }
  [[nodiscard]] bool roomy() const noexcept {
    // Seq_cst: invariant injector.room. The head is read first: words taken meanwhile make the ring
    // look fuller than it is.
    const std::size_t head = head_.load(std::memory_order_seq_cst);
    const std::size_t tail = tail_.load(std::memory_order_seq_cst);
    return (tail & closed_bit) != 0 || tail - head <= capacity_ / 2;
  }
  /// Prefetches the task after the next, which was written on another processor, while the task at
  /// `position` runs. Further ahead, its spawner might still be writing to the same cache line.
  void fetch_ahead(std::size_t position) const noexcept {
    if constexpr (Atomics::fetches_ahead) {
      constexpr std::size_t ahead = 2;
      const cell& later = at(position + ahead);
      // Relaxed: the task is not read, and need not be there.
      if (later.number.load(std::memory_order_relaxed) == position + ahead + 1) {
        fetch_to_read(task_of(later.word.load(std::memory_order_relaxed)));
      }
    }
  }
  void wake_blocked() noexcept {
    freed_.fetch_add(1, std::memory_order_release);
    Atomics::wake(freed_, INT32_MAX);
  }
  [[nodiscard]] bool whole_at(std::size_t position) const noexcept {
    // Acquire: pairs with the store in `push`. Seq_cst: `take` is also the last check of the last
    // worker that goes to sleep in a wait (`match`), after it has been counted among the sleepers.
    return at(position).number.load(std::memory_order_seq_cst) == position + 1;
  }

  std::size_t capacity_;  // a power of two
  std::unique_ptr<cell[]> cells_;
  alignas(128) atomic<std::size_t> tail_{0};
  atomic<std::size_t> head_seen_{0};  // stored by producers: never beyond the head
  alignas(128) atomic<std::size_t> head_{0};
  /// The number of producers that sleep or are about to, and the number of times they were woken.
  atomic<std::uint32_t> blocked_{0};
  atomic<std::uint32_t> freed_{0};
};

}  // namespace evencube::detail
