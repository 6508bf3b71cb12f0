#include <algorithm>
#include <evencube/balancers/transmission.hpp>

#include "balance/migration.hpp"
#include "engine/workers.hpp"

namespace evencube::detail {

namespace {

/// The same tasks in the reverse order.
message turned(message from) noexcept {
  message to;
  while (!from.empty()) to.add_newest(from.take_newest());
  return to;
}

/// Appends all of `from` behind the tasks in `to`.
void append(message& to, const message& from) noexcept {
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

}  // namespace

void migration::count_transfer(const transfer& t, std::uint64_t tasks) noexcept {
  count_move(move_kind::round, t.from, t.to, tasks);
}

// All steps that may fail have been done.
std::uint64_t migration::carry(bool held) noexcept {
  constexpr std::size_t many = 512;
  held_ = held;
  moved_now_.store(0, std::memory_order_relaxed);
  // A worker that is woken finds steps to help with.
  if (!held && steps_.size() > many) workers_->wake_one_idle();
  steps_.lead([this](round_steps::step s) { carry_out_step(s, nullptr); });
  return moved_now_.load(std::memory_order_relaxed);
}

bool migration::help(event_log* log) noexcept {
  const std::uint32_t done =
      steps_.help([this, log](round_steps::step s) { carry_out_step(s, log); });
  if (done != 0) helped_.fetch_add(done, std::memory_order_relaxed);
  return done != 0;
}

// Between two steps, tasks wait in `in_transit_` at the node that they have reached: the task that
// came first is first in the chain and goes on first. They go into the mailbox with the last step
// that touches their node: no worker can run away with a task that has further to go, and no worker
// waits for steps of others.
void migration::carry_out_step(round_steps::step s, event_log* helper) noexcept {
  const transfer& t = steps_.of(s);
  message& way = sent_[s / 2];
  if (round_steps::takes(s)) {
    way = take(t.from, t.quanta, held_);
  } else {
    count_transfer(t, way.tasks);
    moved_now_.fetch_add(way.tasks, std::memory_order_relaxed);
    if (recorder_ != nullptr) {
      for (slot_word word = way.newest; word != 0; word = task_of(word)->next_) {
        recorder_->moved(word, t.from, t.to, helper);
      }
    }
    append(in_transit_[t.to], way);
  }
  if (steps_.last_of_node(s)) deliver(steps_.node_of(s));
}

// Takes up to `quanta` quanta of tasks at `from`, in the order in which they go: the oldest of its
// queue, then the tasks that arrived first. A task that costs more than the rest stays; only the
// last task claimed may exceed it.
message migration::take(std::uint32_t from, load_type quanta, bool held) noexcept {
  auto& queue = workers_->at(from).queue();
  constexpr std::uint32_t at_once = 64;
  slot_word taken[at_once];
  message out;
  load_type left = quanta;
  while (left > 0) {
    const std::uint32_t length = queue.shared_length();
    if (length == 0) break;
    const load_type each = queue.mean_cost();
    // While tasks run, the oldest task comes alone. If it is a fork, it is as much work as
    // everything that was forked after it, and the count of the plan is too high.
    const bool alone = !held && left == quanta;
    const auto n = static_cast<std::uint32_t>(
        std::min<load_type>(std::max<load_type>(left / each, each == 1 ? 1 : 0),
                            alone ? 1 : std::min(length, at_once)));
    const auto got = queue.claim(n, taken);
    if (got.taken == 0) break;
    for (std::uint32_t i = 0; i < got.tasks; ++i) {
      left -= cost_of(taken[i]);
      out.add_oldest(taken[i]);
    }
    if (alone && got.tasks != 0 && (taken[0] & fork_bit) != 0) return out;
  }
  message& here = in_transit_[from];
  if (left >= static_cast<load_type>(here.quanta)) {
    append(out, here);
    here = {};
    return out;
  }
  while (!here.empty() && left >= static_cast<load_type>(cost_of(here.newest))) {
    const slot_word word = here.take_newest();
    left -= cost_of(word);
    out.add_oldest(word);
  }
  return out;
}

void migration::deliver(std::uint32_t to) noexcept {
  message& here = in_transit_[to];
  if (here.empty()) return;
  workers_->at(to).counters().arrived.fetch_add(here.tasks, std::memory_order_relaxed);
  workers_->send(to, turned(here));
  here = {};
}

}  // namespace evencube::detail
