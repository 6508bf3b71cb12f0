#include <algorithm>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>

#include "cluster_engine.hpp"
#include "rank_tree.hpp"

namespace evencube::detail {
namespace {

constexpr std::chrono::microseconds shortest_pause{100};
constexpr std::chrono::milliseconds longest_pause{10};

/// What a rank says of itself when a round begins.
struct rank_load {
  load_type quanta = 0;
  std::uint64_t moved = 0;  // tasks that it sent in the round before
  bool hungry = false;      // a worker has nothing to do, or soon will
  bool rich = false;        // a task waits for a worker
};

}  // namespace

// Rank 0 begins a round when some rank is hungry and some rank is rich, as far as it was told.
bool cluster_engine::advance_rounds() {
  bool hungry = false;
  bool rich = false;
  bool may_begin = false;
  bool wanted = false;
  {
    const std::lock_guard lock(mutex_);
    if (workers_of_.empty() || leaving_) return false;
    hungry = pool_.size() < runtime_.workers() && !groups_.empty();
    rich = pool_.movable() > 0;
    may_begin = rounds_ && size_ > 1 && !paused_;
    wanted = !in_round_ && joined_ == round_ && std::exchange(round_wanted_, false);
  }
  if (!in_round_ && joined_ != round_) {
    ++round_;
    in_round_ = true;
    post_load();
    return true;
  }
  if (wanted) {
    begin_round();
    return true;
  }
  if (!may_begin) return false;
  if ((hungry && !told_hungry_) || (rich && !told_rich_)) {
    told_hungry_ |= hungry;
    told_rich_ |= rich;
    if (rank_ == 0) {
      hungry_ |= hungry;
      rich_ |= rich;
      pause_ = {};
    } else {
      byte_writer out;
      out.put(wire::ask);
      out.put(hungry);
      out.put(rich);
      post(0, out);
      return true;
    }
  }
  if (rank_ != 0 || in_round_ || joined_ != round_ || !hungry_ || !rich_) return false;
  if (clock::now() < not_before_) return false;
  begin_round();
  return true;
}

void cluster_engine::begin_round() {
  {
    const std::lock_guard lock(mutex_);
    ++rounds_begun_;
  }
  round_began_ = clock::now();
  join_round(joined_ + 1);
}

// The call goes down the tree of ranks.
void cluster_engine::join_round(std::uint32_t number) {
  joined_ = number;
  detail::for_each_tree_child(rank_, size_, [&](unsigned child) {
    byte_writer out;
    out.put(wire::round);
    out.put(number);
    post(child, out);
  });
}

void cluster_engine::post_load() {
  rank_load own;
  own.moved = moved_in_round_;
  {
    const std::lock_guard lock(mutex_);
    waiting_quanta_ = pool_.quanta();
    own.quanta = waiting_quanta_ + (paused_ ? 0 : load_type{running_});
    own.hungry = pool_.size() < runtime_.workers() && !groups_.empty();
    own.rich = pool_.movable() > 0;
  }
  told_hungry_ = own.hungry;
  told_rich_ = own.rich;
  moved_in_round_ = 0;
  gathering_loads_ = true;
  byte_writer out;
  out.put(own);
  contribute(gathered::loads, round_, out.take());
}

// Every rank makes the same plan, for a plan is a pure function of what they all know now.
void cluster_engine::plan_round(const std::vector<message_bytes>& all) {
  gathering_loads_ = false;
  balancing_round planned;
  std::uint64_t moved_before = 0;
  hungry_ = rich_ = false;
  for (const message_bytes& one : all) {
    const auto said = byte_reader(one).get<rank_load>();
    planned.loads.push_back(said.quanta);
    moved_before += said.moved;
    hungry_ |= said.hungry;
    rich_ |= said.rich;
  }
  planned.seed = round_;
  {
    const std::lock_guard lock(mutex_);
    if (!evencube::equal_capacities(workers_of_) &&
        evencube::describe_balancer(options_.balancer).guarantees.honours_capacities) {
      planned.capacities = workers_of_;
    }
  }
  const topology cube = topology::cube(size_);
  sends_.clear();
  receives_.clear();
  next_send_ = 0;
  at_hand_ = waiting_quanta_;
  plan phases;
  try {
    balancer_->make_plan({.graph = cube,
                          .loads = planned.loads,
                          .capacities = planned.capacities,
                          .seed = planned.seed},
                         planned.planned);
    evencube::validate_plan(cube, planned.loads, planned.planned);
    phases = evencube::plan_of(evencube::make_schedule(
        evencube::parse_transmission(options_.transmission), planned.loads, planned.planned));
  } catch (const std::exception&) {
    planned.planned.phases.clear();  // on all ranks alike
  }
  unsigned number = 0;
  for (const phase& p : phases.phases) {
    for (const transfer& t : p) {
      if (t.from == rank_) sends_.push_back({number, t.to, t.quanta});
      if (t.to == rank_) receives_.push_back({number, t.from, t.quanta});
    }
    ++number;
  }
  // Where the last plan could not be carried out, for what it counted runs already, or where
  // there is nothing to plan, the next round waits for longer.
  const bool of_use = !phases.phases.empty() && (moved_before > 0 || !planned_transfers_);
  planned_transfers_ = !phases.phases.empty();
  if (of_use) {
    pause_ = {};
  } else {
    pause_ = std::clamp<clock::duration>(2 * pause_, shortest_pause, longest_pause);
  }
  {
    const std::lock_guard lock(mutex_);
    last_round_ = std::move(planned);
  }
  carry_on();
}

// Sends go in their order. Each waits for what comes in the phases before its own, for nobody sends
// in a phase what comes in it; or, if the transmission overlaps, until there is enough at hand.
void cluster_engine::carry_on() {
  if (!in_round_ || gathering_loads_) return;
  for (;;) {
    std::erase_if(receives_, [this](const part& one) {
      if (arrived_.erase({round_, one.phase, one.other}) == 0) return false;
      at_hand_ += one.quanta;
      return true;
    });
    if (next_send_ == sends_.size()) break;
    const part& next = sends_[next_send_];
    // Receives stand in the order of their phases.
    const bool all_before = receives_.empty() || receives_.front().phase >= next.phase;
    if (!all_before && !(overlaps_ && at_hand_ >= next.quanta)) return;
    at_hand_ -= next.quanta;
    ++next_send_;
    moved_in_round_ += send_jobs(next.other, next.quanta, round_, next.phase);
  }
  if (!receives_.empty()) return;
  in_round_ = false;
  const auto ended = clock::now();
  not_before_ = ended + std::max(pause_, std::max<clock::duration>(8 * (ended - round_began_),
                                                                   shortest_pause));
  const std::lock_guard lock(mutex_);
  ++rounds_ended_;
  ++stats_.rounds;
  changed_.notify_all();
}

}  // namespace evencube::detail
