#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/proximity_map.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/balancers/whole_tasks.hpp>
#include <evencube/simulator/random.hpp>

#include "machine.hpp"
#include "text.hpp"

namespace evencube::simulator {

/// Lets a balancer act on a machine: watches loads, pays for information, asks for plans and
/// carries them out. An operation is one such act, a round over the whole machine or the activation
/// of one node. Its life: begun (information is being paid for) -> decided (planned) -> the steps
/// of the schedule -> over. A step begins when the steps that the schedule puts wholly before it
/// have landed.
template <class Queue>
class balancing_driver {
 public:
  balancing_driver(const model& what, machine<Queue>& nodes, std::uint64_t seed)
      : what_(what), how_(what.balance), nodes_(nodes), found_(nodes.found), random_(seed) {
    if (how_.strategy == nullptr) return;
    loads_.resize(nodes.size());
    if (how_.by_node || how_.idle_nodes_act) watch_.resize(nodes.size());
    if (what.links.one_port) port_free_.resize(nodes.size());
    if (how_.when.which == trigger::kind::utilisation) busy_before_.resize(nodes.size());
    const auto known = registered_balancers();
    if (std::any_of(known.begin(), known.end(), [&](const balancer_descriptor& about) {
          return about.uses_service_times && about.name == how_.strategy->name();
        })) {
      departures_.resize(nodes.size());
      service_times_.resize(nodes.size());
    }
  }

  /// Called at time 0, after the initial loads.
  void start() {
    if (how_.strategy == nullptr) return;
    for (node_id k = 0; k < nodes_.size(); ++k) loads_[k] = nodes_.load(k);
    if (how_.informed == information::proximity) {
      distances_.emplace(*what_.graph, [&](node_id k) { return loads_[k] < how_.light_below; });
      for (node_id k = 0; k < nodes_.size(); ++k) {
        if (distances_->proximity(k) != distances_->farthest()) tell_neighbours(k);
      }
    }
    switch (how_.when.which) {
      case trigger::kind::never:
        break;
      case trigger::kind::start:
        if (how_.by_node) {
          for (node_id k = 0; k < nodes_.size(); ++k) begin(k);
        } else {
          begin(std::nullopt);
        }
        break;
      case trigger::kind::period:
      case trigger::kind::utilisation:
        nodes_.push(how_.when.period, event_kind::tick, 0);
        break;
      case trigger::kind::threshold:
      case trigger::kind::idle:
        for (node_id k = 0; k < nodes_.size(); ++k) check(k);
        if (how_.when.which == trigger::kind::idle && how_.when.period > 0) {
          nodes_.push(how_.when.period, event_kind::tick, 0);
        }
        break;
    }
  }

  /// Called when the load of k may have changed.
  void note(node_id k) {
    if (how_.strategy == nullptr) return;
    read_load(k);
    check(k);
  }

  /// Called when a task has left or entered the system at k: reports it where the strategy wants
  /// reports.
  void note_traffic(node_id k, bool departure) {
    if (how_.strategy == nullptr) return;
    if (departure && !departures_.empty()) ++departures_[k];
    if (how_.by_node && how_.informed == information::central && k != centre) {
      ++found_.messages;
      nodes_.charge(k, what_.costs.send);
      nodes_.charge(centre, what_.costs.receive);
    }
  }

  void decision(std::uint64_t id) { decide(static_cast<std::uint32_t>(id)); }
  void round_end(std::uint64_t id) { finish(static_cast<std::uint32_t>(id)); }
  void landed(std::uint64_t index) { land(static_cast<std::uint32_t>(index)); }

  void retry(node_id k) {
    watch_[k].retrying = false;
    check(k);
  }

  [[nodiscard]] bool round_under_way() const noexcept { return round_active_; }

  /// Called by the clock. `more` is true if work remains or is to come.
  void tick(bool more) {
    if (++calls_ > how_.when.most_calls) {
      throw std::invalid_argument(
          "the clock has called " + std::to_string(how_.when.most_calls) + " times at " +
          shortest(nodes_.now) + ", every " + shortest(how_.when.period) +
          ", which is the most allowed: a longer period does it less often");
    }
    if (how_.when.which == trigger::kind::utilisation) {
      bool overloaded = false;
      const double limit = how_.when.level * how_.when.period;
      for (node_id k = 0; k < nodes_.size(); ++k) {
        const double busy = nodes_.busy_until_now(k);
        const bool over = busy - std::exchange(busy_before_[k], busy) > limit;
        overloaded = overloaded || over;
        if (over && how_.by_node) begin(k);
      }
      if (overloaded && !how_.by_node) begin(std::nullopt);
    } else if (how_.by_node) {
      for (node_id k = 0; k < nodes_.size(); ++k) begin(k);
    } else {
      begin(std::nullopt);
    }
    if (more) nodes_.push(nodes_.now + how_.when.period, event_kind::tick, 0);
  }

