#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include <evencube/balancers/largest_first.hpp>
#include <evencube/detail/least.hpp>
#include <evencube/detail/split_deque.hpp>
#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// Moves the largest tasks of a worker's queue to both its ends, where tasks begin first
/// (runtime/src/tasks/order.md). Used by the worker alone.
class largest_first_order {
 public:
  /// At most this number of the newest tasks is put in order at a time. They are hidden from other
  /// workers meanwhile, for some 20 us.
  static constexpr std::uint32_t most = 4096;

  /// True if it is time to arrange the queue again, where `begun` tasks have begun in the worker's
  /// life. It is called often, and mostly there is nothing to do because all tasks count for one
  /// quantum.
  template <typename Queue>
  [[nodiscard]] bool due(const Queue& queue, std::uint64_t begun) const noexcept {
    const std::uint32_t come = queue.costly();
    if (come == 0 && !state_.uneven) [[likely]]
      return false;
    return state_.due(come, begun, queue.length());
  }

  /// Notes that the queue is arranged, or need not be. Call before `arrange`.
  template <typename Queue>
  void begin(Queue& queue, std::uint64_t begun) noexcept {
    queue.forget_costly();
    state_ = {.length = queue.length(), .begun = begun};
  }
  /// Arranges the tasks at or above the index `base` of the queue. Returns false if there are too
  /// few. Forks stay where their joins look for them. Without memory, all tasks stay in place.
  template <typename Queue>
  bool arrange(Queue& queue, std::uint32_t base) noexcept {
    const std::uint32_t above = queue.head_index() - base;
    if (static_cast<std::int32_t>(above) <= 2) return false;
    const std::uint32_t wanted = detail::least(above, most);
    if (queue.private_length() < wanted) queue.reclaim(wanted - queue.private_length());
    const std::uint32_t count = detail::least(wanted, queue.private_length());
    try {
      room_.resize(detail::greatest(room_.size(), std::size_t{2} * count));
      queue.reorder({room_.data(), count}, [&](std::span<slot_word> words) {
        std::size_t still = words.size();
        while (still > 0 && words[still - 1] != 0 && (words[still - 1] & fork_bit) == 0) --still;
        state_.uneven = largest_to_both_ends(words.subspan(still), room_.data() + count, cost_of);
      });
    } catch (const std::bad_alloc&) {
      // The tasks run in the order in which they are.
    }
    return true;
  }

  /// Notes that the queue has been put into another order, which must stay.
  template <typename Queue>
  void leave_as_it_is(Queue& queue) noexcept {
    queue.forget_costly();
    state_.uneven = false;
  }

 private:
  queue_in_order state_;
  std::vector<slot_word> room_;
};

}  // namespace evencube::detail
