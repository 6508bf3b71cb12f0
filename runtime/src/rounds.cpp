#include "rounds.hpp"

#include <algorithm>
#include <evencube/balancers/locality.hpp>
#include <evencube/balancers/plan_tools.hpp>
#include <limits>
#include <utility>

#include "scheduler.hpp"

namespace evencube::detail {

namespace {

/// Rounds may take up at most one part in so many of the time: in between, lifelines pull.
constexpr std::int64_t rest_factor = 8;
constexpr std::int64_t rest_after_failure_ns = 1'000'000;

}  // namespace

rounds::rounds(scheduler& cube, strategy first)
    : cube_(&cube),
      executed_before_(cube.options_.workers),
      measured_at_(now_ns()),
      at_(cube.options_.workers),
      callers_((cube.options_.workers + 63) / 64),
      moved_(std::max(1U, cube.graph_.dimensions())) {
  for (const unsigned unit : cube.placement_) {
    speeds_.push_back(cube.machine_.units[unit].capacity);
  }
  alike_ = std::all_of(speeds_.begin(), speeds_.end(),
                       [&](double speed) { return speed == speeds_.front(); });
  now_.loads.resize(cube.options_.workers);
  use(std::move(first));
}

void rounds::use(strategy next) {
  const std::lock_guard lock(one_at_a_time_);
  strategy_ = std::move(next);
  if (strategy_.keeps_order) line_ = locality_line(cube_->graph_);
  way_.store(strategy_.way, std::memory_order_relaxed);
  keeps_order_.store(strategy_.keeps_order, std::memory_order_relaxed);
  event_driven_.store(strategy_.event_driven, std::memory_order_relaxed);
}

void rounds::record(recorder* into) {
  const std::lock_guard lock(one_at_a_time_);
  recorder_ = into;
}

rounds::answer rounds::request(std::uint32_t who) {
  if (cube_->options_.mode == balancer_mode::on_demand) return answer::nothing;
  if (event_driven()) {
    // Relaxed: a hint. A leader that misses it leaves it to the next.
    callers_[who / 64].fetch_or(std::uint64_t{1} << who % 64, std::memory_order_relaxed);
  }
  if (now_ns() < not_before_.load(std::memory_order_relaxed)) return answer::too_soon;
  if (cube_->idle_leads_) return carry_out_unasked();
  bell_.raise(signal_work);
  return answer::nothing;
}

rounds::answer rounds::carry_out() {
  const std::unique_lock lock(one_at_a_time_, std::try_to_lock);
  if (!lock.owns_lock()) return answer::too_soon;
  if (strategy_.planner == nullptr) return answer::nothing;
  const std::int64_t began = now_ns();
  measure_service_times();
  const std::uint64_t moved =
      strategy_.event_driven ? activate_callers() : act(std::nullopt, false);
  const std::int64_t ended = now_ns();
  not_before_.store(ended + rest_factor * (ended - began), std::memory_order_relaxed);
  if (moved == 0) return answer::nothing;
  count_.fetch_add(1, std::memory_order_relaxed);
  spent_ns_.fetch_add(ended - began, std::memory_order_relaxed);
  return answer::moved;
}

// There is nobody to throw to, and work goes on where it is.
rounds::answer rounds::carry_out_unasked() noexcept {
  try {
    return carry_out();
  } catch (...) {
    failed_.fetch_add(1, std::memory_order_relaxed);
    not_before_.store(now_ns() + rest_after_failure_ns, std::memory_order_relaxed);
    return answer::nothing;
  }
}

balancing_round rounds::carry_out_held(std::optional<node_id> initiator) {
  const std::lock_guard lock(one_at_a_time_);
  if (strategy_.planner == nullptr) return {};
  const std::int64_t began = now_ns();
  measure_service_times();
  act(initiator, true);
  count_.fetch_add(1, std::memory_order_relaxed);
  spent_ns_.fetch_add(now_ns() - began, std::memory_order_relaxed);
  return now_;
}

// Those who asked act one after the other, each seeing the loads the earlier ones left. If that
// moves nothing (one that ran dry has nothing to send) all others get their turn.
std::uint64_t rounds::activate_callers() {
  std::vector<std::uint64_t> called;
  for (auto& bits : callers_) called.push_back(bits.exchange(0, std::memory_order_relaxed));
  std::uint64_t moved = 0;
  for (const bool turn : {true, false}) {
    for (node_id k = 0; k < cube_->size(); ++k) {
      if ((called[k / 64] >> k % 64 & 1) == (turn ? 1U : 0U)) moved += act(k, false);
    }
    if (moved != 0) break;
  }
  return moved;
}

// One round, or one activation. Held: even loads are a round too.
std::uint64_t rounds::act(std::optional<node_id> initiator, bool held) {
  look(initiator, held);
  if (!held) {
    const auto [least, most] = std::minmax_element(now_.loads.begin(), now_.loads.end());
    if (*most - *least <= 1) return 0;
  }
  strategy_.planner->make_plan({.graph = cube_->graph_,
                                .loads = now_.loads,
                                .capacities = now_.capacities,
                                .seed = now_.seed,
                                .initiator = initiator,
                                .service_times = now_.service_times},
                               now_.planned);
  // Programs may register balancers: a plan is input like any other.
  validate_plan(cube_->graph_, now_.loads, now_.planned);
  if (recorder_ != nullptr) {
    std::optional<std::uint32_t> leader;
    if (const worker* const w = worker_of(*cube_)) leader = w->index();
    recorder_->planned(now_, leader);
  }
  return strategy_.keeps_order ? shift() : transport(held);
}

// What the strategy is told. Of speeds nothing if all are alike or it has no rule for them.
void rounds::look(std::optional<node_id> initiator, bool held) {
  for (std::uint32_t k = 0; k < cube_->size(); ++k) {
    now_.loads[k] = static_cast<load_type>(cube_->at(k).load());
  }
  now_.capacities.clear();
  // Nobody sits in worker 0's seat: it takes no work. The holder does not ask who sits where.
  const bool vacant =
      !held && cube_->size() > 1 && !cube_->seat_taken_.load(std::memory_order_relaxed);
  if (strategy_.honours_capacities && (vacant || !alike_)) {
    now_.capacities = speeds_;
    if (vacant) now_.capacities.front() = 0;
  }
  now_.seed = seeds_++;
  now_.initiator = initiator;
}

// Mean time between two ends of tasks since the last look (Loh et al. 1996, Pred).
void rounds::measure_service_times() {
  now_.service_times.clear();
  if (!strategy_.uses_service_times) return;
  const std::int64_t now = now_ns();
  const double window = 1e-9 * static_cast<double>(std::max<std::int64_t>(now - measured_at_, 1));
  measured_at_ = now;
  for (std::uint32_t k = 0; k < cube_->size(); ++k) {
    const std::uint64_t executed = cube_->at(k).counters_.executed.load(std::memory_order_relaxed);
    // The counters may have been reset meanwhile.
    const std::uint64_t before = std::exchange(executed_before_[k], executed);
    const std::uint64_t ended = executed >= before ? executed - before : executed;
    now_.service_times.push_back(ended > 0 ? window / static_cast<double>(ended)
                                           : std::numeric_limits<double>::infinity());
  }
}

void rounds::serve(std::int64_t period_ns) {
  for (;;) {
    if (period_ns > 0) {
      bell_.sleep_for(period_ns);
    } else {
      bell_.sleep();
    }
    const std::uint32_t bits = bell_.take();
    if ((bits & signal_stop) != 0) return;
    carry_out_unasked();
  }
}

void rounds::reset() noexcept {
  count_.store(0, std::memory_order_relaxed);
  failed_.store(0, std::memory_order_relaxed);
  spent_ns_.store(0, std::memory_order_relaxed);
  for (auto& m : moved_) m.store(0, std::memory_order_relaxed);
}

}  // namespace evencube::detail