  [[nodiscard]] load_type present_difference() const {
    load_type least = nodes_.load(0);
    load_type greatest = least;
    for (node_id k = 1; k < nodes_.size(); ++k) {
      const load_type load = nodes_.load(k);
      least = std::min(least, load);
      greatest = std::max(greatest, load);
    }
    return greatest - least;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return loads_.capacity() * sizeof(load_type) + watch_.capacity() * sizeof(watch) +
           port_free_.capacity() * sizeof(double) + busy_before_.capacity() * sizeof(double);
  }

  std::uint64_t finished_rounds = 0;

 private:
  static constexpr node_id centre = 0;

  struct watch {
    double allowed = 0;  // no activation before this time
    bool active = false;
    bool retrying = false;
  };

  struct operation {
    std::optional<node_id> initiator;
    plan planned;
    schedule carried;
    std::size_t next_step = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> travelling;  // step, transfers not landed
    std::uint64_t moved = 0;
    // Where tasks have costs, in a round: what each node holds beyond what the steps so far planned
    // (migration.nearest).
    std::vector<load_type> errors;
  };

  struct landing {
    chain tasks;
    node_id to = 0;
    std::uint32_t operation = 0;
    std::uint32_t step = 0;
    load_type off = 0;  // the quanta taken, minus those planned
  };

  /// Reads the load of k, and notifies the nodes that it concerns.
  void read_load(node_id k) {
    loads_[k] = nodes_.load(k);
    if (!distances_) return;
    distances_->set_light(k, loads_[k] < how_.light_below);
    for (const node_id changed : distances_->changed()) tell_neighbours(changed);
  }

  /// Called when k has a new distance from the nearest light node.
  void tell_neighbours(node_id k) {
    what_.graph->for_each_neighbour(k, [&](node_id other) {
      ++found_.messages;
      nodes_.charge(k, what_.costs.send);
      nodes_.charge(other, what_.costs.receive);
    });
  }

  void check(node_id k) {
    const load_type load = loads_[k];
    bool beyond = false;
    if (how_.when.which == trigger::kind::threshold) {
      beyond = load > how_.when.high || load < how_.when.low;
    } else if (how_.when.which == trigger::kind::idle) {
      beyond = load > how_.when.high || (how_.by_node ? load == 0 : nodes_.unbalanced());
    }
    if (!beyond || nodes_.in_system() == 0) return;
    if (how_.by_node) {
      begin(k);
    } else {
      if (how_.rounds) begin(std::nullopt);
      if (how_.idle_nodes_act && round_active_ && !leader_) leader_ = first_idle();
      let_idle_nodes_act();
    }
  }

  /// The node that leads a round does nothing else until the round is over.
  [[nodiscard]] node_id first_idle() const {
    node_id k = 0;
    while (k + 1 < nodes_.size() && nodes_.load(k) != 0) ++k;
    return k;
  }

  /// Lets as many idle nodes act at a time as there are tasks for them. More would come too late,
  /// and each of them costs a check of all. O(nodes) where some node has nothing to do while tasks
  /// wait at others.
  void let_idle_nodes_act() {
    if (!how_.idle_nodes_act || !nodes_.unbalanced()) return;
    for (node_id k = 0; k < nodes_.size() && acting_ < nodes_.waiting(); ++k) {
      if (nodes_.load(k) != 0 || watch_[k].active || leader_ == k) continue;
      ++acting_;
      begin(k);
    }
  }

