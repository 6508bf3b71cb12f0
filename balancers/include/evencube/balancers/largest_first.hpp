#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace evencube {

/// Which tasks are about as large as each other: up to 7 quanta each size is a class of its own,
/// beyond there are four to every doubling. Ascends with the quanta.
[[nodiscard]] constexpr unsigned size_class(std::uint32_t quanta) noexcept {
  const auto width = static_cast<unsigned>(std::bit_width(quanta));
  return width <= 3 ? quanta : (width - 3) * 4 + (quanta >> (width - 3));
}

/// Brings the largest tasks of a queue to both its ends, in turn, and leaves the smallest in the
/// middle: who takes the newest begins large ones first, and so does who takes the oldest. Of one
/// size class the newest stay towards the new end. `queue` is oldest first, `quanta_of(task)` at
/// least 1; `room` has place for as many tasks as the queue. False, with nothing changed, where all
/// are of one class. O(tasks), no allocation, thread-safe.
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

/// What the owner of a queue remembers of when it last put it in order.
struct queue_in_order {
  std::uint64_t length = 0;  ///< how many tasks there were
  std::uint64_t begun = 0;   ///< how many it had begun in its life
  bool uneven = false;       ///< they were not of one class

  /// Whether that is due again, with `come` tasks of more than one quantum since, `begun_now` in
  /// its life and `length_now` queued: where there are new ones, when a quarter of what was put in
  /// order then has come or begun; else when a quarter is gone, for that was mostly taken from one
  /// of the ends. So the time that goes into order is in proportion to the tasks.
  [[nodiscard]] constexpr bool due(std::uint64_t come, std::uint64_t begun_now,
                                   std::uint64_t length_now) const noexcept {
    if (come > 0 && 4 * (come + begun_now - begun) >= length) return true;
    return uneven && 4 * length_now <= 3 * length;
  }
};

}  // namespace evencube
