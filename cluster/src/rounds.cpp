#include <algorithm>
#include <bit>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/error.hpp>

#include "cluster_engine.hpp"

namespace evencube::detail {
namespace {

constexpr std::chrono::microseconds shortest_pause{100};
constexpr std::chrono::milliseconds longest_pause{10};
/// After a round that moved something, for each dimension of the cube of ranks. A round takes long
/// if some rank lost its processor, and that says little of the next one.
constexpr std::chrono::milliseconds longest_usual_pause{2};
constexpr std::chrono::milliseconds longest_spawning{1};
/// A round that a rank begins saves at least this part of the time.
constexpr double part_of_time = 0.004;
/// A saving of this many seconds is worth a round, however late it is. A rank waits twice as long
/// before it doubts its guess.
constexpr double most_worth = 1e-3;
/// The upper limit, because tasks that each spawn one more would never end.
constexpr double most_spawned = 0.99;
/// A round is late if it takes longer than this, and longer than eight usual rounds.
constexpr std::chrono::milliseconds late_round{20};
constexpr int late_rounds = 8;

/// What a rank sends of itself when a round begins.
struct rank_load {
  load_type quanta = 0;
  std::uint64_t moved = 0;  // tasks that it sent in the round before
  double seconds = 0;       // that its waiting tasks will take, by a guess
  bool hungry = false;      // a worker has nothing to do, or soon will
};

}  // namespace

// Any rank may begin the next round. It sends its load, and a rank that receives this joins. If
// several ranks begin the round at once, it is one round, because a round has its number. A rank
// begins a round when it has something to give while another rank is known to be hungry, or when it
// is hungry and the others do not know that.
bool cluster_engine::advance_rounds() {
  bool hungry = false;
  bool rich = false;
  bool may_begin = false;
  bool spawns = false;
  double worth = 0;
  bool wanted = false;
  {
    const checked_lock lock(mutex_);
    if (workers_of_.empty() || leaving_) return false;
    hungry = runs_short() && !groups_.empty();
    worth = worth_a_round();
    const std::chrono::duration<double> since = clock::now() - planned_at_;
    rich = pool_.movable() > 0 &&
           (seconds_waiting() / 2 >= worth || since.count() >= 2 * worth);  // that was a guess
    spawns = std::exchange(program_spawns_, false);
    may_begin = rounds_ && size_ > 1 && !paused_;
    wanted = !in_round_ && joined_ == round_ && std::exchange(round_wanted_, false);
  }
  if (in_round_) return share_without_round();
  if (joined_ != round_ || wanted) {
    post_load();
    return true;
  }
  if (!hungry) hungry_since_.reset();
  if (!may_begin || program_spawns(spawns)) return false;
  hungry_.resize(size_, true);
  const bool others_hungry =
      std::count(hungry_.begin(), hungry_.end(), true) > (hungry_[rank_] ? 1 : 0);
  const bool news = hungry && !hungry_[rank_] && others_have_work(worth);
  if (!(rich && others_hungry) && !news) return false;
  if (clock::now() < not_before_) return false;
  post_load();
  return true;
}

cluster_engine::clock::duration cluster_engine::patience_with_rounds() const {
  const std::chrono::duration<double> usual(late_rounds * round_seconds_);
  return std::max<clock::duration>(late_round, std::chrono::duration_cast<clock::duration>(usual));
}

// L in the page. If a rank stands still, nobody knows its load, so nobody can plan. Until it goes
// on, ranks without work ask others. A rank may not have heard of the round, so it hears of it from
// each neighbour that finds the round late.
bool cluster_engine::share_without_round() {
  if (!rounds_ || clock::now() - round_began_ < patience_with_rounds()) return false;
  bool any = advance_stealing();
  if (std::exchange(said_round_is_late_, true)) return any;
  std::set<unsigned> neighbours{(rank_ + 1) % size_, (rank_ + size_ - 1) % size_};
  for (unsigned bit = 1; bit < size_; bit <<= 1) {
    if ((rank_ ^ bit) < size_) neighbours.insert(rank_ ^ bit);
  }
  neighbours.erase(rank_);
  for (const unsigned to : neighbours) {
    byte_writer out;
    out.put(wire::round);
    out.put(round_);
    post(to, out);
    any = true;
  }
  return any;
}

// If a program spawns many tasks, one round moves all of them, and not several rounds the first
// few. So rounds wait as long as the program adds tasks, but no longer than a millisecond.
bool cluster_engine::program_spawns(bool since_last) {
  if (!since_last) {
    spawns_since_.reset();
    return false;
  }
  const auto now = clock::now();
  if (!spawns_since_) spawns_since_ = now;
  return now - *spawns_since_ < longest_spawning;
}

// The time that the waiting tasks here would take one worker, including the tasks that they will
// spawn, if they behave as other tasks did lately.
double cluster_engine::seconds_waiting() const {
  const double spawned_by_each = spawned_lately_ / std::max(executed_lately_, 1.0);
  return static_cast<double>(pool_.quanta()) * quantum_seconds_ /
         (1 - std::min(spawned_by_each, most_spawned));
}

// A round must save the time that it takes, and a part of the time for which groups have existed.
// So at the end, where there is little to share, there are few rounds.
double cluster_engine::worth_a_round() const {
  clock::time_point began = clock::now();
  const auto now = began;
  for (const auto& [number, group] : groups_) began = std::min(began, group.began);
  const std::chrono::duration<double> since = now - began;
  return quantum_seconds_ == 0
             ? 0
             : std::max(round_seconds_, std::min(since.count() * part_of_time, most_worth));
}

// True if a worker has nothing to do, or will have nothing before a round could bring tasks.
bool cluster_engine::runs_short() const {
  return pool_.size() < runtime_.workers() ||
         seconds_waiting() < runtime_.workers() * round_seconds_;
}

// A hungry rank need not say so while the others, by their last loads, have next to nothing left.
// But that was a guess, so the rank says so after it has been hungry for long.
bool cluster_engine::others_have_work(double worth) {
  const auto now = clock::now();
  if (!hungry_since_) hungry_since_ = now;
  if (std::chrono::duration<double>(now - *hungry_since_).count() >= 2 * worth) return true;
  const double since = std::chrono::duration<double>(now - planned_at_).count();
  for (unsigned k = 0; k < seconds_left_.size(); ++k) {
    if (k != rank_ && (seconds_left_[k] - since) / 2 >= worth) return true;
  }
  return seconds_left_.empty();
}

// Takes part in the next round, whichever rank began it. If the round was decided before, this is
// never done between a rank's pause and its count for a hold, because all three are done by the
// thread that has the turn (H).
void cluster_engine::post_load() {
  ++round_;
  joined_ = round_;
  in_round_ = true;
  said_round_is_late_ = false;
  round_began_ = clock::now();
  rank_load own;
  own.moved = moved_in_round_;
  {
    const checked_lock lock(mutex_);
    waiting_quanta_ = pool_.quanta();
    own.quanta = waiting_quanta_ + (paused_ ? 0 : load_type{running_});
    own.hungry = runs_short();
    own.seconds = seconds_waiting();
  }
  moved_in_round_ = 0;
  gathering_loads_ = true;
  byte_writer out;
  out.put(own);
  std::vector<gathering::outgoing> said;
  loads_of(round_).contribute(out.take(), said);
  send_loads(round_, said);
  const auto here = loads_.find(round_);
  if (here == loads_.end()) return;
  if (const auto outer = here->second.waits_for()) {
    out.put(wire::round);
    out.put(round_);
    post(*outer, out);
  }
}

gathering& cluster_engine::loads_of(std::uint32_t round) {
  return loads_.try_emplace(round, rank_, size_).first->second;
}

void cluster_engine::handle_loads(byte_reader& in) {
  const auto round = in.get<std::uint32_t>();
  const auto step = in.get<std::uint32_t>();
  const auto known = in.block();
  joined_ = std::max(joined_, round);
  std::vector<gathering::outgoing> out;
  loads_of(round).receive(step, message_bytes(known.begin(), known.end()), out);
  send_loads(round, out);
}

void cluster_engine::send_loads(std::uint32_t round, const std::vector<gathering::outgoing>& what) {
  for (const auto& [to, step, known] : what) {
    byte_writer out;
    out.put(wire::loads);
    out.put(round);
    out.put(std::uint32_t{step});
    out.block(known.data(), known.size());
    post(to, out);
  }
  const auto found = loads_.find(round);
  if (!found->second.complete()) return;
  const std::vector<message_bytes> all = found->second.all();
  loads_.erase(found);
  plan_round(all);
}

// Every rank makes the same plan, because a plan is a pure function of what all ranks know now.
void cluster_engine::plan_round(const std::vector<message_bytes>& all) {
  gathering_loads_ = false;
  balancing_round planned;
  std::uint64_t moved_before = 0;
  hungry_.clear();
  seconds_left_.clear();
  planned_at_ = clock::now();
  for (const message_bytes& one : all) {
    const auto said = byte_reader(one).get<rank_load>();
    planned.loads.push_back(said.quanta);
    moved_before += said.moved;
    hungry_.push_back(said.hungry);
    seconds_left_.push_back(said.seconds);
  }
  planned.seed = round_;
  {
    const checked_lock lock(mutex_);
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
  } catch (const std::exception& problem) {
    throw error("the balancer \"" + options_.balancer + "\" threw in round " +
                std::to_string(round_) + ": " + problem.what());
  }
  unsigned number = 0;
  for (const phase& p : phases.phases) {
    for (const transfer& t : p) {
      // A guess in proportion to the quanta. Quanta that are passed on in later phases may not be
      // there yet.
      const double goes =
          std::min(seconds_left_[t.from],
                   seconds_left_[t.from] * static_cast<double>(t.quanta) /
                       static_cast<double>(std::max<load_type>(planned.loads[t.from], 1)));
      seconds_left_[t.from] -= goes;
      seconds_left_[t.to] += goes;
      if (t.from == rank_) sends_.push_back({number, t.to, t.quanta});
      if (t.to == rank_) receives_.push_back({number, t.from, t.quanta});
      hungry_[t.to] = false;
    }
    ++number;
  }
  // If the last plan could not be carried out, because the tasks that it counted run already, or if
  // there is nothing to plan, the next round waits for longer.
  const bool of_use = !phases.phases.empty() && (moved_before > 0 || !planned_transfers_);
  planned_transfers_ = !phases.phases.empty();
  if (of_use) {
    pause_ = {};
  } else {
    pause_ = std::clamp<clock::duration>(2 * pause_, shortest_pause, longest_pause);
  }
  {
    const checked_lock lock(mutex_);
    last_round_ = std::move(planned);
  }
  carry_on();
}

// Sends go in their order. Each waits for the tasks that come in the phases before its own, because
// no rank sends in a phase what comes in it. Or, if the transmission overlaps, it waits until there
// is enough at hand.
void cluster_engine::carry_on() {
  if (!in_round_ || gathering_loads_) return;
  for (;;) {
    std::erase_if(receives_, [this](const part& one) EVENCUBE_REQUIRES(turn_) {
      if (arrived_.erase({round_, one.phase, one.other}) == 0) return false;
      at_hand_ += one.quanta;
      return true;
    });
    if (next_send_ == sends_.size()) break;
    const part& next = sends_[next_send_];
    // Receives are in the order of their phases.
    const bool all_before = receives_.empty() || receives_.front().phase >= next.phase;
    if (!all_before && !(overlaps_ && at_hand_ >= next.quanta)) return;
    at_hand_ -= next.quanta;
    ++next_send_;
    moved_in_round_ += send_jobs(next.other, next.quanta, round_, next.phase);
  }
  if (!receives_.empty()) return;
  in_round_ = false;
  const auto ended = clock::now();
  // A late round says nothing of the next one, but if all are late, they become usual.
  const clock::duration took = std::min(ended - round_began_, patience_with_rounds());
  take_into(round_seconds_, std::chrono::duration<double>(took).count());
  const clock::duration longest = std::bit_width(size_ - 1) * longest_usual_pause;
  not_before_ = ended + std::max(pause_, std::clamp<clock::duration>(8 * (ended - round_began_),
                                                                     shortest_pause, longest));
  const checked_lock lock(mutex_);
  ++rounds_ended_;
  ++stats_.rounds;
  changed_.notify_all();
}

}  // namespace evencube::detail
