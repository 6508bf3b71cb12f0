#pragma once

#include <evencube/balancers/whole_tasks.hpp>
#include <evencube/detail/mailbox.hpp>
#include <utility>

namespace evencube::detail {

/// Appends all of `from` behind the tasks in `to`. O(1).
inline void append(message& to, const message& from) noexcept {
  if (from.empty()) return;
  if (to.empty()) {
    to = from;
    return;
  }
  task_of(to.oldest)->next_ = from.newest;
  to.oldest = from.oldest;
  to.tasks += from.tasks;
  to.quanta += from.quanta;
}

/// Moves tasks from the front of `from` behind those in `to`, for as near to `left` quanta as whole
/// tasks come. Returns what is left then; negative if too much was taken. O(tasks moved).
inline load_type take_front(message& from, load_type left, message& to) noexcept {
  if (left >= static_cast<load_type>(from.quanta)) {
    left -= static_cast<load_type>(from.quanta);
    append(to, std::exchange(from, {}));
    return left;
  }
  while (!from.empty() && takes_whole_task(left, static_cast<load_type>(cost_of(from.newest)))) {
    const slot_word word = from.take_newest();
    left -= static_cast<load_type>(cost_of(word));
    to.add_oldest(word);
  }
  return left;
}

}  // namespace evencube::detail
