#pragma once

#include <cstddef>
#include <cstdint>

#include <evencube/detail/largest_first_order.hpp>
#include <evencube/detail/sharing_pace.hpp>
#include <evencube/detail/split_deque.hpp>
#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// The tasks that a worker has queued, and when it shares them with others
/// (runtime/src/queues/deque.md). Used by the worker alone, except for the shared part of the
/// queue.
template <typename Policy>
class basic_stock {
 public:
  using queue_type = basic_split_deque<Policy>;

  /// Beyond this number of tasks, a new task runs at once.
  static constexpr std::uint32_t backlog = 65536;

  /// `others` is true if there are other workers.
  explicit basic_stock(bool others)
      : queue_(Policy::queue_capacity), pace_(others), others_(others) {}

  /// True if there are other workers, which may take tasks from here.
  [[nodiscard]] bool others() const noexcept { return others_; }

  [[nodiscard]] queue_type& queue() noexcept { return queue_; }
  [[nodiscard]] const queue_type& queue() const noexcept { return queue_; }
  [[nodiscard]] sharing_pace& pace() noexcept { return pace_; }
  [[nodiscard]] const sharing_pace& pace() const noexcept { return pace_; }
  [[nodiscard]] largest_first_order& order() noexcept { return order_; }

  /// True if every push is shared, and thereby visible, at once.
  [[nodiscard]] bool open() const noexcept { return pace_.every_push() || recorded_; }
  /// Notes whether a recording needs every push. The next push asks for attention.
  void record(bool recorded) noexcept {
    recorded_ = recorded;
    queue_.demand_attention();
  }

  /// Queues a task. Returns true if `make_room` must follow, after everything that a demand for
  /// attention asks for.
  bool push(slot_word word) noexcept { return queue_.needs_attention(queue_.push(word)); }
  /// Does what `push` does, with a task that may cost more than one quantum.
  bool push_costly(slot_word word) noexcept {
    return queue_.needs_attention(queue_.push_costly(word));
  }
  /// Makes room for one more push, and grants quiet until the backlog is full. Throws
  /// std::bad_alloc, with the newest task removed.
  void make_room() { queue_.make_room(open(), most_private()); }
  /// The second half of `make_room`, if no push has used up the room.
  void grant_quiet() noexcept { queue_.grant_quiet(open(), most_private()); }

  /// True if the backlog is full, so a new task should run at once.
  [[nodiscard]] bool full() const noexcept {
    return (open() ? queue_.length() : queue_.private_length()) > backlog && !running_at_once_ &&
           !in_batch_;
  }
  /// While a batch of pushes is under way, tasks are queued, however many there are, and demands
  /// for attention stay unanswered.
  void begin_batch() noexcept { in_batch_ = true; }
  void end_batch() noexcept { in_batch_ = false; }
  /// True if a demand for attention can stay unanswered until the end of the batch.
  [[nodiscard]] bool answers_later() const noexcept { return in_batch_ && queue_.has_room(); }
  /// While a task runs at once, the tasks that it spawns are queued, however many there are.
  void begin_at_once() noexcept { running_at_once_ = true; }
  /// Returns true if `bound_quiet` must follow: a push was granted more quiet than is due now.
  [[nodiscard]] bool end_at_once() noexcept {
    running_at_once_ = false;
    return granted_more_;
  }
  void bound_quiet() noexcept {
    granted_more_ = false;
    queue_.bound_quiet(most_quiet);
  }

 private:
  static constexpr std::ptrdiff_t most_quiet = std::ptrdiff_t{backlog} + 1;

  /// The number of private tasks from which on a push must find out that the backlog is full.
  [[nodiscard]] std::ptrdiff_t most_private() noexcept {
    granted_more_ = running_at_once_;
    return running_at_once_ ? PTRDIFF_MAX : most_quiet;
  }

  queue_type queue_;
  sharing_pace pace_;
  const bool others_;
  bool running_at_once_ = false;
  bool granted_more_ = false;
  bool in_batch_ = false;
  bool recorded_ = false;
  largest_first_order order_;
};

}  // namespace evencube::detail
