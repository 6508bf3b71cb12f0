#include <algorithm>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/whole_tasks.hpp>
#include <limits>

#include "balance/migration.hpp"
#include "engine/workers.hpp"

namespace evencube::detail {

// The order-preserving round (Mehrotra, Ranka, Wang 1992). The tasks form one sequence along the
// locality line, at each worker the newest first: in this sequence the chunks of a loop follow each
// other. The tasks of every queue that the plan touches are taken out. Each queue then gets the
// part of the sequence that is its share afterwards. So the sequence is kept, whatever the steps
// would have been.
std::uint64_t migration::shift() {
  const std::vector<load_type> after = final_loads(round_.planned, round_.loads);
  std::uint64_t moved = 0;
  // Positions between which tasks cross are handled together.
  load_type crossing = 0;
  std::size_t first = 0;
  for (std::size_t p = 0; p < line_.size(); ++p) {
    crossing += round_.loads[line_[p]] - after[line_[p]];
    if (crossing != 0) continue;
    if (p > first) moved += shift_run(first, p, after);
    first = p + 1;
  }
  return moved;
}

// Takes the tasks out of the queues at the positions [first, last] and deals them out again in
// order.
std::uint64_t migration::shift_run(std::size_t first, std::size_t last,
                                   const std::vector<load_type>& after) noexcept {
  for (std::size_t p = first; p <= last; ++p) {
    auto& queue = workers_->at(line_[p]).queue();
    slot_word taken[64];
    message& here = in_transit_[line_[p]];
    for (;;) {
      const auto got = queue.claim(64, taken);
      if (got.taken == 0) break;
      for (std::uint32_t i = 0; i < got.tasks; ++i) here.add_newest(taken[i]);
    }
    // The running task stays where it is.
    fixed_[line_[p]] =
        std::max<load_type>(round_.loads[line_[p]] - static_cast<load_type>(here.quanta), 0);
  }
  std::uint64_t moved = 0;
  std::size_t source = first;
  load_type dealt = 0;   // quanta dealt out so far
  load_type target = 0;  // quanta due to the positions so far
  for (std::size_t p = first; p <= last; ++p) {
    const node_id k = line_[p];
    target += std::max<load_type>(after[k] - fixed_[k], 0);
    message mine;
    std::uint64_t arrived = 0;
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
        ++arrived;
        count_move(move_kind::round, from, k, 1);
        if (recorder_ != nullptr) recorder_->moved(word, from, k, nullptr);
      }
      mine.add_oldest(word);
    }
    if (mine.empty()) continue;
    worker& receiver = workers_->at(k);
    receiver.counters().arrived.fetch_add(arrived, std::memory_order_relaxed);
    moved += arrived;
    // Beneath the tasks that the worker has pushed meanwhile, which come before all of these.
    if (!receiver.inbox().send_beneath(mine) && k == 0 && workers_->seat().vacant()) {
      workers_->announce_work();
    }
  }
  return moved;
}

}  // namespace evencube::detail
