#include "balance/migration.hpp"

#include <algorithm>
#include <evencube/balancers/batches.hpp>
#include <evencube/balancers/locality.hpp>
#include <evencube/balancers/plan_tools.hpp>
#include <limits>
#include <utility>

#include "engine/workers.hpp"
#include "platform/platform.hpp"

namespace evencube::detail {

namespace {

constexpr std::int64_t rest_after_failure_ns = 1'000'000;

/// The steps that the transmission makes of the plan.
plan steps_of(const strategy& planner, const std::vector<load_type>& loads, const plan& planned) {
  if (planner.mode == transmission::phased) return planned;
  if (planner.mode != transmission::pipelined)
    return plan_of(make_schedule(planner.mode, loads, planned));
  const load_type batch = planner.batch != 0 ? planner.batch : usual_batch(loads.size(), planned);
  return plan_of(make_batched_schedule(loads, planned, batch));
}

// Turns a plan in tasks of `unit` quanta each into one in quanta.
void multiply(plan& planned, load_type unit) noexcept {
  for (phase& step : planned.phases) {
    for (transfer& t : step) t.quanta *= unit;
  }
}

}  // namespace

migration::migration(const topology& cube, const workers_settings& settings, balancer_mode mode,
                     strategy first)
    : cube_(cube),
      has_thread_(!settings.idle_leads),
      on_demand_(mode == balancer_mode::on_demand),
      pulls_(settings.pulls),
      threshold_(settings.threshold),
      in_transit_(settings.workers),
      mail_(settings.workers),
      errors_(settings.workers),
      fixed_(settings.workers),
      taken_out_(settings.workers),
      position_(settings.workers),
      called_(settings.workers),
      callers_((settings.workers + 63) / 64),
      moved_(move_kinds * std::max(1U, cube.dimensions())) {
  use(std::move(first));
}

void migration::begin(all_workers& workers, std::vector<double> speeds, bool measures_speeds) {
  workers_ = &workers;
  tell_marks();
  board_.begin(workers, std::move(speeds), measures_speeds);
}

void migration::use(strategy next) {
  // First, because it may fail, and then the former strategy stays.
  std::vector<node_id> line;
  if (next.keeps_order) line = locality_line(cube_);
  const std::lock_guard lock(one_at_a_time_);
  strategy_ = std::move(next);
  line_ = std::move(line);
  for (std::size_t p = 0; p < line_.size(); ++p) position_[line_[p]] = p;
  way_.store(strategy_.way, std::memory_order_relaxed);
  keeps_order_.store(strategy_.keeps_order, std::memory_order_relaxed);
  only_rounds_.store(strategy_.way == strategy_kind::planned && (strategy_.keeps_order || !pulls_),
                     std::memory_order_relaxed);
  event_driven_.store(strategy_.event_driven, std::memory_order_relaxed);
  const load_marks own = strategy_.planner != nullptr ? strategy_.planner->marks() : load_marks{};
  const bool marked = own.high || own.low;
  const auto quanta = [](load_type load) {
    return static_cast<std::uint64_t>(std::max<load_type>(load, 0));
  };
  high_mark_.store(own.high ? quanta(*own.high)
                   : marked ? std::numeric_limits<std::uint64_t>::max()
                            : threshold_,
                   std::memory_order_relaxed);
  low_mark_.store(own.low ? quanta(*own.low) : 0, std::memory_order_relaxed);
  has_marks_.store(marked, std::memory_order_relaxed);
  tell_marks();
}

void migration::tell_marks() noexcept {
  if (workers_ == nullptr) return;
  for (std::uint32_t k = 0; k < workers_->everyone(); ++k) workers_->at(k).watch_marks(has_marks());
}

void migration::record(recorder* records) {
  const std::lock_guard lock(one_at_a_time_);
  recorder_ = records;
}

void migration::note_caller(std::uint32_t caller) noexcept {
  if (!event_driven()) return;
  // Relaxed: a hint. A bit that one leader misses is left to the next.
  callers_[caller / 64].fetch_or(std::uint64_t{1} << caller % 64, std::memory_order_relaxed);
}

// Where the worker cannot pull instead, the thread keeps the request (migration.kept).
round_answer migration::request(std::uint32_t caller) {
  if (on_demand_) return round_answer::nothing;
  note_caller(caller);
  const round_answer answer = lead(caller);
  const bool refused = answer == round_answer::too_soon || answer == round_answer::under_way;
  if (!refused || !has_thread_ || !only_rounds()) return answer;
  calls_.call();
  return round_answer::left_to_thread;
}

round_answer migration::call(std::uint32_t caller) {
  if (on_demand_) return round_answer::nothing;
  note_caller(caller);
  if (!has_thread_) return lead(std::nullopt);
  calls_.call();
  return round_answer::left_to_thread;
}

round_answer migration::lead(std::optional<node_id> dry) noexcept {
  if (now_ns() < not_before_.load(std::memory_order_relaxed)) return round_answer::too_soon;
  return carry_out_unasked(dry, std::unique_lock(one_at_a_time_, std::try_to_lock));
}

round_answer migration::carry_out(bool triggered, std::optional<node_id> dry,
                                  const std::unique_lock<std::mutex>& lock) {
  if (!lock.owns_lock()) return round_answer::under_way;
  // A holder closes the gate before it passes this lock, so no round begins while the runtime is
  // held.
  if (workers_->gate().closed()) return round_answer::under_way;
  if (strategy_.planner == nullptr) return round_answer::nothing;
  dry_ = dry;
  const std::int64_t began = now_ns();
  const double imbalance = board_.imbalance();
  board_.measure(strategy_);
  const std::uint64_t moved =
      strategy_.event_driven ? activate_callers(triggered) : plan_and_migrate(std::nullopt, false);
  const std::int64_t ended = now_ns();
  not_before_.store(ended + rest_.after(ended - began), std::memory_order_relaxed);
  if (moved == 0) return round_answer::nothing;
  note_round(ended - began, imbalance);
  return round_answer::moved;
}

// Call with the lock held, because it writes the sums.
void migration::note_round(std::int64_t took, double imbalance) noexcept {
  const auto add = [](std::atomic<double>& sum, double value) {
    sum.store(sum.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  };
  count_.fetch_add(1, std::memory_order_relaxed);
  spent_ns_.fetch_add(took, std::memory_order_relaxed);
  add(imbalance_before_, imbalance);
  add(imbalance_after_, board_.imbalance());
}

// There is no caller to throw to, and tasks still run where they are.
round_answer migration::carry_out_unasked(std::optional<node_id> dry,
                                          std::unique_lock<std::mutex> lock) noexcept {
  try {
    return carry_out(true, dry, lock);
  } catch (...) {
    failed_.fetch_add(1, std::memory_order_relaxed);
    not_before_.store(now_ns() + rest_after_failure_ns, std::memory_order_relaxed);
    return round_answer::nothing;
  }
}

balancing_round migration::carry_out_held(std::optional<node_id> initiator) {
  const std::lock_guard lock(one_at_a_time_);
  if (strategy_.planner == nullptr) return {};
  dry_.reset();
  const std::int64_t began = now_ns();
  const double imbalance = board_.imbalance();
  board_.measure(strategy_);
  plan_and_migrate(initiator, true);
  note_round(now_ns() - began, imbalance);
  return round_;
}

// The workers that asked act one after another, and each sees the loads that the earlier ones left.
// If that moves nothing (a worker that ran dry has nothing to send), all other workers are
// activated. With pulls off they are not: a round that the program did not ask for is left to the
// workers whose trigger it was.
std::uint64_t migration::activate_callers(bool triggered) {
  const bool triggers_alone = triggered && !pulls_;
  std::uint64_t callers = 0;
  for (node_id k = 0; k < cube_.nodes(); ++k) {
    // Relaxed: see `request`.
    if (k % 64 == 0) callers = callers_[k / 64].exchange(0, std::memory_order_relaxed);
    called_[k] = (callers >> k % 64 & 1) != 0 || (triggers_alone && workers_->at(k).beyond_marks());
  }
  std::uint64_t moved = 0;
  for (const bool turn : {true, false}) {
    for (node_id k = 0; k < cube_.nodes(); ++k) {
      if (called_[k] == turn) moved += plan_and_migrate(k, false);
    }
    if (moved != 0 || triggers_alone) break;
  }
  return moved;
}

// One round, or one activation. Under a hold, even loads make a round, too.
std::uint64_t migration::plan_and_migrate(std::optional<node_id> initiator, bool held) {
  const cost_range costs = held ? board_.exact_costs() : board_.estimated_costs();
  largest_ = costs.most;
  board_.read_into(round_, strategy_, costs, dry_);
  round_.seed = seeds_++;
  round_.initiator = initiator;
  if (!held) {
    const auto [least, most] = std::minmax_element(round_.loads.begin(), round_.loads.end());
    if (*most - *least <= 1) return 0;
  }
  strategy_.planner->make_plan({.graph = cube_,
                                .loads = round_.loads,
                                .capacities = round_.capacities,
                                .seed = round_.seed,
                                .initiator = initiator,
                                .service_times = round_.service_times},
                               round_.planned);
  // Programs may register balancers of their own, so the plan is checked like any input.
  validate_plan(cube_, round_.loads, round_.planned);
  plan steps;
  if (!strategy_.keeps_order || steps_keep_order()) {
    steps = steps_of(strategy_, round_.loads, round_.planned);
  }
  if (round_.unit != 1) {
    for (load_type& load : round_.loads) load *= round_.unit;
    multiply(round_.planned, round_.unit);
    multiply(steps, round_.unit);
  }
  if (recorder_ != nullptr) {
    std::optional<std::uint32_t> leader;
    if (const worker* const w = worker_of(*workers_)) leader = w->index();
    recorder_->planned(round_, leader);
  }
  if (strategy_.keeps_order) return shift(steps);
  // Before anything is claimed, because after the first claim nothing may fail.
  steps_.prepare(steps, cube_.nodes(), strategy_.mode == transmission::phased);
  sent_.resize(steps_.size() / 2);
  sent_errors_.resize(steps_.size() / 2);
  std::ranges::fill(errors_, 0);
  return carry(held);
}

void migration::serve(std::int64_t period_ns) {
  const auto due = [this] { return not_before_.load(std::memory_order_relaxed); };
  calls_.serve(period_ns, due, [this] {
    const std::int64_t began = now_ns();
    // A round of another leader may have read the loads before the call, so this waits for its end.
    const round_answer answer = carry_out_unasked(std::nullopt, std::unique_lock(one_at_a_time_));
    // Only this thread writes the time. Without a clock of its own, the time of the rounds counts.
    const std::int64_t so_far = thread_ns_.load(std::memory_order_relaxed);
    thread_ns_.store(time_of_thread().value_or(so_far + now_ns() - began),
                     std::memory_order_relaxed);
    return answer != round_answer::under_way;
  });
}

}  // namespace evencube::detail
