#pragma once

#include <cstdint>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// The word in which idle workers leave their requests, a bit each, with a worker that may have
/// work later. Together with the limit of the queue: invariant queue.requests.
template <typename Atomics = std_atomics>
class basic_lifeline {
 public:
  /// Leaves request bits, and makes the owner of `queue` check them at its next push. Any thread.
  template <typename Queue>
  void ask(std::uint64_t bits, std::int64_t now, Queue& queue) noexcept {
    asked_at_.store(now, std::memory_order_relaxed);
    // Release: pairs with the acquire exchange in `serve`.
    requests_.fetch_or(bits, std::memory_order_acq_rel);
    queue.demand_attention();
  }

  [[nodiscard]] bool asked() const noexcept {
    return requests_.load(std::memory_order_relaxed) != 0;
  }
  /// The present bits, for people.
  [[nodiscard]] std::uint64_t bits() const noexcept {
    return requests_.load(std::memory_order_relaxed);
  }
  /// The time of the latest request.
  [[nodiscard]] std::int64_t asked_at() const noexcept {
    return asked_at_.load(std::memory_order_relaxed);
  }

  /// If there are requests, calls `share()`, which shares what it can, and then `wake(bits)`. If
  /// nothing is shared even then, the requests stay until a push. Owner only.
  template <typename Queue, typename Share, typename Wake>
  void serve(Queue& queue, Share&& share, Wake&& wake) noexcept {
    if (!asked()) return;
    // Acquire: pairs with the release fetch_or in `ask`.
    const std::uint64_t bits = requests_.exchange(0, std::memory_order_acq_rel);
    if (bits == 0) return;
    share();
    if (queue.shared_length() == 0) {
      requests_.fetch_or(bits, std::memory_order_acq_rel);
      queue.demand_attention();
      return;
    }
    wake(bits);
  }

 private:
  typename Atomics::template atomic<std::uint64_t> requests_{0};
  typename Atomics::template atomic<std::int64_t> asked_at_{0};
};

using lifeline_word = basic_lifeline<>;

}  // namespace evencube::detail
