#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <evencube/detail/task.hpp>
#include <evencube/priority.hpp>

#include "queues/injector.hpp"
#include "queues/priority_list.hpp"

namespace evencube::detail {

/// The ways in for tasks that go to no particular queue: the injector, the list of tasks that were
/// set aside, and the priority lists; and whether they are closed (runtime/src/life/shutdown.md).
template <typename Policy>
class basic_entrance {
 public:
  /// The injector has room for `capacity` tasks.
  explicit basic_entrance(std::size_t capacity) : injector_(capacity) {}

  [[nodiscard]] basic_injector<Policy>& injector() noexcept { return injector_; }
  [[nodiscard]] const basic_injector<Policy>& injector() const noexcept { return injector_; }
  /// Tasks that found no room in the injector, or that no sleeper needed.
  [[nodiscard]] basic_priority_list<Policy>& aside() noexcept { return aside_; }
  /// The priority list of high priority. Its tasks begin before all others.
  [[nodiscard]] basic_priority_list<Policy>& high() noexcept { return high_; }
  [[nodiscard]] const basic_priority_list<Policy>& high() const noexcept { return high_; }
  /// The priority list of low priority. Its tasks begin when no other task is found.
  [[nodiscard]] basic_priority_list<Policy>& low() noexcept { return low_; }
  [[nodiscard]] const basic_priority_list<Policy>& low() const noexcept { return low_; }
  [[nodiscard]] basic_priority_list<Policy>& of(priority level) noexcept {
    return level == priority::high ? high_ : low_;
  }

  /// Takes the oldest task from outside that has no priority, or returns 0 if there is none. Tasks
  /// that were set aside come first, unless `ring_first`.
  slot_word take(bool ring_first = false) noexcept {
    if (ring_first) {
      if (const slot_word word = injector_.take()) return word;
    }
    if (const slot_word word = aside_.empty() ? 0 : aside_.take_oldest()) return word;
    return injector_.take();
  }
  /// True if `take` has a task.
  [[nodiscard]] bool ready() const noexcept { return aside_.occupied() || injector_.ready(); }
  /// True if no task is here, and no thread is about to bring one.
  [[nodiscard]] bool empty() const noexcept {
    return !sending() && injector_.drained() && !aside_.occupied() && !high_.occupied() &&
           !low_.occupied();
  }

  /// From now on threads outside bring nothing.
  void close() noexcept {
    closed_.store(true, std::memory_order_seq_cst);
    injector_.close();
  }
  [[nodiscard]] bool closed() const noexcept {
    // Seq_cst: read after the caller's seat has been taken, or a send has been counted. Pairs with
    // the store in `close`, after which both are checked (invariant shutdown.drained).
    return closed_.load(std::memory_order_seq_cst);
  }
  /// Calls `send`, which brings work from outside to a list or a worker, unless this is closed.
  /// Returns false if it is.
  template <typename Send>
  bool send_unless_closed(Send&& send) {
    // Seq_cst: counted before `closed_` is read (invariant shutdown.drained).
    sends_.fetch_add(1, std::memory_order_seq_cst);
    const bool late = closed();
    if (!late) send();
    // Release: pairs with the load in `sending`, whose caller then finds what was sent.
    sends_.fetch_sub(1, std::memory_order_release);
    return !late;
  }
  /// True if a thread outside is about to send something to a worker.
  [[nodiscard]] bool sending() const noexcept {
    return sends_.load(std::memory_order_seq_cst) != 0;
  }

 private:
  basic_injector<Policy> injector_;
  basic_priority_list<Policy> aside_;
  basic_priority_list<Policy> high_;
  basic_priority_list<Policy> low_;
  typename Policy::template atomic<bool> closed_{false};
  /// The number of threads outside that are about to send something to a worker.
  typename Policy::template atomic<std::uint32_t> sends_{0};
};

}  // namespace evencube::detail