  void begin(std::optional<node_id> initiator) {
    if (begun_ >= how_.when.most_rounds) return;
    if (initiator) {
      watch& w = watch_[*initiator];
      if (w.active) return;
      if (nodes_.now < w.allowed) {
        retry_at(*initiator, w.allowed);
        return;
      }
      w.active = true;
    } else {
      if (round_active_ || nodes_.now < round_allowed_) return;
      round_active_ = true;
      if (how_.held) nodes_.hold();
    }
    ++begun_;
    std::uint32_t id = 0;
    if (!free_operations_.empty()) {
      id = free_operations_.back();
      free_operations_.pop_back();
    } else {
      id = static_cast<std::uint32_t>(operations_.size());
      operations_.emplace_back();
    }
    operations_[id].initiator = initiator;
    const double ready = initiator ? inform_activation(*initiator) : inform_round();
    nodes_.push(ready, event_kind::decision, id);
  }

  /// The number of nodes that an idle node checks until it finds tasks. A node that has just run
  /// dry, or wakes up, checks all nodes, or draws until it finds some. Other nodes were searching
  /// already when the tasks came: the first of them finds these after its part of the checks.
  [[nodiscard]] double looks_before(node_id k) const {
    double with_tasks = 0;
    double searching = 0;
    for (node_id other = 0; other < nodes_.size(); ++other) {
      if (nodes_.load(other) > 1) ++with_tasks;
      if (nodes_.searching(other)) ++searching;
    }
    // The runtime gives up after twice as many draws as there are nodes.
    const double candidates = nodes_.size() / (how_.draws ? std::max(with_tasks, 0.5) : 1);
    return nodes_.searching(k) ? std::max(1.0, candidates / searching) : candidates;
  }

  /// Pays for what the initiator must learn. Returns the time at which it knows.
  double inform_activation(node_id k) {
    if (how_.idle_nodes_act) return nodes_.now + looks_before(k) * what_.costs.measure;
    const cost_model& costs = what_.costs;
    double ready = nodes_.charge(k, costs.measure);
    // A question and its answer. The other side reads its own load to answer.
    const auto ask = [&](node_id other, double links) {
      nodes_.charge(k, costs.send);
      const double replied = nodes_.charge(other, costs.receive + costs.measure + costs.send);
      found_.messages += 2;
      ready = std::max({ready, replied, nodes_.charge(k, costs.receive)});
      return 2 * links * what_.links.latency;
    };
    double travel = 0;
    switch (how_.informed) {
      case information::free:
      case information::shared:
      case information::proximity:
        break;
      case information::neighbours:
        what_.graph->for_each_neighbour(
            k, [&](node_id other) { travel = std::max(travel, ask(other, 1)); });
        break;
      case information::collective:
      case information::broadcast:
      case information::announced:
        for (node_id other = 0; other < nodes_.size(); ++other) {
          if (other == k) continue;
          travel = std::max(travel, ask(other, what_.graph->distance(k, other)));
        }
        break;
      case information::central:
        if (k != centre) travel = ask(centre, what_.graph->distance(k, centre));
        break;
    }
    return ready + travel;
  }

  /// Pays for what a round must learn. Returns the time at which the plan can be made.
  double inform_round() {
    const node_id count = nodes_.size();
    if (how_.informed == information::shared) return nodes_.now + count * what_.costs.measure;
    const auto levels = static_cast<double>(std::bit_width(count - 1U));
    double ready = nodes_.now;
    double travel = 0;
    for (node_id k = 0; k < count; ++k) {
      double handled = 0;  // messages received, and as many sent where each node has its own
      double sent = -1;    // the number sent, if it differs
      switch (how_.informed) {
        case information::free:
        case information::shared:
        case information::proximity:
          break;
        case information::neighbours:
          handled = what_.graph->degree(k);
          travel = what_.links.latency;
          break;
        case information::collective:
          handled = 2 * levels;
          travel = 2 * levels * what_.links.latency + what_.distance.time_to_tell(count);
          break;
        case information::broadcast:
          handled = count - 1.0;
          break;
        case information::announced:
          handled = count - 1.0;
          sent = 1;
          break;
        case information::central:
          handled = k == centre ? count - 1.0 : 1.0;
          break;
      }
      found_.messages += static_cast<std::uint64_t>(sent < 0 ? handled : sent);
      const double talk = sent < 0 ? handled * (what_.costs.send + what_.costs.receive)
                                   : sent * what_.costs.send + handled * what_.costs.receive;
      const double cost = what_.costs.measure + talk;
      // A held node does nothing else, so the time of the round is its cost.
      ready = std::max(ready, how_.held ? nodes_.now + cost : nodes_.charge(k, cost));
    }
    if (how_.informed == information::broadcast || how_.informed == information::announced ||
        how_.informed == information::central) {
      if (what_.links.latency > 0) travel = what_.graph->diameter() * what_.links.latency;
      if (how_.informed == information::central) travel *= 2;
    }
    ready += travel;
    return ready;
  }

