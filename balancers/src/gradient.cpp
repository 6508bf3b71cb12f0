#include <algorithm>
#include <cstdint>
#include <optional>

#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/proximity_map.hpp>

#include "builtin.hpp"
#include "event_driven.hpp"

namespace evencube {
namespace {

/// GM (Loh et al. 1996, after Lin and Keller): a heavy node sends a portion of its excess to the
/// neighbour of least proximity. The proximity is the distance to the nearest light node.
class gradient_model final : public balancer {
 public:
  gradient_model(threshold low, threshold high, fraction portion, std::size_t sweeps)
      : low_(low), high_(high), portion_(portion), sweeps_(sweeps) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "gradient"; }
  [[nodiscard]] load_marks marks() const noexcept override {
    return {.high = high_.fixed(), .low = low_.fixed()};
  }

  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    refuse_capacities(request, name());
    if (proximity_map<std::uint8_t>::holds(request.graph)) {
      follow<std::uint8_t>(request, out);
    } else {
      follow<std::uint32_t>(request, out);
    }
  }

 private:
  template <typename Count>
  void follow(const balance_request& request, plan& out) const {
    const load_type low = low_.low(request.loads);
    const load_type high = high_.high(request.loads);
    activations run(request, sweeps_, out);
    std::optional<proximity_map<Count>> map;
    run.each([&](node_id p, const std::vector<load_type>& loads, phase& moves) {
      if (loads[p] <= high || loads[p] < low) return;
      if (!map) map.emplace(request.graph, [&](node_id k) { return loads[k] < low; });
      // Saturated: every node is as far from a light node as possible.
      if (map->saturated()) return;
      const node_id best = map->nearest_neighbour(p);
      const load_type excess = loads[p] - high;
      const load_type quanta = std::max<load_type>(1, ceiling_part(excess, portion_));
      moves.push_back({p, best, quanta});
      map->set_light(p, loads[p] - quanta < low);
      map->set_light(best, loads[best] + quanta < low);
    });
  }

  threshold low_;
  threshold high_;
  fraction portion_;
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
  d.options = {{"low", "a lower load is light", "auto", {}, threshold::allowed()},
               {"high", "a higher load is heavy", "auto", {}, threshold::allowed()},
               {"portion",
                "part of the excess over the high mark that is sent, at least 1 unit",
                "0.5",
                {},
                "decimals from 0 to 1"},
               sweeps_option()};
  d.guarantees.never_widens = false;
  d.guarantees.plan_cost = std::string("sweeps x E, more where light nodes are few");
  d.make = [](const balancer_options& options) -> std::unique_ptr<balancer> {
    return std::make_unique<gradient_model>(
        threshold::parse(options, "low"), threshold::parse(options, "high"),
        fraction_option(options, "portion", {}, {1, 1}), parse_sweeps(options));
  };
  return d;
}

}  // namespace builtin
}  // namespace evencube
