#include "balance/load_board.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/workers.hpp"

namespace evencube::detail {

void load_board::begin(all_workers& of, std::vector<double> speeds, bool measures_speeds) {
  workers_ = &of;
  speeds_ = std::move(speeds);
  alike_ = std::all_of(speeds_.begin(), speeds_.end(),
                       [&](double speed) { return speed == speeds_.front(); });
  if (measures_speeds && of.size() > 1) meter_.emplace(of.size());
  executed_before_.assign(of.size(), 0);
  measured_at_ = now_ns();
}

// Capacities are left empty if all are equal or if the strategy does not honour them. The capacity
// is zero for worker 0 while no thread is there for the caller's seat, and for a worker in a
// blocking scope whose place no spare worker holds; except if all capacities would be zero.
void load_board::read_into(balancing_round& round, const strategy& asking) const {
  const std::uint32_t n = workers_->size();
  round.loads.resize(n);
  for (std::uint32_t k = 0; k < n; ++k) {
    round.loads[k] = static_cast<load_type>(workers_->at(k).load());
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