  void decide(std::uint32_t id) {
    operation& op = operations_[id];
    const bool own_act = how_.idle_nodes_act && op.initiator;
    ++(own_act ? own_acts_ : found_.rounds);
    if (!how_.by_node) {
      for (node_id k = 0; k < nodes_.size(); ++k) loads_[k] = nodes_.load(k);
    }
    // Where all tasks cost the same, rounds are planned in tasks (migration.unit).
    const bool rounds_costs = nodes_.has_costs() && !op.initiator;
    const load_type unit = rounds_costs ? nodes_.common_cost() : 1;
    if (unit != 1) {
      for (node_id k = 0; k < nodes_.size(); ++k) loads_[k] = nodes_.load_in(k, unit);
    }
    balance_request request{.graph = *what_.graph,
                            .loads = loads_,
                            .capacities = what_.speeds,
                            .seed = random_.bits(random_purpose::balancer, own_act ? 1 : 0,
                                                 own_act ? own_acts_ : found_.rounds)[0],
                            .initiator = op.initiator};
    if (!departures_.empty() && !own_act) {
      measure_service_times();
      request.service_times = service_times_;
    }
    how_.strategy->make_plan(request, op.planned);
    op.next_step = 0;
    op.moved = 0;
    op.errors.assign(rounds_costs ? nodes_.size() : 0, 0);
    op.carried = make_schedule(how_.transmission, loads_, std::move(op.planned));
    found_.t_comm += static_cast<double>(op.carried.cost);
    if (unit != 1) {
      for (load_type& load : loads_) load *= unit;
      for (schedule_step& step : op.carried.steps) {
        for (transfer& t : step.transfers) t.quanta *= unit;
      }
    }
    if (!op.initiator) {
      found_.difference_before += static_cast<double>(max_difference(loads_));
      final_ = loads_;
    }
    if (how_.held) {
      carry_out_held(id);
    } else {
      if (!op.initiator) foresee(op.carried);
      proceed(id);
    }
  }

  /// Counts the difference that a round would leave if nothing happened meanwhile.
  void foresee(const schedule& carried) {
    for (const schedule_step& step : carried.steps) {
      for (const transfer& t : step.transfers) {
        final_[t.from] -= t.quanta;
        final_[t.to] += t.quanta;
      }
    }
    found_.planned_difference += static_cast<double>(max_difference(final_));
  }

  /// Nothing executes, so nothing can come between the steps. The tasks change their nodes at once,
  /// and the round ends when its last transfer has landed. If all tasks are alike, only numbers
  /// change: a transfer then costs two additions, whatever it carries.
  void carry_out_held(std::uint32_t id) {
    operation& op = operations_[id];
    const bool alike = nodes_.all_alike();
    std::vector<std::pair<load_type, double>> travelling;  // planned end in units, real end
    double begun = nodes_.now;
    double last = nodes_.now;
    for (const schedule_step& step : op.carried.steps) {
      std::erase_if(travelling, [&](const auto& ahead) {
        if (!what_.links.one_port && ahead.first > step.start) return false;
        begun = std::max(begun, ahead.second);
        return true;
      });
      double end = begun;
      for (const transfer& t : step.transfers) {
        const auto [count, quanta] = alike ? alike_handed_over(t) : hand_over(t, op);
        final_[t.from] -= quanta;
        final_[t.to] += quanta;
        if (alike) found_.longest_queue = std::max(found_.longest_queue, final_[t.to]);
        op.moved += static_cast<std::uint64_t>(count);
        note_shortfall(t, quanta);
        end = std::max(end, link_end(t.from, t.to, begun, count));
      }
      travelling.emplace_back(step.start + step.duration, end);
      last = std::max(last, end);
    }
    if (!op.errors.empty()) {
      even_errors(std::span(op.errors), nodes_.largest_waiting(), [&](node_id from, node_id to) {
        const chain one = nodes_.take(from, 1, true, true);
        nodes_.deliver(to, one);
        final_[from] -= one.quanta;
        final_[to] += one.quanta;
        op.moved += one.count;
        last = std::max(last, link_end(from, to, begun, load_type{one.count}));
        return one.quanta;
      });
    }
    if (alike && op.moved > 0) nodes_.redistribute(final_);
    found_.planned_difference += static_cast<double>(max_difference(final_));
    found_.tasks_moved += op.moved;
    if (op.moved > 0) found_.stabilised = last;
    nodes_.push(last, event_kind::round_end, id);
  }

