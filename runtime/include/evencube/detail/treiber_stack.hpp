#pragma once

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// A stack of nodes linked by their `next`. Any thread adds to it. It is only ever emptied as a
/// whole, so it has no ABA problem (invariant mailbox.linked).
template <typename Node, typename Atomics = std_atomics>
class treiber_stack {
 public:
  /// Adds a chain from `first` to `last`. Any thread, lock-free.
  void push(Node* first, Node* last) noexcept {
    Node* head = head_.load(std::memory_order_relaxed);
    do {
      last->next = head;
      // Release: pairs with the acquire in `take`.
    } while (!head_.compare_exchange_weak(head, first, std::memory_order_release,
                                          std::memory_order_relaxed));
  }

  /// Takes everything, the newest first. Returns null if there is nothing.
  Node* take() noexcept { return head_.exchange(nullptr, std::memory_order_acquire); }

  [[nodiscard]] bool empty() const noexcept {
    return head_.load(std::memory_order_relaxed) == nullptr;
  }

 private:
  typename Atomics::template atomic<Node*> head_{nullptr};
};

}  // namespace evencube::detail
