#include <algorithm>
#include <evencube/balancers/whole_tasks.hpp>
#include <span>
#include <utility>

#include "balance/migration.hpp"
#include "balance/task_chains.hpp"
#include "engine/workers.hpp"

namespace evencube::detail {

namespace {

constexpr std::uint32_t claimed_at_once = 64;

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
  if (held) {
    even_errors(std::span(errors_), largest_,
                [this](node_id from, node_id to) { return take_over(from, to); });
    for (node_id k = 0; k < cube_.nodes(); ++k) deliver(k);
  }
  return moved_now_.load(std::memory_order_relaxed);
}

bool migration::help(event_log* log) noexcept {
  const std::uint32_t done =
      steps_.help([this, log](round_steps::step s) { carry_out_step(s, log); });
  if (done != 0) helped_.fetch_add(done, std::memory_order_relaxed);
  return done != 0;
}

/// The tasks that a step took at their source, and the part of the amount due for which it took
/// none; negative if it took more.
struct migration::haul {
  message tasks;
  load_type left;
};

// Between two steps, tasks wait in `in_transit_` at the node that they have reached: the task that
// came first is first in the chain and goes on first. They go into the mailbox with the last step
// that touches their node: no worker can run away with a task that has further to go, and no worker
// waits for steps of others. Under a hold no worker runs, and the last tasks move after all steps.
void migration::carry_out_step(round_steps::step s, event_log* helper) noexcept {
  const transfer& t = steps_.of(s);
  message& way = sent_[s / 2];
  load_type& off = sent_errors_[s / 2];
  if (round_steps::takes(s)) {
    const load_type due = t.quanta + errors_[t.from];
    const haul got = take(t.from, due);
    way = got.tasks;
    off = due - got.left - t.quanta;
    errors_[t.from] = got.left;
  } else {
    note_arrivals(way, t, helper);
    append(in_transit_[t.to], way);
    errors_[t.to] += off;
  }
  if (!held_ && steps_.last_of_node(s)) deliver(steps_.node_of(s));
}

void migration::note_arrivals(const message& come, const transfer& t, event_log* helper) noexcept {
  count_transfer(t, come.tasks);
  moved_now_.fetch_add(come.tasks, std::memory_order_relaxed);
  if (recorder_ == nullptr) return;
  for (slot_word word = come.newest; word != 0; word = task_of(word)->next_) {
    recorder_->moved(word, t.from, t.to, helper);
  }
}

// The number of slots to claim next at the old end of a queue for `left` quanta; 0 if that comes
// nearest. While tasks run, the costs of the tasks there are known only by their mean.
std::uint32_t migration::nearest_in(std::uint32_t from, load_type left) const noexcept {
  const auto& queue = workers_->at(from).queue();
  if (held_) {
    std::uint32_t tasks = 0;
    return queue.count_oldest([&](slot_word word) {
      const auto cost = static_cast<load_type>(cost_of(word));
      if (tasks == claimed_at_once || !takes_whole_task(left, cost)) return false;
      left -= cost;
      ++tasks;
      return true;
    });
  }
  const std::uint32_t open = queue.shared_length();
  const load_type all = std::max<load_type>(queue.length(), 1);
  const load_type each = std::max<load_type>(static_cast<load_type>(queue.quanta()) / all, 1);
  if (left < each) return takes_whole_task(left, each) ? std::min(open, 1U) : 0;
  return static_cast<std::uint32_t>(std::min<load_type>(left / each, open));
}

// Takes tasks at `from` for as near to `due` quanta as whole tasks come (migration.nearest), in the
// order in which they go: the oldest of its queue, then its oldest mail, then the tasks that
// arrived first. While tasks run, tasks that are not there any more are not made up for later.
migration::haul migration::take(std::uint32_t from, load_type due) noexcept {
  auto& queue = workers_->at(from).queue();
  slot_word claimed[claimed_at_once];
  message out;
  load_type left = due;
  while (left > 0) {
    const std::uint32_t wanted = nearest_in(from, left);
    if (wanted == 0) break;
    // While tasks run, the oldest task comes alone. If it is a fork, it is as much work as
    // everything that was forked after it, and the count of the plan is too high.
    const bool alone = !held_ && left == due;
    const auto got = queue.claim(alone ? 1 : std::min(wanted, claimed_at_once), claimed);
    if (got.taken == 0) break;
    for (std::uint32_t i = 0; i < got.tasks; ++i) {
      left -= static_cast<load_type>(cost_of(claimed[i]));
      out.add_oldest(claimed[i]);
    }
    if (alone && got.tasks != 0 && (claimed[0] & fork_bit) != 0) return {out, 0};
  }
  message& mail = mail_[from];
  // Under a hold, all mail has been queued. A mailbox gives everything or nothing.
  if (!held_ && left > 0 && workers_->at(from).has_mail()) {
    append(mail, turned(workers_->at(from).inbox().take_all()));
  }
  // A fork goes alone, wherever it waits.
  if (!held_ && left == due && !mail.empty() && (mail.newest & fork_bit) != 0) {
    out.add_oldest(mail.take_newest());
    return {out, 0};
  }
  left = take_front(mail, left, out);
  message& here = in_transit_[from];
  left = take_front(here, left, out);
  const bool ran_out = left > 0 && here.empty() && mail.empty() && queue.shared_length() == 0;
  return {out, ran_out && !held_ ? 0 : left};
}

// Moves one task of `from`, whose error is positive, to `to`. Returns its cost, or 0 if there is
// none.
load_type migration::take_over(std::uint32_t from, std::uint32_t to) noexcept {
  auto& queue = workers_->at(from).queue();
  slot_word word = 0;
  while (word == 0) {
    const auto got = queue.claim(1, &word);
    if (got.taken == 0) break;
  }
  if (word == 0) {
    if (in_transit_[from].empty()) return 0;
    word = in_transit_[from].take_newest();
  }
  message one;
  one.add_oldest(word);
  const auto cost = static_cast<load_type>(one.quanta);
  note_arrivals(one, {.from = from, .to = to, .quanta = cost}, nullptr);
  append(in_transit_[to], one);
  return cost;
}

// The mail that no step needed goes back first, because it is older than what has come now.
void migration::deliver(std::uint32_t to) noexcept {
  if (!mail_[to].empty()) workers_->send(to, turned(std::exchange(mail_[to], {})));
  message& here = in_transit_[to];
  if (here.empty()) return;
  workers_->at(to).counters().arrived.fetch_add(here.tasks, std::memory_order_relaxed);
  workers_->send(to, turned(here));
  here = {};
}

}  // namespace evencube::detail
