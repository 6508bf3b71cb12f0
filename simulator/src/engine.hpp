#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <evencube/simulator/portable_math.hpp>
#include <evencube/simulator/random.hpp>
#include <evencube/simulator/simulation.hpp>
#include <evencube/simulator/stepped_run.hpp>

#include "balancing_driver.hpp"
#include "machine.hpp"
#include "text.hpp"
#include "validate_model.hpp"

namespace evencube::simulator {

/// One simulation: the event loop over a machine, its arrivals and its balancing.
template <class Queue>
class engine {
 public:
  engine(const model& what, std::uint64_t seed)
      : what_(what), seed_(seed), random_(seed), nodes_(what), driver_(what, nodes_, seed) {}

  result run(const observer& watch) {
    keeping_ = watch.kept != nullptr && what_.program != nullptr;
    if (keeping_) nodes_.keep(*watch.kept);
    if (!begin(watch)) return results(true);
    std::uint64_t next_report = watch.progress ? watch.stride : ~std::uint64_t{0};
    while (advance(next_report)) {
      if (!watch.progress(nodes_.now, events_)) return results(true);
      next_report += watch.stride;
    }
    return results(false);
  }

  /// Begins a run that advance() continues.
  void start() { (void)begin({}); }

  /// Handles events until `until` events have been handled in all. Returns false if none is left
  /// before that.
  bool advance(std::uint64_t until) {
    const auto announce = [this](const event& e) {
      const event_kind kind = kind_of(e);
      if (kind == event_kind::completion || kind == event_kind::arrival) {
        nodes_.prefetch(static_cast<node_id>(object_of(e)));
      }
    };
    while (!nodes_.events.empty()) {
      const event e = nodes_.events.pop(announce);
      if (e.time > what_.horizon) return false;
      if (keeping_ && nodes_.found.completed < what_.program->size()) {
        nodes_.keep_time(e.time, driver_.round_under_way());
      }
      nodes_.now = e.time;
      hash_ = std::rotl((hash_ ^ std::bit_cast<std::uint64_t>(e.time)) * 0x9E3779B97F4A7C15, 29) ^
              (e.key * 0xD1B54A32D192ED03);
      handle(e);
      if ((++events_ & (clock_check - 1)) == 0) check_clock();
      if (events_ == until) return true;
    }
    return false;
  }

  /// Returns what has happened so far.
  [[nodiscard]] run_reading reading() const noexcept {
    const result& found = nodes_.found;
    return {.time = nodes_.now,
            .events = events_,
            .arrived = found.arrived,
            .completed = found.completed,
            .in_system = nodes_.in_system(),
            .responses = nodes_.tally.responses,
            .response_sum = found.mean_response,
            .rounds = found.rounds,
            .messages = found.messages,
            .tasks_moved = found.tasks_moved};
  }

  /// Returns the load of a node: its waiting quanta, plus one for the task in service.
  [[nodiscard]] load_type load(node_id k) const noexcept { return nodes_.load(k); }
  [[nodiscard]] node_id nodes() const noexcept { return nodes_.size(); }

  /// Returns the result of a run that has ended by itself.
  [[nodiscard]] result ended() { return results(false); }

 private:
  /// How often the engine checks that time goes on. The more nodes there are, the more events can
  /// happen at one instant, but their number is limited.
  static constexpr std::uint64_t clock_check = std::uint64_t{1} << 16;
  static constexpr std::uint64_t events_per_node_and_instant = 256;

  void check_clock() {
    if (nodes_.now > instant_) {
      instant_ = nodes_.now;
      instant_begun_ = events_;
      return;
    }
    const std::uint64_t here = events_ - instant_begun_;
    if (here <= events_per_node_and_instant * nodes_.size() ||
        here - events_per_node_and_instant * nodes_.size() <= what_.most_at_once) {
      return;
    }
    throw std::invalid_argument(
        "time stands still at " + shortest(nodes_.now) + ": " + std::to_string(here) +
        " events there; a period, a gap, a latency or a cost is too short for the clock");
  }

  /// Draws a service time. Throws std::invalid_argument if it is too long.
  [[nodiscard]] double service_time(double u, std::uint64_t index, node_id k) const {
    const double drawn = what_.service.sample(u, index);
    if (drawn <= longest_duration) [[likely]]
      return drawn;
    throw std::invalid_argument("the service time " + shortest(drawn) + " that " +
                                what_.service.text() + " gave for node " + std::to_string(k) +
                                " is too long: at most " + shortest(longest_duration) +
                                " is allowed");
  }

