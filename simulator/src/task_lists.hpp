#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <evencube/simulator/model.hpp>

#include "text.hpp"

namespace evencube::simulator {

using slot = std::uint32_t;
inline constexpr slot no_slot = ~slot{0};

/// Tasks that wait in a queue or travel, next to each other and all alike. A million quanta that
/// begin together on one node are one span. A task of a program is a span of its own.
struct task_span {
  double demand;
  double arrived;
  slot next;
  slot previous;
  task_id program_task;
  std::uint32_t count = 1;

  [[nodiscard]] bool alike(const task_span& other) const noexcept {
    return demand == other.demand && arrived == other.arrived && program_task == no_task &&
           other.program_task == no_task;
  }
};
static_assert(sizeof(task_span) == 32);

/// A queue of tasks, linked both ways. `head` is the task that waits longest.
struct task_list {
  slot head = no_slot;
  slot tail = no_slot;

  [[nodiscard]] bool empty() const noexcept { return head == no_slot; }
};

/// One of the two ends of a list of waiting tasks.
enum class list_end : std::uint8_t { oldest, newest };

/// Tasks that left one node together: spans linked oldest first.
struct chain {
  slot first = no_slot;
  slot last = no_slot;
  std::uint32_t count = 0;  // of tasks
  load_type quanta = 0;     // the quanta that they count for
};

/// All tasks that wait or travel, and the operations on lists of them.
class task_lists {
 public:
  /// There are at most `most` spans. `clock` is for the message if there are more.
  task_lists(std::size_t most, const double& clock) : most_(most), clock_(clock) {}

  [[nodiscard]] const task_span& operator[](slot at) const noexcept { return spans_[at]; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return spans_.capacity() * sizeof(task_span);
  }

  /// Puts `what.count` tasks at an end. Joins tasks that are alike.
  void put(task_list& to, list_end at, const task_span& what) {
    const bool newest = at == list_end::newest;
    slot& end = newest ? to.tail : to.head;
    if (end != no_slot && spans_[end].alike(what)) {
      spans_[end].count += what.count;
      return;
    }
    const slot made = make(what);
    (newest ? spans_[made].previous : spans_[made].next) = end;
    if (end == no_slot) {
      to.head = to.tail = made;
      return;
    }
    (newest ? spans_[end].next : spans_[end].previous) = made;
    end = made;
  }

  /// Removes one task. Precondition: there is one.
  task_span take_one(task_list& from, list_end at) {
    const bool newest = at == list_end::newest;
    slot& end = newest ? from.tail : from.head;
    const slot chosen = end;
    const task_span taken = spans_[chosen];
    if (--spans_[chosen].count == 0) {
      end = newest ? taken.previous : taken.next;
      if (end == no_slot) {
        from.head = from.tail = no_slot;
      } else {
        (newest ? spans_[end].next : spans_[end].previous) = no_slot;
      }
      release(chosen);
    }
    return taken;
  }

  /// Removes `count` tasks. Precondition: count >= 1, and there are that many. O(spans removed).
  chain take(task_list& from, list_end side, std::uint32_t count) {
    const bool oldest = side == list_end::oldest;
    slot& end = oldest ? from.head : from.tail;
    const slot near_end = end;
    slot at = end;
    std::uint32_t missing = count;
    while (missing > spans_[at].count) {
      missing -= spans_[at].count;
      at = oldest ? spans_[at].next : spans_[at].previous;
    }
    // `at` is the last span of them, of which all tasks are taken or a part.
    if (missing < spans_[at].count) {
      spans_[at].count -= missing;
      const slot split = make({spans_[at].demand, spans_[at].arrived, no_slot, no_slot,
                               spans_[at].program_task, missing});
      if (at == near_end) return {split, split, count};
      const slot inner = oldest ? spans_[at].previous : spans_[at].next;
      (oldest ? spans_[split].previous : spans_[split].next) = inner;
      (oldest ? spans_[inner].next : spans_[inner].previous) = split;
      end = at;
      at = split;
    } else {
      end = oldest ? spans_[at].next : spans_[at].previous;
    }
    if (end == no_slot) {
      from.head = from.tail = no_slot;
    } else {
      (oldest ? spans_[end].previous : spans_[end].next) = no_slot;
    }
    const chain taken{oldest ? near_end : at, oldest ? at : near_end, count};
    spans_[taken.first].previous = no_slot;
    spans_[taken.last].next = no_slot;
    return taken;
  }

  /// Puts a chain, which is not empty, behind all others.
  void join(task_list& to, chain landed) {
    if (to.tail != no_slot && spans_[to.tail].alike(spans_[landed.first])) {
      spans_[to.tail].count += spans_[landed.first].count;
      const slot emptied = landed.first;
      landed.first = spans_[emptied].next;
      release(emptied);
      if (landed.first == no_slot) return;
    }
    spans_[landed.first].previous = to.tail;
    (to.empty() ? to.head : spans_[to.tail].next) = landed.first;
    to.tail = landed.last;
  }

  /// Puts the newest spans of a list into this order, the newest last.
  void arrange_newest(task_list& in, slot before, std::span<const slot> order) {
    for (const slot at : order) {
      (before == no_slot ? in.head : spans_[before].next) = at;
      spans_[at].previous = before;
      before = at;
    }
    spans_[before].next = no_slot;
    in.tail = before;
  }

  /// Turns a list that is one span, or empty, into one of `what.count` tasks, or into an empty one.
  void become(task_list& list, const task_span& what) {
    if (!list.empty()) release(list.head);
    list = {};
    if (what.count > 0) list.head = list.tail = make(what);
  }

 private:
  slot make(const task_span& what) {
    if (free_ == no_slot) {
      if (spans_.size() >= most_) [[unlikely]]
        refuse();
      spans_.push_back(
          {what.demand, what.arrived, no_slot, no_slot, what.program_task, what.count});
      return static_cast<slot>(spans_.size() - 1);
    }
    const slot made = free_;
    free_ = spans_[made].next;
    spans_[made] = {what.demand, what.arrived, no_slot, no_slot, what.program_task, what.count};
    return made;
  }

  void release(slot emptied) {
    spans_[emptied].next = free_;
    free_ = emptied;
  }

  [[noreturn]] void refuse() const {
    throw std::invalid_argument(
        "at time " + shortest(clock_) + " more than " + std::to_string(most_) +
        " tasks wait: the nodes cannot serve what is offered, or more must be allowed to wait");
  }

  std::vector<task_span> spans_;
  slot free_ = no_slot;
  std::size_t most_;
  const double& clock_;
};

}  // namespace evencube::simulator
