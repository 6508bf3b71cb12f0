#include "balance/load_board.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/workers.hpp"

namespace evencube::detail {

void load_board::begin(all_workers& workers, std::vector<double> speeds, bool measures_speeds) {
  workers_ = &workers;
  speeds_ = std::move(speeds);
  alike_ = std::all_of(speeds_.begin(), speeds_.end(),
                       [&](double speed) { return speed == speeds_.front(); });
  if (measures_speeds && workers.size() > 1) meter_.emplace(workers.size());
  executed_before_.assign(workers.size(), 0);
  measured_at_ = now_ns();
}

// Capacities are left empty if all are equal or if the strategy does not honour them. The capacity
// is zero for worker 0 while no thread is there for the caller's seat, and for a worker in a
// blocking scope whose place no spare worker holds; except if all capacities would be zero.
void load_board::read_into(balancing_round& round, const strategy& asking, const cost_range& costs,
                           std::optional<node_id> dry) const {
  const std::uint32_t n = workers_->size();
  round.unit = costs.least == costs.most ? costs.least : 1;
  round.loads.resize(n);
  for (std::uint32_t k = 0; k < n; ++k) {
    worker& one = workers_->at(k);
    const auto running = one.counters().busy.load(std::memory_order_relaxed) ? 1 : 0;
    const auto waiting = static_cast<load_type>(one.load()) - running;
    round.loads[k] =
        std::max<load_type>(waiting, 0) / round.unit + (dry == node_id{k} ? 0 : running);
  }
  round.capacities.clear();
  // The caller's seat is vacant: worker 0 takes no work. A holder does not check the seat.
  const bool vacant = n > 1 && workers_->seat().vacant() && !workers_->seat().has_standby() &&
                      !workers_->gate().closed();
  const bool uneven = !alike_ || (meter_ && !meter_->alike());
  if (asking.honours_capacities &&
      (vacant || uneven || workers_->spare_workers().in_scopes() != 0)) {
    round.capacities = speeds_;
    if (meter_) {
      for (std::uint32_t k = 0; k < n; ++k) round.capacities[k] *= meter_->speeds()[k];
    }
    if (vacant) round.capacities.front() = 0;
    for (std::uint32_t k = 0; k < n; ++k) {
      if (workers_->spare_workers().vacated(k)) round.capacities[k] = 0;
    }
    if (std::ranges::all_of(round.capacities, [](double speed) { return speed == 0; })) {
      round.capacities.clear();
    }
  }
  round.service_times = service_times_;
}

cost_range load_board::estimated_costs() const noexcept {
  load_type common = 0;
  for (std::uint32_t k = 0; k < workers_->size(); ++k) {
    worker& one = workers_->at(k);
    const auto tasks = static_cast<load_type>(one.queue().length());
    if (tasks == 0) continue;
    const auto quanta = static_cast<load_type>(one.queue().quanta());
    const load_type mean = quanta / tasks;
    if (mean < 1 || quanta % tasks != 0 || (common != 0 && mean != common)) return {};
    common = mean;
  }
  if (common <= 1) return {};
  for (std::uint32_t k = 0; k < workers_->size(); ++k) {
    const auto coming = static_cast<load_type>(workers_->at(k).inbox().quanta());
    if (coming % common != 0) return {};
  }
  return {.least = common, .most = common};
}

cost_range load_board::exact_costs() const noexcept {
  cost_range found{.least = std::numeric_limits<load_type>::max(), .most = 0};
  for (std::uint32_t k = 0; k < workers_->size(); ++k) {
    workers_->at(k).queue().for_each_shared([&](slot_word word) {
      const auto cost = static_cast<load_type>(cost_of(word));
      found.least = std::min(found.least, cost);
      found.most = std::max(found.most, cost);
    });
  }
  if (found.most == 0) return {};
  return found;
}

double load_board::imbalance() const noexcept {
  std::uint64_t most = 0;
  std::uint64_t all = 0;
  for (std::uint32_t k = 0; k < workers_->size(); ++k) {
    const std::uint64_t load = workers_->at(k).load();
    most = std::max(most, load);
    all += load;
  }
  if (all == 0) return 1;
  return static_cast<double>(most) * workers_->size() / static_cast<double>(all);
}

void load_board::measure(const strategy& asking) {
  if (meter_) meter_->look(*workers_);
  service_times_.clear();
  if (!asking.uses_service_times) return;
  const std::int64_t now = now_ns();
  const double window = 1e-9 * static_cast<double>(std::max<std::int64_t>(now - measured_at_, 1));
  measured_at_ = now;
  for (std::uint32_t k = 0; k < workers_->size(); ++k) {
    const std::uint64_t executed =
        workers_->at(k).counters().executed.load(std::memory_order_relaxed);
    const std::uint64_t ended = executed - std::exchange(executed_before_[k], executed);
    service_times_.push_back(ended > 0 ? window / static_cast<double>(ended)
                                       : std::numeric_limits<double>::infinity());
  }
}

}  // namespace evencube::detail
