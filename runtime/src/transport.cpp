#include <algorithm>
#include <bit>
#include <map>

#include "rounds.hpp"
#include "scheduler.hpp"

namespace evencube::detail {

void rounds::count_transfer(const transfer& t, std::uint64_t tasks) noexcept {
  count_move(static_cast<unsigned>(std::bit_width(t.from ^ t.to)) - 1, tasks);
}

std::uint64_t rounds::transport(bool held) {
  if (strategy_.how == transmission::phased) return carry(now_.planned, held);
  return carry(plan_of(make_schedule(strategy_.how, now_.loads, now_.planned)), held);
}

// Tasks wait between two steps in `at_`, at the node they have reached, and go into the links when
// all steps are done: nobody can run away with a task that has further to go.
std::uint64_t rounds::carry(const plan& steps, bool held) noexcept {
  std::uint64_t moved = 0;
  for (const phase& step : steps.phases) {
    // All senders first: a step sends what was there when it began.
    std::vector<std::vector<travelling>> sent(step.size());
    for (std::size_t i = 0; i < step.size(); ++i) take(step[i].from, step[i].quanta, held, sent[i]);
    for (std::size_t i = 0; i < step.size(); ++i) {
      const transfer& t = step[i];
      count_transfer(t, sent[i].size());
      moved += sent[i].size();
      for (travelling& task : sent[i]) {
        if (recorder_ != nullptr) recorder_->moved(task.word, t.from, t.to);
        task.last_from = t.from;
        at_[t.to].push_back(task);
      }
    }
  }
  for (std::uint32_t k = 0; k < cube_->size(); ++k) deliver(k);
  return moved;
}

// Up to so many quanta that are at `from`: the oldest of its queue, then those just arrived. A task
// that costs more than what is left to send stays; only the last one claimed may exceed it.
void rounds::take(std::uint32_t from, load_type quanta, bool held, std::vector<travelling>& out) {
  worker& w = cube_->at(from);
  load_type left = quanta;
  while (left > 0) {
    const std::uint32_t length = w.queue_.shared_length();
    if (length == 0) break;
    const auto extra = std::max<std::int64_t>(w.extra_quanta_.load(std::memory_order_relaxed), 0);
    const load_type each = 1 + extra / length;
    scratch_.clear();
    // While tasks run, the oldest comes alone: if it is a fork it is as much work as all that were
    // made after it, and the plan's count says too much.
    const bool alone = !held && left == quanta;
    const auto n = static_cast<std::uint32_t>(std::min<load_type>(
        std::max<load_type>(left / each, extra == 0 ? 1 : 0), alone ? 1 : length));
    if (n == 0 || w.queue_.claim(n, scratch_) == 0) break;
    std::int64_t dear = 0;
    for (const slot_word word : scratch_) {
      dear += cost_of(word) - 1;
      left -= cost_of(word);
      out.push_back({word, from});
    }
    if (alone && !scratch_.empty() && (scratch_.front() & fork_bit) != 0) return;
    if (dear != 0) w.extra_quanta_.fetch_sub(dear, std::memory_order_relaxed);
  }
  std::vector<travelling>& here = at_[from];
  std::size_t n = 0;
  while (n < here.size() && left >= static_cast<load_type>(cost_of(here[n].word))) {
    left -= cost_of(here[n].word);
    out.push_back(here[n++]);
  }
  here.erase(here.begin(), here.begin() + static_cast<std::ptrdiff_t>(n));
}

// What has arrived for good, by the link over which each task came last.
void rounds::deliver(std::uint32_t to) {
  std::vector<travelling>& here = at_[to];
  if (here.empty()) return;
  worker& receiver = cube_->at(to);
  std::map<std::uint32_t, std::unique_ptr<links::parcel>> parcels;
  for (const travelling& task : here) {
    auto& parcel = parcels[task.last_from];
    if (parcel == nullptr) parcel = std::make_unique<links::parcel>();
    parcel->push_back(task.word);
  }
  for (auto& [from, parcel] : parcels) {
    if (from != to) {
      receiver.counters_.arrived.fetch_add(parcel->size(), std::memory_order_relaxed);
    }
    if (from != to && cube_->links_.has_room(from, to)) {
      cube_->links_.send(from, to, std::move(parcel));
    } else {
      // The link is full, or the way was a circle: letters have no bound.
      receiver.mail(std::move(*parcel), worker::letter_place::on_top);
    }
  }
  here.clear();
  receiver.notify(signal_mail);
  if (to == 0) cube_->look_after_seat();
}

}  // namespace evencube::detail