  struct handed {
    load_type tasks;
    load_type quanta;
  };
  /// Used where only numbers matter.
  [[nodiscard]] handed alike_handed_over(const transfer& t) const {
    const load_type count = std::min(t.quanta, final_[t.from]);
    return {count, count};
  }
  /// Carries out one transfer, task by task.
  handed hand_over(const transfer& t, operation& op) {
    const auto [taken, off] = take(t, op);
    nodes_.deliver(t.to, taken);
    if (!op.errors.empty()) op.errors[t.to] += off;
    return {load_type{taken.count}, taken.quanta};
  }
  struct haul {
    chain tasks;
    load_type off;  // the quanta taken, minus those planned
  };
  /// Takes the tasks of one transfer. In a round that is not held, tasks that are gone are not made
  /// up for later. A node without tasks pulls one task, however large it is; a held round leaves
  /// such a task in place.
  haul take(const transfer& t, operation& op) {
    const bool alone = !how_.held && nodes_.load(t.to) == 0;
    if (op.errors.empty()) return {nodes_.take(t.from, t.quanta, alone), 0};
    load_type& error = op.errors[t.from];
    const load_type due = t.quanta + error;
    const chain taken = nodes_.take(t.from, due, alone, how_.held);
    load_type left = due - taken.quanta;
    if (left > 0 && !how_.held && !nodes_.has_waiting(t.from)) left = 0;
    error = left;
    return {taken, due - left - t.quanta};
  }
  void note_shortfall(const transfer& t, load_type quanta) {
    found_.shortfall += static_cast<std::uint64_t>(std::max<load_type>(t.quanta - quanta, 0));
  }

  /// Begins every step whose predecessors have landed. Ends the operation after the last one.
  void proceed(std::uint32_t id) {
    while (true) {
      operation& op = operations_[id];
      if (op.next_step == op.carried.steps.size()) {
        if (op.travelling.empty()) finish(id);
        return;
      }
      const schedule_step& next = op.carried.steps[op.next_step];
      for (const auto& [step, count] : op.travelling) {
        const schedule_step& ahead = op.carried.steps[step];
        if (what_.links.one_port || ahead.start + ahead.duration <= next.start) return;
      }
      begin_step(id);
    }
  }

  void begin_step(std::uint32_t id) {
    operation& op = operations_[id];
    const auto step = static_cast<std::uint32_t>(op.next_step++);
    std::uint32_t launched = 0;
    for (const transfer& t : op.carried.steps[step].transfers) {
      const auto [taken, off] = take(t, op);
      note_shortfall(t, taken.quanta);
      if (taken.count == 0) {
        if (!op.errors.empty()) op.errors[t.to] += off;
        continue;
      }
      ++launched;
      found_.tasks_moved += taken.count;
      op.moved += taken.count;
      read_load(t.from);
      double ready = nodes_.charge(t.from, taken.count * what_.costs.transfer_send);
      if (how_.relay > 0) ready = std::max(ready, pass_on(t, taken.count));
      const double landed = link_end(t.from, t.to, ready, taken.count);
      nodes_.expect(t.to);
      nodes_.push(landed, event_kind::landing, park({taken, t.to, id, step, off}));
    }
    if (launched > 0) op.travelling.emplace_back(step, launched);
  }

  /// The nodes between the ends of a transfer hand its tasks on. Returns the time at which the last
  /// one has.
  double pass_on(const transfer& t, std::uint32_t count) {
    what_.graph->shortest_path(t.from, t.to, path_);
    double ready = nodes_.now;
    for (std::size_t i = 1; i + 1 < path_.size(); ++i) {
      ready = std::max(ready, nodes_.charge(path_[i], count * how_.relay));
    }
    return ready;
  }

