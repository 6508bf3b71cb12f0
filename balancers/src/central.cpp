#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <evencube/balancers/plan_tools.hpp>

#include "builtin.hpp"
#include "event_driven.hpp"
#include "exact.hpp"
#include "first_least.hpp"

namespace evencube {
namespace {

/// LBC (Loh et al. 1996, after Lin and Raghavendra): for every node that falls below the low mark,
/// the dispatcher names the most loaded node as giver.
class dispatcher final : public balancer {
 public:
  dispatcher(threshold low, fraction portion, std::size_t sweeps)
      : low_(low), portion_(portion), sweeps_(sweeps) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "dispatcher"; }
  [[nodiscard]] load_marks marks() const noexcept override {
    return {.high = std::nullopt, .low = low_.fixed()};
  }

  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    refuse_capacities(request, name());
    const load_type low = low_.low(request.loads);
    activations run(request, sweeps_, out);
    const auto& loads = run.loads();
    std::vector<load_type> negated(loads.size());
    std::transform(loads.begin(), loads.end(), negated.begin(), std::negate{});
    first_least most_loaded{std::move(negated)};
    run.run([&](node_id receiver) {
      if (loads[receiver] >= low) return;
      const node_id giver = most_loaded.node();
      const load_type quanta = floor_part(loads[giver] - loads[receiver], portion_);
      if (quanta == 0) return;
      run.send_along(giver, receiver, quanta);
      for (const node_id k : {giver, receiver}) most_loaded.set(k, -loads[k]);
    });
  }

 private:
  threshold low_;
  fraction portion_;
  std::size_t sweeps_;
};

/// The service time S of a node, as Pred uses it.
enum class load_index {
  /// The mean time between departures of the node, interval / departures, as printed in the paper.
  printed,
  /// The time that the queue of the node will take: the load times that mean.
  predicted
};

/// Pred (Loh et al. 1996, after Evans and Butt): heavy nodes send to the light node with the
/// smallest S, a number in proportion to W = (S - mean) / S.
class prediction final : public balancer {
 public:
  prediction(load_index index, fraction portion, std::size_t sweeps)
      : index_(index), portion_(portion), sweeps_(sweeps) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "prediction"; }

  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    refuse_capacities(request, name());
    const std::vector<wide> measured = read(request);
    activations run(request, sweeps_, out);
    // The S of a node, or none if it showed no departure: then it is heavier than any mean.
    const auto time_of = [&](node_id k) -> std::optional<wide> {
      const auto load = static_cast<wide>(run.loads()[k]);
      // Without measurements, the queue itself forecasts the time that a new task waits.
      if (measured.empty()) return load;
      if (index_ == load_index::predicted) return load * measured[k];
      // A node that was idle when it was measured had nothing to serve. It is light, whatever its
      // service time says.
      if (request.loads[k] == 0) return wide{0};
      if (std::isinf(request.service_times[k])) return std::nullopt;
      return measured[k];
    };
    std::vector<wide> times;
    wide sum = 0;
    wide known = 0;
    for (node_id k = 0; k < request.graph.nodes(); ++k) {
      const auto time = time_of(k);
      times.push_back(time.value_or(~wide{0}));
      if (!time) continue;
      sum += *time;
      ++known;
    }
    if (known == 0) return;
    first_least lightest{std::move(times)};
    run.run([&](node_id p) {
      const auto time = time_of(p);
      if (time && known * *time <= sum) return;
      // Largest score p_ij = (sum - S_j) / sum * W_i = smallest S_j among the light nodes.
      const node_id best = lightest.node();
      if (known * lightest[best] >= sum) return;
      const load_type load = run.loads()[p];
      const load_type quanta =
          time ? quotient({static_cast<wide>(load), portion_.numerator, known * *time - sum},
                          {portion_.denominator, known * *time}, rounding::floor)
               : floor_part(load, portion_);
      if (quanta == 0) return;
      run.send_along(p, best, quanta);
      for (const node_id k : {p, best}) {
        const auto now = time_of(k);
        if (!now) continue;
        sum += *now - lightest[k];
        lightest.set(k, *now);
      }
    });
  }

 private:
  /// The service times as whole numbers in a common unit; empty if none were given.
  [[nodiscard]] static std::vector<wide> read(const balance_request& request) {
    std::vector<wide> found;
    std::vector<double> finite;
    for (const double time : request.service_times) {
      if (std::isfinite(time)) finite.push_back(time);
    }
    if (request.service_times.empty()) return found;
    // n S must fit into 128 bits, where S is up to n times the total load times a service time.
    const auto total = static_cast<std::uint64_t>(total_load(request.loads));
    const auto taken =
        static_cast<int>(std::bit_width(total) + 2 * std::bit_width(request.loads.size()));
    std::vector<wide> whole;
    proportions(finite, wide{1} << std::max(20, 126 - taken), whole);
    wide sum = 0;
    for (const wide time : whole) sum += time;
    // A node that has shown no departure gets the mean of the others. All times are multiplied by
    // their number, so that the mean is a whole number.
    const wide count = finite.empty() ? 1 : wide{finite.size()};
    std::size_t next = 0;
    for (const double time : request.service_times) {
      const bool known = std::isfinite(time);
      found.push_back(known ? whole[next++] * count : std::max<wide>(sum, 1));
    }
    return found;
  }

  load_index index_;
  fraction portion_;
  std::size_t sweeps_;
};

}  // namespace

namespace builtin {

balancer_descriptor describe_dispatcher() {
  balancer_descriptor d;
  d.name = std::string("dispatcher");
  d.summary =
      std::string("a central dispatcher names the most loaded node as giver for each light node");
  d.source = std::string("Loh et al. 1996, LBC, after Lin and Raghavendra 1992");
  d.information = std::string("all loads, in one place");
  d.event_driven = true;
  d.options = {{"low", "a node with a lower load requests work", "auto", {}, threshold::allowed()},
               {"portion",
                "part of the difference between giver and receiver that is sent",
                "0.5",
                {},
                "decimals from 0 to 0.5"},
               sweeps_option()};
  d.guarantees.plan_cost = std::string("sweeps x N x (log N + diameter)");
  d.make = [](const balancer_options& options) -> std::unique_ptr<balancer> {
    return std::make_unique<dispatcher>(threshold::parse(options, "low"),
                                        fraction_option(options, "portion", {}, {1, 2}),
                                        parse_sweeps(options));
  };
  return d;
}

balancer_descriptor describe_prediction() {
  balancer_descriptor d;
  d.name = std::string("prediction");
  d.summary = std::string(
      "nodes slower than the mean send load to the fastest node, in proportion to their excess");
  d.source = std::string("Loh et al. 1996, Pred, after Evans and Butt 1993");
  d.information = std::string("the service times of all nodes (the loads where none are measured)");
  d.event_driven = true;
  d.uses_service_times = true;
  d.options = {{"index",
                "the index compared: interval / departures, or this ratio times the load",
                "printed",
                {"printed", "predicted"}},
               {"portion", "part of load x W that is sent", "0.5", {}, "decimals from 0 to 1"},
               sweeps_option()};
  d.guarantees.never_widens = false;
  d.guarantees.plan_cost = std::string("sweeps x N x (log N + diameter)");
  d.make = [](const balancer_options& options) -> std::unique_ptr<balancer> {
    return std::make_unique<prediction>(
        options.at("index") == "predicted" ? load_index::predicted : load_index::printed,
        fraction_option(options, "portion", {}, {1, 1}), parse_sweeps(options));
  };
  return d;
}

}  // namespace builtin
}  // namespace evencube
