#include "rounds.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "scheduler.hpp"

namespace evencube::detail {

namespace {

/// Rounds may take up at most one part in so many of the time: in between, lifelines pull.
constexpr std::int64_t rest_factor = 8;

unsigned dimension_of(std::uint32_t from, std::uint32_t to) noexcept {
  return static_cast<unsigned>(std::bit_width(from ^ to)) - 1;
}

}  // namespace

rounds::rounds(scheduler& cube, std::unique_ptr<balancer> strategy, transmission how)
    : cube_(&cube),
      strategy_(std::move(strategy)),
      how_(how),
      loads_(cube.options_.workers),
      at_(cube.options_.workers),
      moved_(std::max(1U, cube.graph_.dimensions())) {
  if (strategy_ == nullptr) return;
  // A strategy that cannot serve this cube says so now, not in the middle of the work.
  strategy_->make_plan({.graph = cube.graph_, .loads = loads_}, plan_);
  // Unequal cores, where the strategy has a rule for them.
  const machine& on = cube.machine_;
  for (const unsigned unit : cube.placement_) capacities_.push_back(on.units[unit].capacity);
  alike_ = std::all_of(capacities_.begin(), capacities_.end(),
                       [&](double c) { return c == capacities_.front(); });
  honours_capacities_ = describe_balancer(strategy_->name()).guarantees.honours_capacities;
}

// What the strategy is told about speeds: nothing if all are alike or it has no rule for them.
std::span<const double> rounds::capacities() {
  if (!honours_capacities_) return {};
  const bool vacant = !cube_->seat_taken_.load(std::memory_order_relaxed);
  if (!vacant || cube_->size() == 1) return alike_ ? std::span<const double>{} : capacities_;
  // Nobody sits in worker 0's seat: it takes no work.
  without_seat_ = capacities_;
  without_seat_.front() = 0;
  return without_seat_;
}

bool rounds::request() {
  if (now_ns() < not_before_.load(std::memory_order_relaxed)) return false;
  if (cube_->idle_leads_) return carry_out();
  trigger();
  return false;
}

void rounds::read_loads() {
  for (std::uint32_t k = 0; k < cube_->size(); ++k) {
    loads_[k] = static_cast<load_type>(cube_->at(k).load());
  }
}

void rounds::make_plan(std::span<const double> capacities) {
  const std::uint64_t seed = seed_++;
  strategy_->make_plan(
      {.graph = cube_->graph_, .loads = loads_, .capacities = capacities, .seed = seed}, plan_);
  if (recorder_ == nullptr) return;
  std::optional<std::uint32_t> leader;
  if (const worker* const w = worker_of(*cube_)) leader = w->index();
  recorder_->planned(loads_, capacities, seed, leader, plan_);
}

void rounds::record(recorder* into) {
  const std::lock_guard lock(one_at_a_time_);
  recorder_ = into;
}

bool rounds::carry_out() {
  const std::unique_lock lock(one_at_a_time_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  const std::int64_t began = now_ns();
  read_loads();
  const auto [least, most] = std::minmax_element(loads_.begin(), loads_.end());
  std::uint64_t moved = 0;
  if (*most - *least > 1) {
    make_plan(capacities());
    moved = transport(how_ == transmission::phased ? plan_
                                                   : plan_of(make_schedule(how_, loads_, plan_)));
  }
  const std::int64_t ended = now_ns();
  not_before_.store(ended + rest_factor * (ended - began), std::memory_order_relaxed);
  if (moved == 0) return false;
  count_.fetch_add(1, std::memory_order_relaxed);
  spent_ns_.fetch_add(ended - began, std::memory_order_relaxed);
  return true;
}

plan rounds::carry_out_held() {
  const std::lock_guard lock(one_at_a_time_);
  if (strategy_ == nullptr) return {};
  const std::int64_t began = now_ns();
  read_loads();
  make_plan(alike_ || !honours_capacities_ ? std::span<const double>{} : capacities_);
  transport(how_ == transmission::phased ? plan_ : plan_of(make_schedule(how_, loads_, plan_)));
  count_.fetch_add(1, std::memory_order_relaxed);
  spent_ns_.fetch_add(now_ns() - began, std::memory_order_relaxed);
  return plan_;
}

// Tasks wait between two steps in `at_`, at the node they have reached, and go into the links when
// all steps are done: nobody can run away with a task that has further to go.
std::uint64_t rounds::transport(const plan& steps) {
  std::uint64_t moved = 0;
  for (const phase& step : steps.phases) {
    // All senders first: a step sends what was there when it began.
    std::vector<std::vector<travelling>> sent(step.size());
    for (std::size_t i = 0; i < step.size(); ++i) take(step[i].from, step[i].quanta, sent[i]);
    for (std::size_t i = 0; i < step.size(); ++i) {
      const transfer& t = step[i];
      count_move(dimension_of(t.from, t.to), sent[i].size());
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
void rounds::take(std::uint32_t from, load_type quanta, std::vector<travelling>& out) {
  worker& w = cube_->at(from);
  load_type left = quanta;
  while (left > 0) {
    const std::uint32_t length = w.queue_.shared_length();
    if (length == 0) break;
    const auto extra = std::max<std::int64_t>(w.extra_quanta_.load(std::memory_order_relaxed), 0);
    const load_type each = 1 + extra / length;
    scratch_.clear();
    const auto n = static_cast<std::uint32_t>(
        std::min<load_type>(std::max<load_type>(left / each, extra == 0 ? 1 : 0), length));
    if (n == 0 || w.queue_.claim(n, scratch_) == 0) break;
    std::int64_t dear = 0;
    for (const slot_word word : scratch_) {
      dear += cost_of(word) - 1;
      left -= cost_of(word);
      out.push_back({word, from});
    }
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
      for (const slot_word word : *parcel) receiver.mail(word);
    }
  }
  here.clear();
  receiver.notify(signal_mail);
  if (to == 0) cube_->look_after_seat();
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
    carry_out();
  }
}

void rounds::reset() noexcept {
  count_.store(0, std::memory_order_relaxed);
  spent_ns_.store(0, std::memory_order_relaxed);
  for (auto& m : moved_) m.store(0, std::memory_order_relaxed);
}

}  // namespace evencube::detail