  void land(std::uint32_t index) {
    const landing arrived = landings_[index];
    free_landings_.push_back(index);
    nodes_.expected_came(arrived.to);
    nodes_.charge(arrived.to, arrived.tasks.count * what_.costs.transfer_receive);
    nodes_.deliver(arrived.to, arrived.tasks);
    found_.stabilised = nodes_.now;
    operation& op = operations_[arrived.operation];
    if (!op.errors.empty()) op.errors[arrived.to] += arrived.off;
    const auto at = std::find_if(op.travelling.begin(), op.travelling.end(),
                                 [&](const auto& t) { return t.first == arrived.step; });
    const bool step_landed = --at->second == 0;
    if (step_landed) op.travelling.erase(at);
    note(arrived.to);
    if (step_landed) proceed(arrived.operation);
  }

  void finish(std::uint32_t id) {
    const std::optional<node_id> initiator = operations_[id].initiator;
    const bool moved = operations_[id].moved > 0;
    free_operations_.push_back(id);
    if (!how_.idle_nodes_act || !initiator) ++finished_rounds;
    if (!initiator) {
      if (how_.held) nodes_.release();
      const load_type left = present_difference();
      found_.difference_after += static_cast<double>(left);
      found_.worst_difference = std::max(found_.worst_difference, left);
      round_active_ = false;
      leader_.reset();
      round_allowed_ = nodes_.now + how_.when.gap;
      let_idle_nodes_act();
      return;
    }
    watch& w = watch_[*initiator];
    w.active = false;
    if (how_.idle_nodes_act) {
      --acting_;
      return;
    }
    w.allowed = nodes_.now + how_.when.gap;
    if (moved) {
      note(*initiator);
    } else if (how_.when.retry > 0) {
      retry_at(*initiator, nodes_.now + std::max(how_.when.retry, how_.when.gap));
    }
  }

  void retry_at(node_id k, double time) {
    if (std::exchange(watch_[k].retrying, true)) return;
    nodes_.push(time, event_kind::retry, k);
  }

  /// The time for which `count` tasks are on their way.
  [[nodiscard]] double link_time(node_id from, node_id to, load_type count) const noexcept {
    const double unit = what_.links.per_quantum +
                        (how_.held ? what_.costs.transfer_send + what_.costs.transfer_receive : 0);
    return what_.links.latency + static_cast<double>(count) * unit +
           what_.distance.time(from, to, nodes_.size(), count);
  }

  /// The time at which `count` tasks that are ready to leave at `ready` have crossed the link.
  double link_end(node_id from, node_id to, double ready, load_type count) {
    const double length = link_time(from, to, count);
    if (!what_.links.one_port) return ready + length;
    const double end = std::max({ready, port_free_[from], port_free_[to]}) + length;
    port_free_[from] = port_free_[to] = end;
    return end;
  }

  /// The mean time between departures since the last plan, for the prediction strategy.
  void measure_service_times() {
    const double window = nodes_.now - measured_;
    measured_ = nodes_.now;
    for (std::size_t k = 0; k < departures_.size(); ++k) {
      service_times_[k] = departures_[k] > 0 && window > 0
                              ? window / static_cast<double>(departures_[k])
                              : std::numeric_limits<double>::infinity();
      departures_[k] = 0;
    }
  }

  std::uint32_t park(landing travelling) {
    if (!free_landings_.empty()) {
      const std::uint32_t index = free_landings_.back();
      free_landings_.pop_back();
      landings_[index] = travelling;
      return index;
    }
    landings_.push_back(travelling);
    return static_cast<std::uint32_t>(landings_.size() - 1);
  }

  const model& what_;
  const balancing& how_;
  machine<Queue>& nodes_;
  result& found_;
  std::uint64_t calls_ = 0;  // by the clock
  random_source random_;
  std::vector<load_type> loads_;
  std::vector<load_type> final_;
  std::optional<proximity_map<std::uint32_t>> distances_;
  std::vector<node_id> path_;
  std::vector<watch> watch_;
  std::vector<double> port_free_;
  std::vector<double> busy_before_;
  std::vector<std::uint64_t> departures_;
  std::vector<double> service_times_;
  std::vector<operation> operations_;
  std::vector<std::uint32_t> free_operations_;
  std::vector<landing> landings_;
  std::vector<std::uint32_t> free_landings_;
  double measured_ = 0;
  double round_allowed_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t own_acts_ = 0;  // of idle nodes
  std::uint64_t acting_ = 0;    // of these, at the moment
  bool round_active_ = false;
  std::optional<node_id> leader_;  // of the round under way, where idle nodes act
};

}  // namespace evencube::simulator
