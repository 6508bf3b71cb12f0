#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// Work from outside: a bounded queue of words for many producers and consumers, a ring whose cells
/// carry the ticket they wait for (the scheme of D. Vyukov's bounded MPMC queue) and which is
/// emptied many words at a time. boost::lockfree::queue would do, but it reads the link of a node
/// that another thread may be recycling, which ThreadSanitizer rightly reports, and this project
/// suppresses nothing. Invariants I and J are in runtime/docs/sleeping.md.
template <typename Atomics = std_atomics>
class basic_injection_queue {
 public:
  /// Holds at least `capacity` words, capacity >= 1.
  explicit basic_injection_queue(std::size_t capacity)
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
        // with the load in `ready` (invariant I).
        c.ticket.store(position + 1, std::memory_order_seq_cst);
        return true;
      }
      if (ahead > 0) position = tail_.load(std::memory_order_relaxed);
    }
  }

  /// Appends up to `count` words, oldest first, up to one that is still being written; returns how
  /// many. Throws std::bad_alloc with nothing taken.
  std::uint32_t take(std::uint32_t count, std::vector<std::uint64_t>& out) {
    out.reserve(out.size() + count);
    std::size_t position = head_.load(std::memory_order_relaxed);
    for (;;) {
      std::uint32_t whole = 0;
      while (whole < count && whole_at(position + whole)) ++whole;
      if (whole == 0) {
        const std::size_t now = head_.load(std::memory_order_relaxed);
        if (now == position) return 0;
        position = now;
        continue;
      }
      // While the head is here nobody else takes them.
      if (!head_.compare_exchange_weak(position, position + whole, std::memory_order_relaxed,
                                       std::memory_order_relaxed)) {
        continue;
      }
      for (std::uint32_t i = 0; i < whole; ++i) {
        cell& c = cells_[(position + i) & mask_];
        out.push_back(c.word);
        // Release: pairs with the acquire in `push`.
        c.ticket.store(position + i + mask_ + 1, std::memory_order_release);
      }
      return whole;
    }
  }

  /// Whether there is something to take, as far as one look tells. Not if the oldest word is still
  /// being written, though others may stand behind it: its writer will wake a worker when it is
  /// there, and who waited for that awake would burn the processor that the writer may need.
  [[nodiscard]] bool ready() const noexcept {
    const std::size_t position = head_.load(std::memory_order_relaxed);
    // Seq_cst: after the announcement of who is about to sleep (invariant I).
    const std::size_t ticket = cells_[position & mask_].ticket.load(std::memory_order_seq_cst);
    return static_cast<std::ptrdiff_t>(ticket - (position + 1)) >= 0;
  }

  /// How many words are in the queue, roughly: others go on.
  [[nodiscard]] std::size_t length() const noexcept {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    return tail > head ? tail - head : 0;
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return mask_ + 1; }

 private:
  template <typename T>
  using atomic = typename Atomics::template atomic<T>;

  struct cell {
    atomic<std::size_t> ticket;
    typename Atomics::template plain<std::uint64_t> word;
  };

  [[nodiscard]] bool whole_at(std::size_t position) const noexcept {
    // Acquire: pairs with the store in `push`.
    return cells_[position & mask_].ticket.load(std::memory_order_acquire) == position + 1;
  }

  std::size_t mask_;
  std::unique_ptr<cell[]> cells_;
  alignas(128) atomic<std::size_t> tail_{0};
  alignas(128) atomic<std::size_t> head_{0};
};

using injection_queue = basic_injection_queue<>;

}  // namespace evencube::detail
