#include "scenarios.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <evencube/balancers/transmission.hpp>

#include "limits.hpp"

namespace evencube::lab {
namespace {

using namespace simulator;

bool has_random_arrivals(const model& what) {
  return what.arrivals.which == arrival_process::kind::poisson ||
         what.arrivals.which == arrival_process::kind::hot_spot;
}

bool has_clock(const model& what) {
  return what.balance.when.which == trigger::kind::period ||
         what.balance.when.which == trigger::kind::utilisation;
}

/// The mean arrival rate of a node, over all nodes.
double mean_rate(const model& what) {
  const arrival_process& arrivals = what.arrivals;
  const double hot = arrivals.which == arrival_process::kind::hot_spot
                         ? arrivals.hot_share * (arrivals.hot_factor - 1)
                         : 0;
  return arrivals.rate * (1 + hot);
}

json number_or_null(bool known, double value) { return known ? json(value) : json(nullptr); }

json described(const preset& one) {
  const scenario made = one.make({});
  const model& what = made.what;
  const bool random = has_random_arrivals(what);
  // What only matters with a balancer is that of any balancer.
  const scenario other =
      what.central_queue || made.strategy ? scenario{} : one.make({.balancer = "diffusion"});
  const model& balanced = other.strategy ? other.what : what;
  return {{"name", one.name},
          {"summary", one.summary},
          {"topology", made.graph->to_string()},
          {"balancer", made.strategy ? std::string(made.strategy->name()) : "none"},
          {"balanced", !what.central_queue},
          {"load", number_or_null(random, mean_rate(what) * what.service.mean())},
          {"horizon", number_or_null(std::isfinite(what.horizon), what.horizon)},
          {"warm_up", what.warm_up},
          {"service", what.program != nullptr ? json(nullptr) : json(what.service.text())},
          {"latency", balanced.links.latency},
          {"per_quantum", balanced.links.per_quantum},
          {"transmission", to_string(balanced.balance.transmission)},
          {"period", number_or_null(has_clock(balanced), balanced.balance.when.period)}};
}

/// Sets the distribution of service times. The offered load stays what it is.
void set_service(const std::string& text, model& what) {
  if (what.program != nullptr) {
    throw refusal("This scenario has tasks of its own, so no service time can be chosen.");
  }
  const double before = what.service.mean();
  what.service = distribution::parse(text);
  const double mean = what.service.mean();
  if (!(mean > 0 && mean <= longest_time)) {
    throw refusal("The mean of the service times " + in_quotes(text) +
                  " is not above 0 and finite.");
  }
  if (has_random_arrivals(what)) what.arrivals.rate *= before / mean;
}

void require_balancer(const model& what, const char* setting) {
  if (what.balance.strategy == nullptr) {
    throw refusal("The setting " + in_quotes(setting) +
                  " needs a balancer, because nothing moves without one.");
  }
}

void set_balancing(const json& request, scenario& made) {
  model& what = made.what;
  if (const auto latency = real_member(request, "latency", 0, longest_time)) {
    require_balancer(what, "latency");
    what.links.latency = *latency;
  }
  if (const auto each = real_member(request, "per_quantum", 0, longest_time)) {
    require_balancer(what, "per_quantum");
    what.links.per_quantum = *each;
  }
  if (request.contains("transmission")) {
    require_balancer(what, "transmission");
    what.balance.transmission = parse_transmission(text_member(request, "transmission"));
  }
  if (const auto period = real_member(request, "period", 1e-9, longest_time)) {
    require_balancer(what, "period");
    if (!has_clock(what)) {
      throw refusal("This scenario has no clock that calls rounds, so no period can be chosen.");
    }
    what.balance.when.period = *period;
  }
  if (auto options = options_member(request); !options.empty()) {
    require_balancer(what, "options");
    made.strategy = make_balancer(made.strategy->name(), options);
    what.balance.strategy = made.strategy.get();
  }
}

}  // namespace

json described_scenarios() {
  json all = json::array();
  for (const preset& one : presets()) all.push_back(described(one));
  return all;
}

scenario scenario_of(const json& request) {
  const auto name = text_member(request, "scenario");
  const auto network = text_member(request, "topology", "");
  const auto strategy = text_member(request, "balancer", "");
  // The lab's own limits are checked before the simulator makes anything of that size.
  if (request.contains("topology")) (void)topology_member(request);
  const auto load = real_member(request, "load", 1e-6, 1e6);
  const auto horizon = real_member(request, "horizon", 1e-9, longest_time);
  scenario made = make_preset(name, {.topology = network,
                                     .balancer = strategy,
                                     .seed = seed_of(request),
                                     .load = load.value_or(0),
                                     .horizon = horizon.value_or(0)});
  model& what = made.what;
  if (load && !has_random_arrivals(what)) {
    throw refusal("This scenario begins with all its tasks, so no load can be offered.");
  }
  if (request.contains("service")) set_service(text_member(request, "service"), what);
  set_balancing(request, made);
  what.most_waiting = std::min(what.most_waiting, most_waiting_tasks);
  return made;
}

std::uint64_t seed_of(const json& request) {
  return static_cast<std::uint64_t>(number_member(request, "seed", 0, INT64_MAX, 1));
}

}  // namespace evencube::lab
