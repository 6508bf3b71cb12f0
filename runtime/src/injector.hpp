#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// Work from outside: a bounded queue of words for many producers and consumers, a ring whose cells
/// carry the ticket they wait for (the scheme of D. Vyukov's bounded MPMC queue), and the sleep of
/// producers that find it full. Words leave in the order they came. boost::lockfree::queue would
/// do, but it reads the link of a node that another thread may be recycling, which ThreadSanitizer
/// rightly reports, and this project suppresses nothing. Invariants J and K are in
/// runtime/docs/injector.md.
template <typename Atomics = std_atomics>
class basic_injector {
 public:
  /// Holds at least `capacity` words, capacity >= 1.
  explicit basic_injector(std::size_t capacity)
      : mask_(std::bit_ceil(capacity < 2 ? std::size_t{2} : capacity) - 1),
        cells_(std::make_unique<cell[]>(mask_ + 1)) {
    for (std::size_t i = 0; i <= mask_; ++i) cells_[i].ticket.store(i, std::memory_order_relaxed);
  }

  /// False if there is no room. Who queued a word then wakes an idle worker.
  bool push(std::uint64_t word) noexcept {
    std::size_t position = tail_.load(std::memory_order_relaxed);
    for (;;) {
      cell& c = cells_[position & mask_];
      // Acquire: pairs with the release in `take`: the cell has been read.
      const std::size_t ticket = c.ticket.load(std::memory_order_acquire);
      const auto ahead = static_cast<std::ptrdiff_t>(ticket - position);
      if (ahead < 0) return false;
      if (ahead == 0 &&
          tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed,
                                      std::memory_order_relaxed)) {
        c.word = word;
        // Release: pairs with the acquire in `take`. Seq_cst: before the idle are looked at, pairs
        // with the load in `ready` (invariant P of parking.md).
        c.ticket.store(position + 1, std::memory_order_seq_cst);
        return true;
      }
      if (ahead > 0) position = tail_.load(std::memory_order_relaxed);
    }
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
      // While the head is here nobody else takes the word. Seq_cst: before `blocked_` is looked at
      // (invariant K).
      if (head_.compare_exchange_weak(position, position + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
        break;
      }
    }
    cell& c = cells_[position & mask_];
    const std::uint64_t word = c.word;
    // Release: pairs with the acquire in `push`.
    c.ticket.store(position + mask_ + 1, std::memory_order_release);
    if (blocked_.load(std::memory_order_seq_cst) != 0 && roomy()) wake_blocked();
    return word;
  }

  /// Sleeps while more than half is full: so not every word costs a wake-up.
  void await_room() noexcept {
    // Seq_cst: before the length is looked at, pairs with the load in `take` (invariant K).
    blocked_.fetch_add(1, std::memory_order_seq_cst);
    for (;;) {
      // Acquire: pairs with the release in `wake_blocked`.
      const std::uint32_t seen = freed_.load(std::memory_order_acquire);
      if (roomy()) break;
      Atomics::wait(freed_, seen);
    }
    blocked_.fetch_sub(1, std::memory_order_relaxed);
  }

  /// Whether there is something to take, as far as one look tells. Not if the oldest word is still
  /// being written, though others may stand behind it: its writer will wake a worker when it is
  /// there, and who waited for that awake would burn the processor that the writer may need.
  [[nodiscard]] bool ready() const noexcept {
    const std::size_t position = head_.load(std::memory_order_relaxed);
    // Seq_cst: after the announcement of who is about to sleep (invariant P of parking.md).
    const std::size_t ticket = cells_[position & mask_].ticket.load(std::memory_order_seq_cst);
    return static_cast<std::ptrdiff_t>(ticket - (position + 1)) >= 0;
  }

 private:
  template <typename T>
  using atomic = typename Atomics::template atomic<T>;

  struct cell {
    atomic<std::size_t> ticket;
    typename Atomics::template plain<std::uint64_t> word;
  };

  [[nodiscard]] bool roomy() const noexcept {
    // Seq_cst: invariant K. The head first: what is taken meanwhile makes it look fuller.
    const std::size_t head = head_.load(std::memory_order_seq_cst);
    return tail_.load(std::memory_order_seq_cst) - head <= (mask_ + 1) / 2;
  }
  void wake_blocked() noexcept {
    freed_.fetch_add(1, std::memory_order_release);
    Atomics::wake(freed_, INT32_MAX);
  }
  [[nodiscard]] bool whole_at(std::size_t position) const noexcept {
    // Acquire: pairs with the store in `push`. Seq_cst: to take is the last look of whoever goes to
    // sleep in a wait last (`match`), after it has been counted among the sleepers.
    return cells_[position & mask_].ticket.load(std::memory_order_seq_cst) == position + 1;
  }

  std::size_t mask_;
  std::unique_ptr<cell[]> cells_;
  alignas(128) atomic<std::size_t> tail_{0};
  alignas(128) atomic<std::size_t> head_{0};
  /// Producers that sleep, or are about to, and the number of times they were woken.
  atomic<std::uint32_t> blocked_{0};
  atomic<std::uint32_t> freed_{0};
};

}  // namespace evencube::detail
