#include <algorithm>
#include <evencube/balancers/plan_tools.hpp>
#include <limits>

#include "rounds.hpp"
#include "scheduler.hpp"

namespace evencube::detail {

// The order-preserving round (Mehrotra, Ranka, Wang 1992). The tasks stand in one order along the
// locality line, at each worker the newest first: in that order a loop's chunks follow each other.
// Every queue that the plan touches is taken up and handed back with the part of the order that is
// its share afterwards, so the order stays whatever the steps would have been.
std::uint64_t rounds::shift() noexcept {
  const std::vector<load_type> after = final_loads(now_.planned, now_.loads);
  std::uint64_t moved = 0;
  for (const phase& step : now_.planned.phases) {
    for (const transfer& t : step) count_transfer(t, static_cast<std::uint64_t>(t.quanta));
  }
  // Positions between which something crosses belong together.
  load_type crossing = 0;
  std::size_t first = 0;
  for (std::size_t p = 0; p < line_.size(); ++p) {
    crossing += now_.loads[line_[p]] - after[line_[p]];
    if (crossing != 0) continue;
    if (p > first) moved += shift_run(first, p, after);
    first = p + 1;
  }
  return moved;
}

// Takes up the queues at the positions [first, last] and deals their tasks out again in order.
std::uint64_t rounds::shift_run(std::size_t first, std::size_t last,
                                const std::vector<load_type>& after) {
  std::vector<travelling> order;
  std::vector<load_type> fixed(last - first + 1);  // the task that runs stays where it is
  for (std::size_t p = first; p <= last; ++p) {
    worker& w = cube_->at(line_[p]);
    scratch_.clear();
    w.queue_.claim(std::numeric_limits<std::uint32_t>::max(), scratch_);
    std::int64_t dear = 0;
    load_type taken = 0;
    for (auto word = scratch_.rbegin(); word != scratch_.rend(); ++word) {
      order.push_back({*word, line_[p]});
      dear += cost_of(*word) - 1;
      taken += cost_of(*word);
    }
    if (dear != 0) w.extra_quanta_.fetch_sub(dear, std::memory_order_relaxed);
    fixed[p - first] = std::max<load_type>(now_.loads[line_[p]] - taken, 0);
  }
  std::uint64_t moved = 0;
  std::size_t next = 0;
  load_type dealt = 0;   // quanta given out so far
  load_type target = 0;  // quanta that belong to the positions so far
  for (std::size_t p = first; p <= last; ++p) {
    const node_id k = line_[p];
    target += std::max<load_type>(after[k] - fixed[p - first], 0);
    links::parcel mine;
    std::uint64_t arrived = 0;
    while (next < order.size() && (p == last || dealt + cost_of(order[next].word) <= target)) {
      dealt += cost_of(order[next].word);
      if (order[next].last_from != k) {
        ++arrived;
        if (recorder_ != nullptr) recorder_->moved(order[next].word, order[next].last_from, k);
      }
      mine.push_back(order[next++].word);
    }
    if (mine.empty()) continue;
    std::reverse(mine.begin(), mine.end());  // oldest first, as queues are filled
    worker& receiver = cube_->at(k);
    receiver.counters_.arrived.fetch_add(arrived, std::memory_order_relaxed);
    moved += arrived;
    // Beneath what the worker has pushed meanwhile, which comes before all of it.
    receiver.mail(std::move(mine), worker::letter_place::beneath);
    if (k == 0) cube_->look_after_seat();
  }
  return moved;
}

}  // namespace evencube::detail