  /// Returns false if the watch ends the run before it began.
  [[nodiscard]] bool begin(const observer& watch) {
    if (!place_initial(watch)) return false;
    switch (what_.arrivals.which) {
      case arrival_process::kind::none:
        break;
      case arrival_process::kind::poisson:
      case arrival_process::kind::hot_spot:
        hot_nodes_ = static_cast<node_id>(std::ceil(what_.arrivals.hot_share * nodes_.size()));
        peak_ = what_.arrivals.which == arrival_process::kind::poisson
                    ? what_.arrivals.rate
                    : what_.arrivals.rate * what_.arrivals.hot_factor;
        for (node_id k = 0; k < nodes_.size(); ++k) {
          schedule_arrival(k, random_.uniforms(random_purpose::arrival, k, 0).first);
        }
        break;
      case arrival_process::kind::trace:
        schedule_recorded();
        break;
    }
    if (what_.program != nullptr) schedule_root();
    if (what_.sample_period > 0) nodes_.push(what_.sample_period, event_kind::sample, 0);
    if (what_.warm_up > 0) nodes_.push(what_.warm_up, event_kind::warm_up, 0);
    driver_.start();
    return true;
  }

  [[nodiscard]] bool place_initial(const observer& watch) {
    std::vector<load_type> drawn;
    if (what_.draw_initial) {
      drawn = what_.draw_initial(seed_);
      validate_initial(drawn, nodes_.size());
    }
    const std::vector<load_type>& initial = what_.draw_initial ? drawn : what_.initial;
    if (what_.service.is_constant()) {
      for (std::size_t k = 0; k < initial.size(); ++k) {
        nodes_.arrive(static_cast<node_id>(k), what_.service.mean(), no_task,
                      static_cast<std::uint32_t>(initial[k]));
      }
      return true;
    }
    std::uint64_t index = 0;
    for (std::size_t k = 0; k < initial.size(); ++k) {
      for (load_type i = 0; i < initial[k]; ++i, ++index) {
        const auto u = random_.uniforms(random_purpose::placement, 0, index);
        nodes_.arrive(static_cast<node_id>(k),
                      service_time(u.first, index, static_cast<node_id>(k)));
        if (watch.progress && index % watch.stride == watch.stride - 1 && !watch.progress(0, 0)) {
          return false;
        }
      }
    }
    return true;
  }

  void handle(const event& e) {
    const std::uint64_t object = object_of(e);
    const auto k = static_cast<node_id>(object);
    switch (kind_of(e)) {
      case event_kind::completion: {
        const bool left = nodes_.complete(k);
        if (what_.balance.strategy == nullptr) return;
        if (left) driver_.note_traffic(k, true);
        driver_.note(k);
        if (nodes_.resumed != no_slot) driver_.note(std::exchange(nodes_.resumed, no_slot));
        return;
      }
      case event_kind::landing:
        return driver_.landed(object);
      case event_kind::arrival:
        return arrival(k);
      case event_kind::root:
        return root();
      case event_kind::round_end:
        return driver_.round_end(object);
      case event_kind::decision:
        return driver_.decision(object);
      case event_kind::retry:
        return driver_.retry(k);
      case event_kind::tick:
        return driver_.tick(more() && !nodes_.stuck());
      case event_kind::sample:
        return sample();
      case event_kind::warm_up:
        return nodes_.forget();
      case event_kind::delivery:
        return delivery(static_cast<task_id>(object));
    }
  }

  // Candidate arrival number i of a node comes -log(first of pair i)/rate after number i - 1. Its
  // demand is drawn from the second of pair i + 1. So one draw serves both, and the workload does
  // not depend on the balancing.
  void schedule_arrival(node_id k, double first) {
    const double time = nodes_.now - portable_log(first) / peak_;
    if (time > what_.arrivals_end) return;
    nodes_.push(time, event_kind::arrival, k);
    ++arrivals_pending_;
  }

  void arrival(node_id k) {
    if (what_.arrivals.which == arrival_process::kind::trace) {
      recorded();
      return;
    }
    --arrivals_pending_;
    const std::uint32_t draw = ++nodes_.at(k).draws;
    const auto u = random_.uniforms(random_purpose::arrival, k, draw);
    schedule_arrival(k, u.first);
    if (what_.arrivals.which == arrival_process::kind::hot_spot && !is_hot(k) &&
        random_.uniforms(random_purpose::thinning, k, draw).first * what_.arrivals.hot_factor >=
            1) {
      return;  // a cool node accepts one candidate in hot_factor
    }
    enter(k, service_time(u.second, draw - 1, k));
  }

  void recorded() {
    const recorded_arrival& entry = what_.arrivals.entries[next_entry_++];
    schedule_recorded();
    enter(entry.node, entry.demand);
  }

