#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace evencube {

/// Returns the size class of a task; tasks of one class have similar sizes. Each size up to 7
/// quanta is a class of its own. Larger sizes have four classes per doubling. Class numbers
/// increase with `quanta`.
[[nodiscard]] constexpr unsigned size_class(std::uint32_t quanta) noexcept {
  const auto width = static_cast<unsigned>(std::bit_width(quanta));
  return width <= 3 ? quanta : (width - 3) * 4 + (quanta >> (width - 3));
}

/// Moves the largest tasks of a queue alternately to its two ends, and leaves the smallest in the
/// middle. So workers begin large tasks first, whichever end of the queue they take tasks from.
/// Within a size class, newer tasks stay nearer to the end with the newest tasks. `queue` has the
/// oldest task first, `quanta_of(task)` must be at least 1, and `room` must have space for all
/// tasks of the queue. Returns false and changes nothing if all tasks are of one class. O(tasks),
/// no allocation, thread-safe.
template <typename Task, typename QuantaOf>
bool largest_to_both_ends(std::span<Task> queue, Task* room, QuantaOf&& quanta_of) {
  std::array<std::uint32_t, size_class(~std::uint32_t{0}) + 1> rank{};
  for (const Task& task : queue) ++rank[size_class(quanta_of(task))];
  std::uint32_t larger = 0;
  for (std::size_t c = rank.size(); c-- > 0;) {
    const std::uint32_t here = rank[c];
    if (here == queue.size()) return false;
    rank[c] = larger;
    larger += here;
  }
  const std::size_t n = queue.size();
  for (std::size_t i = n; i-- > 0;) {
    const std::uint32_t r = rank[size_class(quanta_of(queue[i]))]++;
    room[r % 2 == 0 ? n - 1 - r / 2 : r / 2] = queue[i];
  }
  for (std::size_t i = 0; i < n; ++i) queue[i] = room[i];
  return true;
}

/// The state of a queue when its owner last put it in order.
struct queue_in_order {
  std::uint64_t length = 0;  ///< tasks in the queue
  std::uint64_t begun = 0;   ///< tasks that the owner had begun by then
  bool uneven = false;       ///< the tasks were not all of one class

  /// Returns true if the queue should be put in order again. Since the last ordering, `come` tasks
  /// of more than one quantum have arrived; the owner has begun `begun_now` tasks in all, and
  /// `length_now` tasks are queued. If tasks have arrived, ordering is due once the tasks that
  /// arrived or began add up to a quarter of the earlier length. Otherwise it is due once a quarter
  /// of the tasks has left, because most of these left at one end. So the total ordering time is
  /// proportional to the number of tasks.
  [[nodiscard]] constexpr bool due(std::uint64_t come, std::uint64_t begun_now,
                                   std::uint64_t length_now) const noexcept {
    if (come > 0 && 4 * (come + begun_now - begun) >= length) return true;
    return uneven && 4 * length_now <= 3 * length;
  }
};

}  // namespace evencube
