#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// Work from outside: a bounded ring of slot words for many producers and consumers, whose cells
/// tell which word they hold, and the sleep of producers that find it full. Words leave in the
/// order they came. Not boost::lockfree::queue, which takes longer (docs/performance.md has the
/// figures) and reads the link of a node that another thread may be recycling, which
/// ThreadSanitizer rightly reports. Invariants injector.reuse, injector.ready and injector.room are
/// in runtime/src/queues/injector.md.
template <typename Atomics = std_atomics>
class basic_injector {
 public:
  /// Holds at least `capacity` words, capacity >= 1.
  explicit basic_injector(std::size_t capacity)
      : capacity_(std::bit_ceil(capacity)), cells_(std::make_unique<cell[]>(capacity_)) {}

  /// False if there is no room, or it is closed. Who queued a word then wakes an idle worker.
  bool push(std::uint64_t word) noexcept {
    std::size_t position = tail_.load(std::memory_order_relaxed);
    do {
      // Acquire: pairs with the release below.
      if (position - head_seen_.load(std::memory_order_acquire) >= capacity_) {
        // Acquire: pairs with the swap in `take`: the word that was in the cell has been read.
        const std::size_t head = head_.load(std::memory_order_acquire);
        if (static_cast<std::ptrdiff_t>(position - head) >= static_cast<std::ptrdiff_t>(capacity_))
          return false;
        // Release: so does who trusts this look.
        head_seen_.store(head, std::memory_order_release);
      }
    } while (!tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed,
                                          std::memory_order_relaxed));
    cell& c = at(position);
    c.word.store(word, std::memory_order_relaxed);
    // Release: pairs with the loads in `whole_at`. Seq_cst: before the idle are looked at, pairs
    // with the load in `ready` (invariant parking.last-look).
    c.number.store(position + 1, std::memory_order_seq_cst);
    return true;
  }

  /// Takes the oldest word; 0 if there is none, or it is still being written.
  std::uint64_t take() noexcept {
    std::size_t position = head_.load(std::memory_order_relaxed);
    for (;;) {
      if (!whole_at(position)) {
        const std::size_t now = head_.load(std::memory_order_relaxed);
        if (now == position) return 0;
        position = now;
        continue;
      }
      // Of the right word if the swap succeeds: while the head is here nobody writes to the cell.
      const std::uint64_t word = at(position).word.load(std::memory_order_relaxed);
      // Release: pairs with the load in `push`, the cell has been read. Seq_cst: before `blocked_`
      // is looked at (invariant injector.room).
      if (head_.compare_exchange_weak(position, position + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
        if (blocked_.load(std::memory_order_seq_cst) != 0 && roomy()) wake_blocked();
        fetch_ahead(position);
        return word;
      }
    }
  }

  /// Nothing comes in any more; who sleeps for room wakes.
  void close() noexcept {
    // Seq_cst: before those who sleep are woken, pairs with the load in `roomy` (invariant
    // injector.room).
    tail_.fetch_or(closed_bit, std::memory_order_seq_cst);
    wake_blocked();
  }
  [[nodiscard]] bool closed() const noexcept {
    return (tail_.load(std::memory_order_seq_cst) & closed_bit) != 0;
  }
  /// Once it is closed: whether all that came in has been taken, even what is still being written.
  [[nodiscard]] bool drained() const noexcept {
    return (tail_.load(std::memory_order_seq_cst) & ~closed_bit) ==
           head_.load(std::memory_order_seq_cst);
  }

  /// Sleeps while more than half is full, unless it is closed: so not every word costs a wake-up.
  /// Returns also once `given_up()`: nobody is there to make room.
  template <typename GivenUp>
  void await_room(GivenUp&& given_up) noexcept {
    // Seq_cst: before the length and `given_up` are looked at, pairs with the loads in `take` and
    // `wake_producers` (invariant injector.room).
    blocked_.fetch_add(1, std::memory_order_seq_cst);
    for (;;) {
      // Acquire: pairs with the release in `wake_blocked`.
      const std::uint32_t seen = freed_.load(std::memory_order_acquire);
      if (roomy() || given_up()) break;
      Atomics::wait(freed_, seen);
    }
    blocked_.fetch_sub(1, std::memory_order_relaxed);
  }

  /// What `await_room` was given has become true: producers that sleep look at it.
  void wake_producers() noexcept {
    // Seq_cst: after that has become true (invariant injector.room).
    if (blocked_.load(std::memory_order_seq_cst) != 0) wake_blocked();
  }

  /// About how many words there are, those that are still being written included.
  [[nodiscard]] std::size_t length() const noexcept {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    return (tail_.load(std::memory_order_relaxed) & ~closed_bit) - head;
  }

  /// Whether there is something to take, as far as one look tells. Not if the oldest word is still
  /// being written, though others may stand behind it: its writer will wake a worker when it is
  /// there, and who waited for that awake would burn the processor that the writer may need.
  [[nodiscard]] bool ready() const noexcept {
    // Seq_cst: after the announcement of who is about to sleep (invariant parking.last-look). A
    // head that has moved on since stands before a larger number.
    const std::size_t position = head_.load(std::memory_order_relaxed);
    return at(position).number.load(std::memory_order_seq_cst) > position;
  }

 private:
  template <typename T>
  using atomic = typename Atomics::template atomic<T>;

  /// In the tail: makes the ring look full to who pushes, who need not ask on the way.
  static constexpr std::size_t closed_bit = std::size_t{1} << (sizeof(std::size_t) * 8 - 2);

  struct cell {
    atomic<std::size_t> number{0};  ///< of the word in it, from 1; 0: none yet
    atomic<std::uint64_t> word{0};
  };

  [[nodiscard]] cell& at(std::size_t position) const noexcept {
    return cells_[position & (capacity_ - 1)];
  }
  [[nodiscard]] bool roomy() const noexcept {
    // Seq_cst: invariant injector.room. The head first: what is taken meanwhile makes it look
    // fuller.
    const std::size_t head = head_.load(std::memory_order_seq_cst);
    const std::size_t tail = tail_.load(std::memory_order_seq_cst);
    return (tail & closed_bit) != 0 || tail - head <= capacity_ / 2;
  }
  /// The task after the next, which its maker wrote on another processor, is on its way here while
  /// the one at `position` runs: further ahead the maker might still be at work on the same line.
  void fetch_ahead(std::size_t position) const noexcept {
    if constexpr (Atomics::fetches_ahead) {
      constexpr std::size_t ahead = 2;
      const cell& later = at(position + ahead);
      // Relaxed: the task is not looked into, nor need it be there.
      if (later.number.load(std::memory_order_relaxed) == position + ahead + 1) {
        __builtin_prefetch(task_of(later.word.load(std::memory_order_relaxed)));
      }
    }
  }
  void wake_blocked() noexcept {
    freed_.fetch_add(1, std::memory_order_release);
    Atomics::wake(freed_, INT32_MAX);
  }
  [[nodiscard]] bool whole_at(std::size_t position) const noexcept {
    // Acquire: pairs with the store in `push`. Seq_cst: to take is the last look of whoever goes to
    // sleep in a wait last (`match`), after it has been counted among the sleepers.
    return at(position).number.load(std::memory_order_seq_cst) == position + 1;
  }

  std::size_t capacity_;  // a power of two
  std::unique_ptr<cell[]> cells_;
  alignas(128) atomic<std::size_t> tail_{0};
  atomic<std::size_t> head_seen_{0};  // by a producer: not beyond the head
  alignas(128) atomic<std::size_t> head_{0};
  /// Producers that sleep, or are about to, and the number of times they were woken.
  atomic<std::uint32_t> blocked_{0};
  atomic<std::uint32_t> freed_{0};
};

}  // namespace evencube::detail
