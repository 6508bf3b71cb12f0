#include "rounds.hpp"

#include <algorithm>
#include <chrono>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/error.hpp>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "neighbour_sharing.hpp"
#include "stealing.hpp"

namespace evencube::detail {
namespace {

// With the other transmissions, a phase begins when the previous one has ended.
bool overlaps(transmission how) {
  return how == transmission::overlapped || how == transmission::pipelined;
}

std::unique_ptr<rank_balancing> asking_of(rank_core& core, mail& post, rank_work& work) {
  if (core.has_lifelines()) return std::make_unique<neighbour_sharing>(core, post, work);
  return std::make_unique<stealing>(core, post, work);
}

}  // namespace

planned_rounds::planned_rounds(rank_core& core, mail& post, rank_work& work)
    : core_(core),
      mail_(post),
      work_(work),
      balancer_(
          evencube::make_balancer(core.options.balancer.name(), core.options.balancer_options)),
      begins_(core.options.balancer != "none" && !core.has_lifelines()),
      asking_(asking_of(core, post, work)),
      steps_(overlaps(evencube::parse_transmission(core.options.transmission.text()))) {}

// All ranks know the number of ranks, so all throw alike.
void planned_rounds::check_ranks() const {
  const std::vector<load_type> none(core_.size, 0);
  plan empty;
  balancer_->make_plan({.graph = topology::cube(core_.size), .loads = none}, empty);
}

// A rank runs short if a worker has nothing to do, or will have nothing before a round could bring
// tasks. A task that runs counts for one quantum.
rank_load planned_rounds::load() const {
  const unsigned workers = core_.runtime.workers();
  rank_load own;
  own.quanta = work_.pool().quanta() + (work_.crew().paused ? 0 : load_type{work_.crew().running});
  own.moved = at_.moved;
  own.seconds = work_.seconds_waiting();
  own.hungry = work_.pool().size() < workers || own.seconds < workers * pace_.seconds();
  return own;
}

bool planned_rounds::advance() {
  const bool shared = core_.has_lifelines() && asking_->advance();
  return advance_rounds() || shared;
}

// Any rank may begin the next round. It sends its load, and a rank that receives this joins. If
// several ranks begin the round at once, it is one round, because a round has its number. A rank
// begins a round when it has something to give while another rank is known to be hungry, or when it
// is hungry and the others do not know that.
bool planned_rounds::advance_rounds() {
  bool hungry = false;
  bool rich = false;
  bool may_begin = false;
  bool spawns = false;
  double worth = 0;
  bool wanted = false;
  {
    const data_lock lock(core_.mutex);
    if (record().workers_of.empty() || work_.crew().closed) return false;
    const rank_load own = load();
    hungry = own.hungry && !work_.groups().empty();
    worth = worth_a_round();
    rich = work_.pool().movable() > 0 && outlook_.is_rich(own.seconds, worth, clock::now());
    spawns = begins_ && work_.measures().take_program_spawns();
    may_begin = begins_ && core_.size > 1 && !work_.crew().paused;
    wanted =
        !at_.under_way && at_.joined == at_.round && std::exchange(record().round_wanted, false);
  }
  if (at_.under_way) return share_without_round();
  if (at_.joined != at_.round || wanted) {
    join();
    return true;
  }
  if (!hungry) outlook_.is_fed();
  if (!may_begin || spawning_.goes_on(spawns, clock::now())) return false;
  if (!outlook_.wants_round(core_.rank, core_.size, rich, hungry, worth, clock::now())) {
    return false;
  }
  if (!pace_.may_begin(clock::now())) return false;
  join();
  return true;
}

double planned_rounds::worth_a_round() const {
  if (work_.measures().quantum_seconds() == 0) return 0;
  const auto now = clock::now();
  return round_outlook::worth_a_round(pace_.seconds(), now - work_.groups().oldest(now));
}

// L in the page. If a rank stands still, nobody knows its load, so nobody can plan. Until it goes
// on, ranks without work ask others. A rank may not have heard of the round, so it hears of it from
// each neighbour that finds the round late.
bool planned_rounds::share_without_round() {
  if (!begins_ || !pace_.is_late(clock::now())) return false;
  bool any = asking_->advance();
  if (!pace_.say_that_it_is_late()) return any;
  const unsigned rank = core_.rank;
  const unsigned size = core_.size;
  std::set<unsigned> neighbours{(rank + 1) % size, (rank + size - 1) % size};
  for (unsigned bit = 1; bit < size; bit <<= 1) {
    if ((rank ^ bit) < size) neighbours.insert(rank ^ bit);
  }
  neighbours.erase(rank);
  for (const unsigned to : neighbours) {
    byte_writer out;
    out.put(wire::round);
    out.put(at_.round);
    mail_.post(to, out);
    any = true;
  }
  return any;
}

// Takes part in the next round, whichever rank began it. If the round was decided before, this is
// never done between a rank's pause and its count for a hold, because all three are done by the
// thread that has the turn (H).
void planned_rounds::join() {
  ++at_.round;
  at_.joined = at_.round;
  at_.under_way = true;
  pace_.begin(clock::now());
  rank_load own;
  {
    const data_lock lock(core_.mutex);
    own = load();
    steps_.begin(work_.pool().quanta());
  }
  at_.moved = 0;
  at_.gathers = true;
  byte_writer out;
  out.put(own);
  std::vector<gathering::outgoing> said;
  loads_of(at_.round).contribute(out.take(), said);
  send_loads(at_.round, said);
  const auto here = loads_.find(at_.round);
  if (here == loads_.end()) return;
  if (const auto outer = here->second.waits_for()) {
    out.put(wire::round);
    out.put(at_.round);
    mail_.post(*outer, out);
  }
}

gathering& planned_rounds::loads_of(std::uint32_t round) {
  return loads_.try_emplace(round, core_.rank, core_.size).first->second;
}

void planned_rounds::handle(wire what, unsigned from, byte_reader& in) {
  switch (what) {
    case wire::loads:
      handle_loads(in);
      break;
    case wire::round:
      at_.joined = std::max(at_.joined, in.get<std::uint32_t>());
      break;
    case wire::tasks: {
      const byte_reader all = in;
      const auto round = in.get<std::uint32_t>();
      const auto phase = in.get<std::uint32_t>();
      const auto last = in.get<bool>();
      if (round == stolen) {
        byte_reader again = all;
        asking_->handle(what, from, again);
      } else if (last) {
        steps_.came(round, phase, from);
        carry_on();
      }
      break;
    }
    default:
      asking_->handle(what, from, in);
  }
}

void planned_rounds::handle_loads(byte_reader& in) {
  const auto round = in.get<std::uint32_t>();
  const auto step = in.get<std::uint32_t>();
  const auto known = in.block();
  at_.joined = std::max(at_.joined, round);
  std::vector<gathering::outgoing> out;
  loads_of(round).receive(step, message_bytes(known.begin(), known.end()), out);
  send_loads(round, out);
}

void planned_rounds::send_loads(std::uint32_t round, const std::vector<gathering::outgoing>& what) {
  for (const auto& [to, step, known] : what) {
    byte_writer out;
    out.put(wire::loads);
    out.put(round);
    out.put(std::uint32_t{step});
    out.block(known.data(), known.size());
    mail_.post(to, out);
  }
  const auto found = loads_.find(round);
  if (!found->second.complete()) return;
  const std::vector<message_bytes> all = found->second.all();
  loads_.erase(found);
  plan_round(all);
}

void planned_rounds::throw_problem(const std::string& text) const {
  throw error("the balancer \"" + core_.options.balancer.name() + "\" threw in round " +
              std::to_string(at_.round) + ": " + text);
}

// Every rank makes the same plan, because a plan is a pure function of what all ranks know now.
void planned_rounds::plan_round(const std::vector<message_bytes>& all) {
  at_.gathers = false;
  balancing_round planned;
  std::uint64_t moved_before = 0;
  outlook_.begin(clock::now());
  for (const message_bytes& one : all) {
    const auto said = byte_reader(one).get<rank_load>();
    planned.loads.push_back(said.quanta);
    moved_before += said.moved;
    outlook_.add(said);
  }
  planned.seed = at_.round;
  {
    const data_lock lock(core_.mutex);
    if (!evencube::equal_capacities(record().workers_of) &&
        evencube::describe_balancer(core_.options.balancer.name()).guarantees.honours_capacities) {
      planned.capacities = record().workers_of;
    }
  }
  const topology cube = topology::cube(core_.size);
  plan phases;
  try {
    balancer_->make_plan({.graph = cube,
                          .loads = planned.loads,
                          .capacities = planned.capacities,
                          .seed = planned.seed},
                         planned.planned);
    evencube::validate_plan(cube, planned.loads, planned.planned);
    phases = evencube::plan_of(
        evencube::make_schedule(evencube::parse_transmission(core_.options.transmission.text()),
                                planned.loads, planned.planned));
  } catch (const std::exception& problem) {
    throw_problem(problem.what());
  } catch (...) {
    throw_problem("an exception that is no std::exception");
  }
  unsigned number = 0;
  for (const phase& p : phases.phases) {
    for (const transfer& t : p) {
      outlook_.moves(t.from, t.to,
                     static_cast<double>(t.quanta) /
                         static_cast<double>(std::max<load_type>(planned.loads[t.from], 1)));
      if (t.from == core_.rank) steps_.add_send({number, t.to, t.quanta});
      if (t.to == core_.rank) steps_.add_receive({number, t.from, t.quanta});
    }
    ++number;
  }
  pace_.planned(!phases.phases.empty(), moved_before > 0);
  {
    const data_lock lock(core_.mutex);
    record().last_round = std::move(planned);
  }
  carry_on();
}

void planned_rounds::carry_on() {
  if (!at_.under_way || at_.gathers) return;
  while (const std::optional<plan_steps::step> step = steps_.next(at_.round)) {
    at_.moved += work_.send_jobs(step->other, step->quanta, at_.round, step->phase);
  }
  if (!steps_.complete()) return;
  at_.under_way = false;
  pace_.end(clock::now(), core_.size);
  const data_lock lock(core_.mutex);
  ++record().rounds_ended;
  ++core_.stats.rounds;
  core_.changed.notify_all();
}

}  // namespace evencube::detail
