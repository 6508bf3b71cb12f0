#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// A bounded queue of words for many producers and consumers: a ring whose cells carry the ticket
/// they wait for (the scheme of D. Vyukov's bounded MPMC queue). boost::lockfree::queue would do,
/// but it reads the link of a node that another thread may be recycling, which ThreadSanitizer
/// rightly reports, and this project suppresses nothing.
template <typename Atomics = std_atomics>
class basic_bounded_queue {
 public:
  /// Holds at least `capacity` words, capacity >= 1.
  explicit basic_bounded_queue(std::size_t capacity)
      : mask_(std::bit_ceil(capacity < 2 ? std::size_t{2} : capacity) - 1),
        cells_(std::make_unique<cell[]>(mask_ + 1)) {
    for (std::size_t i = 0; i <= mask_; ++i) cells_[i].ticket.store(i, std::memory_order_relaxed);
  }

  /// False if the queue is full.
  bool push(std::uint64_t word) noexcept {
    std::size_t position = tail_.load(std::memory_order_relaxed);
    for (;;) {
      cell& c = cells_[position & mask_];
      // Acquire: pairs with the release in `pop`: the cell has been read.
      const std::size_t ticket = c.ticket.load(std::memory_order_acquire);
      const auto ahead = static_cast<std::ptrdiff_t>(ticket - position);
      if (ahead < 0) return false;
      if (ahead == 0 &&
          tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed,
                                      std::memory_order_relaxed)) {
        c.word = word;
        // Release: pairs with the acquire in `pop`.
        c.ticket.store(position + 1, std::memory_order_release);
        return true;
      }
      if (ahead > 0) position = tail_.load(std::memory_order_relaxed);
    }
  }

  /// False if the queue is empty, or its oldest word is still being written.
  bool pop(std::uint64_t& word) noexcept {
    std::size_t position = head_.load(std::memory_order_relaxed);
    for (;;) {
      cell& c = cells_[position & mask_];
      // Acquire: pairs with the release in `push`.
      const std::size_t ticket = c.ticket.load(std::memory_order_acquire);
      const auto ahead = static_cast<std::ptrdiff_t>(ticket - (position + 1));
      if (ahead < 0) return false;
      if (ahead == 0 &&
          head_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed,
                                      std::memory_order_relaxed)) {
        word = c.word;
        // Release: pairs with the acquire in `push`.
        c.ticket.store(position + mask_ + 1, std::memory_order_release);
        return true;
      }
      if (ahead > 0) position = head_.load(std::memory_order_relaxed);
    }
  }

  /// Whether `pop` would find a word, as far as one look tells.
  [[nodiscard]] bool ready() const noexcept {
    const std::size_t position = head_.load(std::memory_order_relaxed);
    // Acquire: as in `pop`.
    const std::size_t ticket = cells_[position & mask_].ticket.load(std::memory_order_acquire);
    return static_cast<std::ptrdiff_t>(ticket - (position + 1)) >= 0;
  }

 private:
  template <typename T>
  using atomic = typename Atomics::template atomic<T>;

  struct cell {
    atomic<std::size_t> ticket;
    typename Atomics::template plain<std::uint64_t> word;
  };

  std::size_t mask_;
  std::unique_ptr<cell[]> cells_;
  alignas(128) atomic<std::size_t> tail_{0};
  alignas(128) atomic<std::size_t> head_{0};
};

using bounded_queue = basic_bounded_queue<>;

/// Work from outside: the queue and how many words it holds, for those who look before they sleep.
template <typename Atomics = std_atomics>
class basic_injection {
 public:
  explicit basic_injection(std::size_t capacity) : queue_(capacity) {}

  /// False if there is no room. Who queued a word then wakes an idle worker.
  bool push(std::uint64_t word) noexcept {
    if (!queue_.push(word)) return false;
    // Seq_cst: after the push and before the idle are looked at (invariant I).
    count_.fetch_add(1, std::memory_order_seq_cst);
    return true;
  }

  /// Appends up to `count` words; returns how many.
  std::uint32_t take(std::uint32_t count, std::vector<std::uint64_t>& out) {
    out.reserve(out.size() + count);
    std::uint64_t word = 0;
    std::uint32_t taken = 0;
    while (taken < count && queue_.pop(word)) {
      out.push_back(word);
      ++taken;
    }
    if (taken != 0) count_.fetch_sub(taken, std::memory_order_seq_cst);
    return taken;
  }

  /// Whether there is something to take. Not if the oldest word is still being written, though
  /// others may stand behind it: its writer will wake a worker when it is there, and who waited for
  /// that awake would burn the processor that the writer may need.
  [[nodiscard]] bool ready() const noexcept { return length() > 0 && queue_.ready(); }

  [[nodiscard]] std::int64_t length() const noexcept {
    return count_.load(std::memory_order_seq_cst);
  }

 private:
  basic_bounded_queue<Atomics> queue_;
  typename Atomics::template atomic<std::int64_t> count_{0};
};

using injection_queue = basic_injection<>;

}  // namespace evencube::detail
