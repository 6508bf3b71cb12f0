#pragma once

#include <atomic>
#include <utility>
#include <vector>

namespace evencube::programs {

/// What is known of one task: written by it without any atomics, so that a thread sanitizer finds
/// a wait that does not order what the task did before what follows the wait.
struct ticket {
  int block = -1;
  int runs = 0;
  bool ended = false;
  bool threw = false;
  /// How often its function was destroyed, having been handed over.
  int destroyed = 0;
  /// Its group had been stopped when it was spawned: it may not run.
  bool barred = false;
  /// The task was handed over: who sees this may count on a wait to wait for it.
  std::atomic<bool> accepted{false};
  ticket* next = nullptr;
};

/// The tickets of a group, which any thread may add to.
class ledger {
 public:
  ledger() = default;
  ledger(const ledger&) = delete;
  ledger& operator=(const ledger&) = delete;
  ~ledger() { clear(); }

  ticket& add(int block) {
    auto* const made = new ticket{.block = block};
    made->next = newest_.load(std::memory_order_relaxed);
    // Release: pairs with the acquire load of `accepted_ones`.
    while (!newest_.compare_exchange_weak(made->next, made, std::memory_order_release,
                                          std::memory_order_relaxed)) {
    }
    return *made;
  }

  /// Those that had been handed over; the same with all others where nobody adds any more.
  [[nodiscard]] std::vector<const ticket*> accepted_ones() const {
    std::vector<const ticket*> found;
    for (const ticket* t = newest_.load(std::memory_order_acquire); t != nullptr; t = t->next) {
      // Acquire: pairs with the release store after the spawn.
      if (t->accepted.load(std::memory_order_acquire)) found.push_back(t);
    }
    return found;
  }

  /// Forgets all; nobody else may use the ledger or its tickets.
  void clear() {
    for (ticket* t = newest_.exchange(nullptr, std::memory_order_acquire); t != nullptr;) {
      delete std::exchange(t, t->next);
    }
  }

 private:
  std::atomic<ticket*> newest_{nullptr};
};

}  // namespace evencube::programs