  void schedule_recorded() {
    if (next_entry_ < what_.arrivals.entries.size()) {
      const recorded_arrival& entry = what_.arrivals.entries[next_entry_];
      if (entry.time <= what_.arrivals_end)
        nodes_.push(entry.time, event_kind::arrival, entry.node);
    }
  }

  void root() {
    const task_graph::root& r = what_.program->roots()[next_root_++];
    schedule_root();
    nodes_.count_in_group(r.task);
    enter(r.node % nodes_.size(), what_.program->steps(r.task)[0].demand, r.task);
  }

  void delivery(task_id task) {
    nodes_.expected_came(what_.program->home(task) % nodes_.size());
    enter(what_.program->home(task) % nodes_.size(), what_.program->steps(task)[0].demand, task);
  }

  void schedule_root() {
    if (next_root_ < what_.program->roots().size()) {
      nodes_.push(what_.program->roots()[next_root_].time, event_kind::root, 0);
    }
  }

  void enter(node_id k, double demand, task_id task = no_task) {
    nodes_.arrive(k, demand, task);
    if (what_.balance.strategy == nullptr) return;
    driver_.note_traffic(k, false);
    driver_.note(k);
  }

  [[nodiscard]] bool is_hot(node_id k) const noexcept {
    const double count = nodes_.size();
    const double centre = std::fmod(what_.arrivals.drift * nodes_.now, count);
    const double ahead = k - centre;
    return (ahead < 0 ? ahead + count : ahead) < hot_nodes_;
  }

  /// True if there is work, or if some will come.
  [[nodiscard]] bool more() const noexcept {
    return nodes_.in_system() > 0 || arrivals_pending_ > 0 ||
           next_entry_ < what_.arrivals.entries.size() ||
           (what_.program != nullptr && next_root_ < what_.program->roots().size());
  }

  void sample() {
    const load_type difference = driver_.present_difference();
    nodes_.found.mean_difference += static_cast<double>(difference);
    nodes_.found.worst_difference = std::max(nodes_.found.worst_difference, difference);
    ++samples_;
    if (more() && !nodes_.stuck())
      nodes_.push(nodes_.now + what_.sample_period, event_kind::sample, 0);
  }

  result results(bool partial) {
    if (!partial && std::isfinite(what_.horizon)) nodes_.now = what_.horizon;
    nodes_.account();
    const auto& tally = nodes_.tally;
    const double count = nodes_.size();
    const double speed = what_.speeds.empty()
                             ? count
                             : std::accumulate(what_.speeds.begin(), what_.speeds.end(), 0.0);
    const auto per = [](double sum, double n) { return n > 0 ? sum / n : 0.0; };
    result r = nodes_.found;
    r.end = std::isfinite(what_.horizon) || partial ? nodes_.now : r.makespan;
    r.events = events_;
    r.speedup = per(r.work, r.makespan);
    r.efficiency = r.speedup / speed;
    for (node_id k = 0; k < nodes_.size(); ++k) r.busy += nodes_.at(k).busy;
    r.busy /= count;
    r.overhead /= count;
    // Tasks in service at the end count with the part until then, because `busy` has completed
    // steps only.
    double served = 0;
    for (node_id k = 0; k < nodes_.size(); ++k) served += nodes_.busy_until_now(k);
    r.idle = std::max(0.0, r.end - served / count - r.overhead);
    const double observed = nodes_.now - what_.warm_up;
    r.mean_in_system = per(tally.area, observed);
    r.utilisation = per(tally.serving_area, observed) / count;
    r.mean_waiting = per(tally.area - tally.serving_area, observed);
    const auto mean = [&](double& sum, std::uint64_t n) { sum = per(sum, static_cast<double>(n)); };
    mean(r.mean_response, tally.responses);
    mean(r.difference_before, r.rounds);
    mean(r.planned_difference, r.rounds);
    mean(r.difference_after, driver_.finished_rounds);
    mean(r.mean_difference, samples_);
    r.memory_bytes = nodes_.memory_bytes() + driver_.memory_bytes();
    r.hash = hash_;
    r.partial = partial;
    return r;
  }

  const model& what_;
  std::uint64_t seed_;
  random_source random_;
  machine<Queue> nodes_;
  balancing_driver<Queue> driver_;
  double peak_ = 0;  // the largest arrival rate of any node
  node_id hot_nodes_ = 0;
  std::uint64_t arrivals_pending_ = 0;
  std::size_t next_entry_ = 0;
  std::size_t next_root_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t samples_ = 0;
  double instant_ = -1;              // the time when the clock was last seen to go on
  std::uint64_t instant_begun_ = 0;  // and the events until then
  std::uint64_t hash_ = 0x243F6A8885A308D3;
  bool keeping_ = false;  // a ledger is filled during the run
};

}  // namespace evencube::simulator
