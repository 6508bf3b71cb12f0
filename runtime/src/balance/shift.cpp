#include <algorithm>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/whole_tasks.hpp>
#include <utility>

#include "balance/migration.hpp"
#include "balance/task_chains.hpp"
#include "engine/workers.hpp"

namespace evencube::detail {

// The order-preserving round (Mehrotra, Ranka, Wang 1992). The tasks form one sequence along the
// locality line, at each worker the newest first: in this sequence the chunks of a loop follow each
// other. The tasks of every queue that the plan touches are taken out, and the steps carry them
// along the line. Each queue then gets the part of the sequence that is its share. So the shares do
// not depend on the steps; without any, every task goes to its worker directly.
std::uint64_t migration::shift(const plan& steps) {
  const std::vector<load_type> after = final_loads(round_.planned, round_.loads);
  // Positions between which tasks cross are handled together: first how many transfers begin to
  // cross behind each position, less those that end there.
  std::vector<std::ptrdiff_t> crossing(line_.size(), 0);
  for (const phase& step : round_.planned.phases) {
    for (const transfer& t : step) {
      const auto [low, high] = std::minmax(position_[t.from], position_[t.to]);
      ++crossing[low];
      --crossing[high];
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  std::ptrdiff_t open = 0;
  std::size_t first = 0;
  for (std::size_t p = 0; p < line_.size(); ++p) {
    open += crossing[p];
    if (open != 0) continue;
    if (p > first) runs.emplace_back(first, p);
    first = p + 1;
  }
  std::ranges::fill(errors_, 0);
  // From here on nothing fails.
  moved_now_.store(0, std::memory_order_relaxed);
  for (const auto& [begin, end] : runs) {
    for (std::size_t p = begin; p <= end; ++p) take_out(line_[p]);
  }
  for (const phase& step : steps.phases) {
    for (const transfer& t : step) pass_on(t);
  }
  for (const auto& [begin, end] : runs) deal(begin, end, after);
  return moved_now_.load(std::memory_order_relaxed);
}

bool migration::steps_keep_order() const noexcept {
  const auto next_to = [this](const transfer& t) {
    const std::size_t from = position_[t.from];
    const std::size_t to = position_[t.to];
    return std::max(from, to) - std::min(from, to) == 1;
  };
  return strategy_.mode != transmission::direct &&
         std::ranges::all_of(round_.planned.phases,
                             [&](const phase& step) { return std::ranges::all_of(step, next_to); });
}

// Takes all tasks out of the queue of a worker. The running task stays where it is.
void migration::take_out(node_id k) noexcept {
  auto& queue = workers_->at(k).queue();
  slot_word taken[64];
  message& here = in_transit_[k];
  for (;;) {
    const auto got = queue.claim(64, taken);
    if (got.taken == 0) break;
    for (std::uint32_t i = 0; i < got.tasks; ++i) here.add_newest(taken[i]);
  }
  fixed_[k] = std::max<load_type>(round_.loads[k] - static_cast<load_type>(here.quanta), 0);
  taken_out_[k] = here.tasks;
}

// A step: the tasks at that end of the worker's part of the sequence that lies towards the target,
// for as near to the amount as whole tasks come. So every step leaves the sequence as it is.
void migration::pass_on(const transfer& t) noexcept {
  const load_type due = t.quanta + errors_[t.from];
  message& here = in_transit_[t.from];
  message& there = in_transit_[t.to];
  message way;
  load_type left = 0;
  if (position_[t.from] < position_[t.to]) {
    message reversed = turned(std::exchange(here, {}));
    left = take_front(reversed, due, way);
    here = turned(reversed);
    way = turned(way);
    note_arrivals(way, t, nullptr);
    append(way, there);
    there = way;
  } else {
    left = take_front(here, due, way);
    note_arrivals(way, t, nullptr);
    append(there, way);
  }
  errors_[t.to] += due - left - t.quanta;
  errors_[t.from] = here.empty() ? std::min<load_type>(left, 0) : left;
}

// Deals the sequence of the positions [first, last] out to them (migration.dealt).
void migration::deal(std::size_t first, std::size_t last,
                     const std::vector<load_type>& after) noexcept {
  std::size_t source = first;
  load_type dealt = 0;            // quanta dealt out so far
  load_type target = 0;           // quanta due to the positions so far
  std::uint64_t tasks_dealt = 0;  // tasks dealt out to earlier positions
  std::uint64_t own_begin = 0;    // where in the sequence the worker's own tasks were
  for (std::size_t p = first; p <= last; ++p) {
    const node_id k = line_[p];
    target += std::max<load_type>(after[k] - fixed_[k], 0);
    message mine;
    for (;;) {
      while (source <= last && in_transit_[line_[source]].empty()) ++source;
      if (source > last) break;
      const node_id from = line_[source];
      const slot_word word = in_transit_[from].newest;
      const auto cost = static_cast<load_type>(cost_of(word));
      if (p != last && !takes_whole_task(target - dealt, cost)) break;
      in_transit_[from].take_newest();
      dealt += cost;
      if (from != k) {
        count_move(move_kind::round, from, k, 1);
        moved_now_.fetch_add(1, std::memory_order_relaxed);
        if (recorder_ != nullptr) recorder_->moved(word, from, k, nullptr);
      }
      mine.add_oldest(word);
    }
    const std::uint64_t end = tasks_dealt + mine.tasks;
    const std::uint64_t own_end = own_begin + taken_out_[k];
    const std::uint64_t stayed_from = std::max(tasks_dealt, own_begin);
    const std::uint64_t stayed = std::max(std::min(end, own_end), stayed_from) - stayed_from;
    const std::uint64_t arrived = mine.tasks - stayed;
    tasks_dealt = end;
    own_begin = own_end;
    if (mine.empty()) continue;
    worker& receiver = workers_->at(k);
    receiver.counters().arrived.fetch_add(arrived, std::memory_order_relaxed);
    // Beneath the tasks that the worker has pushed meanwhile, which come before all of these.
    if (!receiver.inbox().send_beneath(mine) && k == 0 && workers_->seat().vacant()) {
      workers_->announce_work();
    }
  }
}

}  // namespace evencube::detail
