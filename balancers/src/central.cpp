#include <algorithm>
#include <cmath>
#include <limits>

#include <evencube/balancers/plan_tools.hpp>

#include "builtin.hpp"
#include "event_driven.hpp"

namespace evencube {
namespace {

load_type part_of(load_type whole, long double factor) {
  const long double part = static_cast<long double>(whole) * factor;
  return part >= static_cast<long double>(whole) ? whole : static_cast<load_type>(part);
}

/// LBC (Loh et al. 1996, after Lin and Raghavendra): the dispatcher names the most loaded node as
/// giver for every node that falls below the low mark.
class dispatcher final : public balancer {
 public:
  dispatcher(threshold low, double portion, std::size_t sweeps)
      : low_(low), portion_(portion), sweeps_(sweeps) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "dispatcher"; }

  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    refuse_capacities(request, name());
    const load_type low = low_.low(request.loads);
    activations run(request, sweeps_, out);
    run.run([&](node_id receiver) {
      const auto& loads = run.loads();
      if (loads[receiver] >= low) return;
      const auto giver = std::max_element(loads.begin(), loads.end());
      const load_type quanta =
          part_of(*giver - loads[receiver], static_cast<long double>(portion_));
      if (quanta > 0) {
        run.send_along(static_cast<node_id>(giver - loads.begin()), receiver, quanta);
      }
    });
  }

 private:
  threshold low_;
  double portion_;
  std::size_t sweeps_;
};

/// Pred (Loh et al. 1996): the mean service time is the index; heavy nodes send to the light node
/// with the smallest one, a number in proportion to W = (S - mean) / S.
class prediction final : public balancer {
 public:
  prediction(double portion, std::size_t sweeps) : portion_(portion), sweeps_(sweeps) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "prediction"; }

  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    refuse_capacities(request, name());
    std::vector<double> times(request.graph.nodes());
    activations run(request, sweeps_, out);
    run.run([&](node_id p) {
      const auto& loads = run.loads();
      for (node_id k = 0; k < times.size(); ++k) {
        // Without measurements the queue itself is the forecast of the time a new task waits.
        times[k] = request.service_times.empty() ? static_cast<double>(loads[k])
                                                 : request.service_times[k];
        // A node that was idle when it was measured had nothing to serve: light, whatever its
        // figure says.
        if (request.loads[k] == 0 && !request.service_times.empty()) times[k] = 0.0;
      }
      send_from(p, times, loads, run);
    });
  }

 private:
  void send_from(node_id p, const std::vector<double>& times, const std::vector<load_type>& loads,
                 activations& run) const {
    // Nodes without departures have no finite time to average; they are heavier than any mean.
    double sum = 0.0;
    std::size_t finite = 0;
    for (const double s : times) {
      if (!std::isfinite(s)) continue;
      sum += s;
      ++finite;
    }
    if (finite == 0) return;
    const double mean = sum / static_cast<double>(finite);
    if (!(times[p] > mean)) return;
    const double weight = std::isfinite(times[p]) ? (times[p] - mean) / times[p] : 1.0;
    // Largest score p_ij = (sum - S_j) / sum * W_i = smallest S_j among the light nodes.
    node_id best = p;
    for (node_id k = 0; k < times.size(); ++k) {
      if (times[k] < mean && (best == p || times[k] < times[best])) best = k;
    }
    if (best == p) return;
    const load_type quanta = part_of(loads[p], static_cast<long double>(portion_ * weight));
    if (quanta > 0) run.send_along(p, best, quanta);
  }

  double portion_;
  std::size_t sweeps_;
};

}  // namespace

namespace builtin {

balancer_descriptor describe_dispatcher() {
  balancer_descriptor d;
  d.name = std::string("dispatcher");
  d.summary =
      std::string("a central dispatcher names the most loaded node as giver for each light one");
  d.source = std::string("Loh et al. 1996, LBC, after Lin and Raghavendra 1992");
  d.information = std::string("all loads, in one place");
  d.event_driven = true;
  d.options = {{"low", "a load below it asks for work", "auto", {}, threshold::allowed()},
               {"portion",
                "part of the difference between giver and receiver",
                "0.5",
                {},
                "numbers from 0 to 0.5"},
               sweeps_option()};
  d.guarantees.plan_cost = std::string("sweeps x N x (N + diameter)");
  d.make = [](const balancer_options& options) -> std::unique_ptr<balancer> {
    return std::make_unique<dispatcher>(threshold::parse(options, "low"),
                                        real_option(options, "portion", 0.0, 0.5),
                                        parse_sweeps(options));
  };
  return d;
}

balancer_descriptor describe_prediction() {
  balancer_descriptor d;
  d.name = std::string("prediction");
  d.summary = std::string(
      "nodes slower than the mean send in proportion to their excess to the fastest one");
  d.source = std::string("Loh et al. 1996, Pred, after Goswami et al. 1993");
  d.information = std::string("the service times of all nodes (the loads where none are measured)");
  d.event_driven = true;
  d.uses_service_times = true;
  d.options = {{"portion", "of load x W that is sent", "0.5", {}, "numbers from 0 to 1"},
               sweeps_option()};
  d.guarantees.never_widens = false;
  d.guarantees.plan_cost = std::string("sweeps x N x (N + diameter)");
  d.make = [](const balancer_options& options) -> std::unique_ptr<balancer> {
    return std::make_unique<prediction>(real_option(options, "portion", 0.0, 1.0),
                                        parse_sweeps(options));
  };
  return d;
}

}  // namespace builtin
}  // namespace evencube
