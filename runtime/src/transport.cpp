#include <algorithm>
#include <evencube/balancers/transmission.hpp>

#include "migration.hpp"

namespace evencube::detail {

namespace {

/// The same tasks in the other order.
message turned(message from) noexcept {
  message to;
  while (!from.empty()) to.add_newest(from.take_newest());
  return to;
}

}  // namespace

void migration::count_transfer(const transfer& t, std::uint64_t tasks) noexcept {
  count_move(move_kind::round, t.from, t.to, tasks);
}

// Tasks wait between two steps in `in_transit_`, at the node they have reached, and go into the
// mailboxes when all steps are done: nobody can run away with a task that has further to go.
std::uint64_t migration::carry(const plan& steps, bool held) noexcept {
  std::uint64_t moved = 0;
  for (const phase& step : steps.phases) {
    // All senders first: a step sends what was there when it began.
    for (std::size_t i = 0; i < step.size(); ++i) {
      sent_[i] = take(step[i].from, step[i].quanta, held);
    }
    for (std::size_t i = 0; i < step.size(); ++i) {
      const transfer& t = step[i];
      count_transfer(t, sent_[i].tasks);
      moved += sent_[i].tasks;
      for (message oldest_first = turned(sent_[i]); !oldest_first.empty();) {
        const slot_word word = oldest_first.take_newest();
        if (recorder_ != nullptr) recorder_->moved(word, t.from, t.to);
        in_transit_[t.to].add_oldest(word);
      }
    }
  }
  for (std::uint32_t k = 0; k < scheduler_->size(); ++k) deliver(k);
  return moved;
}

// Up to so many quanta that are at `from`: the oldest of its queue, then those just arrived. A task
// that costs more than what is left to send stays; only the last one claimed may exceed it.
message migration::take(std::uint32_t from, load_type quanta, bool held) noexcept {
  auto& queue = scheduler_->at(from).queue();
  constexpr std::uint32_t at_once = 64;
  slot_word taken[at_once];
  message out;
  load_type left = quanta;
  while (left > 0) {
    const std::uint32_t length = queue.shared_length();
    if (length == 0) break;
    const load_type each = queue.mean_cost();
    // While tasks run, the oldest comes alone: if it is a fork it is as much work as all that were
    // made after it, and the plan's count says too much.
    const bool alone = !held && left == quanta;
    const auto n = static_cast<std::uint32_t>(
        std::min<load_type>(std::max<load_type>(left / each, each == 1 ? 1 : 0),
                            alone ? 1 : std::min(length, at_once)));
    const auto got = queue.claim(n, taken);
    if (got.slots == 0) break;
    for (std::uint32_t i = 0; i < got.tasks; ++i) {
      left -= cost_of(taken[i]);
      out.add_newest(taken[i]);
    }
    if (alone && got.tasks != 0 && (taken[0] & fork_bit) != 0) return out;
  }
  message& here = in_transit_[from];
  message kept;
  while (!here.empty()) {
    const slot_word word = here.take_newest();
    if (left >= static_cast<load_type>(cost_of(word))) {
      left -= cost_of(word);
      out.add_newest(word);
    } else {
      left = 0;
      kept.add_oldest(word);
    }
  }
  here = kept;
  return out;
}

void migration::deliver(std::uint32_t to) noexcept {
  message& here = in_transit_[to];
  if (here.empty()) return;
  scheduler_->at(to).counters().arrived.fetch_add(here.tasks, std::memory_order_relaxed);
  scheduler_->send(to, turned(here));
  here = {};
}

}  // namespace evencube::detail
