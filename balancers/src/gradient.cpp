#include <algorithm>
#include <cmath>

#include <evencube/balancers/plan_tools.hpp>

#include "builtin.hpp"
#include "event_driven.hpp"

namespace evencube {
namespace {

/// GM (Loh et al. 1996, after Lin and Keller): a heavy node sends a portion of its excess to the
/// neighbour of least proximity, the distance to the nearest light node.
class gradient_model final : public balancer {
 public:
  gradient_model(threshold low, threshold high, double portion, std::size_t sweeps)
      : low_(low), high_(high), portion_(portion), sweeps_(sweeps) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "gradient"; }

  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    refuse_capacities(request, name());
    const topology& graph = request.graph;
    const load_type low = low_.low(request.loads);
    const load_type high = high_.high(request.loads);
    const node_id farthest = graph.diameter();
    std::vector<node_id> proximity;
    std::vector<node_id> queue;
    std::vector<char> light(graph.nodes(), 0);
    bool stale = true;
    activations run(request, sweeps_, out);
    run.each([&](node_id p, std::vector<load_type>& loads, phase& moves) {
      if (loads[p] <= high || loads[p] < low) return;
      for (node_id k = 0; k < graph.nodes(); ++k) {
        const char now = loads[k] < low ? 1 : 0;
        stale = stale || now != light[k];
        light[k] = now;
      }
      if (stale) measure(graph, light, farthest, proximity, queue);
      stale = false;
      // Saturated: everybody is as far as one can be from a light node.
      if (std::all_of(proximity.begin(), proximity.end(),
                      [&](node_id d) { return d == farthest; })) {
        return;
      }
      node_id best = p;
      graph.for_each_neighbour(p, [&](node_id k) {
        if (best == p || proximity[k] < proximity[best] ||
            (proximity[k] == proximity[best] && k < best)) {
          best = k;
        }
      });
      const auto part = static_cast<load_type>(std::ceil(static_cast<long double>(loads[p] - high) *
                                                         static_cast<long double>(portion_)));
      moves.push_back({p, best, std::clamp<load_type>(part, 1, loads[p] - high)});
    });
  }

 private:
  /// min(d_max, hops to the nearest light node): the fixed point of the paper's update rule.
  static void measure(const topology& graph, const std::vector<char>& light, node_id farthest,
                      std::vector<node_id>& proximity, std::vector<node_id>& queue) {
    proximity.assign(graph.nodes(), farthest);
    queue.clear();
    for (node_id k = 0; k < graph.nodes(); ++k) {
      if (light[k] == 0) continue;
      proximity[k] = 0;
      queue.push_back(k);
    }
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const node_id k = queue[head];
      graph.for_each_neighbour(k, [&](node_id other) {
        if (proximity[other] <= proximity[k] + 1) return;
        proximity[other] = proximity[k] + 1;
        queue.push_back(other);
      });
    }
  }

  threshold low_;
  threshold high_;
  double portion_;
  std::size_t sweeps_;
};

}  // namespace

namespace builtin {

balancer_descriptor describe_gradient() {
  balancer_descriptor d;
  d.name = std::string("gradient");
  d.summary =
      std::string("heavy nodes send part of their excess one hop towards the nearest light node");
  d.source = std::string("Loh et al. 1996, GM, after Lin and Keller 1987");
  d.information = std::string("the proximities of the neighbours");
  d.event_driven = true;
  d.options = {{"low", "a load below it is light", "auto", {}, threshold::allowed()},
               {"high", "a load above it is heavy", "auto", {}, threshold::allowed()},
               {"portion",
                "part of the excess over the high mark that is sent, at least 1 unit",
                "0.5",
                {},
                "numbers from 0 to 1"},
               sweeps_option()};
  d.guarantees.never_widens = false;
  d.guarantees.plan_cost = std::string("sweeps x N x (N + E)");
  d.make = [](const balancer_options& options) -> std::unique_ptr<balancer> {
    return std::make_unique<gradient_model>(
        threshold::parse(options, "low"), threshold::parse(options, "high"),
        real_option(options, "portion", 0.0, 1.0), parse_sweeps(options));
  };
  return d;
}

}  // namespace builtin
}  // namespace evencube
