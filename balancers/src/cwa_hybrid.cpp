#include <algorithm>
#include <bit>
#include <numeric>

#include <evencube/balancers/plan_tools.hpp>

#include "builtin.hpp"
#include "cube_walk.hpp"
#include "dimension_exchange.hpp"
#include "working_memory.hpp"

namespace evencube {
namespace {

struct walk_memory {
  folded_cube folded;
  std::vector<load_type> targets;
  std::vector<load_type> quotas;
  std::vector<wide> capacities;
  plan inner;
};

struct sweep_memory {
  std::vector<unsigned> order;
  std::vector<load_type> base;
  std::vector<load_type> above;
  std::vector<load_type> flows;
  folded_cube rest;
};

/// OEM over the lowest `exchanged` dimensions (fewer if the cube has fewer), and CWA over the
/// others. Without exchanged dimensions this is CWA itself; with all dimensions exchanged it is
/// OEM.
class exchange_then_walk final : public balancer {
 public:
  exchange_then_walk(std::string_view name, unsigned exchanged, quota_rule quota, split_rule split)
      : name_(name), exchanged_(exchanged), quota_(quota), split_(split) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }

  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name_);
    require_cube(request.graph, name_);
    const working_memory<walk_memory> memory;
    auto& [folded, targets, quotas, capacities, inner] = *memory;
    fold(request, request.loads, folded);
    const bool equal = equal_capacities(request.capacities);
    if (!equal || (folded.extra > 0 && exchanged_ > 0)) whole_capacities(request, capacities);
    const unsigned exchanged = std::min(exchanged_, folded.dimensions);
    // Without folding, the phases go straight into the caller's plan.
    plan& phases = folded.extra == 0 ? out : inner;
    reset_plan(phases, folded.dimensions);
    if (exchanged > 0) sweep(request, capacities, exchanged, folded, phases);

    targets.assign(request.graph.nodes(), 0);
    const node_id classes = node_id{1} << exchanged;
    const auto shared = equal ? std::span<const wide>{} : std::span<const wide>{capacities};
    for (node_id c = 0; c < classes; ++c) {
      load_type total = 0;
      for (node_id k = c; k < folded.low; k += classes) total += folded.loads[k];
      share_quotas(total, quota_, c, classes, shared, targets);
    }
    quotas.assign(targets.begin(), targets.begin() + folded.low);
    for (node_id k = 0; k < folded.extra; ++k) quotas[k] += targets[folded.partner(k)];
    walk_cube(split_, exchanged, folded, quotas, phases, exchanged);

    if (folded.extra == 0) return;
    if (equal && max_difference(targets) > max_difference(request.loads)) {
      reset_plan(out, 0);
      return;
    }
    unfold(request, folded, inner, targets, out);
  }

 private:
  static void sweep(const balance_request& request, std::span<const wide> capacities,
                    unsigned exchanged, folded_cube& folded, plan& phases) {
    const working_memory<sweep_memory> memory;
    auto& [order, base, above, flows, rest] = *memory;
    if (folded.extra == 0 && equal_capacities(request.capacities)) {
      flows.resize(folded.loads.size() / 2);
      for (unsigned i = 0; i < exchanged; ++i) {
        exchange_dimension(pair_rule::oem, folded.loads, i, flows);
        append_flows(flows, i, phases.phases[i]);
      }
      return;
    }
    order.clear();
    for (unsigned i = 0; i < exchanged; ++i) order.push_back(i);
    static_cast<void>(proportional_part(request, capacities, base));
    above.resize(base.size());
    for (std::size_t k = 0; k < base.size(); ++k) above[k] = request.loads[k] - base[k];
    fold(request, above, rest);
    fold_capacities(capacities, rest);
    weighted_sweep(pair_rule::oem, rest, order, phases, 0);
    for (node_id k = 0; k < folded.low; ++k) {
      folded.loads[k] = base[k] + rest.loads[k];
      if (k < folded.extra) folded.loads[k] += base[folded.partner(k)];
    }
  }

  std::string_view name_;
  unsigned exchanged_;
  quota_rule quota_;
  split_rule split_;
};

constexpr std::int64_t all_dimensions = 24;

void add_walk_options(balancer_descriptor& d) {
  d.options.push_back({"quota",
                       "which nodes get the units that do not divide evenly",
                       "halving",
                       {"first", "halving"}});
  d.options.push_back({"split",
                       "which overloaded nodes of a half send the excess of the half",
                       "greedy",
                       {"greedy", "surplus", "proportional", "even"}});
}

void add_cube_support(balancer_descriptor& d) {
  d.guarantees.supports = [](const topology& graph) { return graph.is_cube(); };
  d.guarantees.supports_text = std::string("hypercube, cube");
  d.guarantees.honours_capacities = true;
}

}  // namespace

namespace builtin {

balancer_descriptor describe_cwa() {
  balancer_descriptor d;
  d.name = std::string("cwa");
  d.summary =
      std::string("cube walking: halves of the cube level their totals, highest dimension first");
  d.source = std::string("Rim, Jang, Kim 2003, Section 5, after Wu 1997");
  d.information = std::string("the totals of all subcubes");
  add_walk_options(d);
  add_cube_support(d);
  d.guarantees.difference = [](const balance_request&, const balancer_options&) {
    return std::optional<load_type>(1);
  };
  d.guarantees.difference_text = std::string("1");
  d.guarantees.deviation = [](const balance_request&, const balancer_options&) {
    return std::optional<double>(1.0);
  };
  d.guarantees.deviation_text = std::string("1");
  d.guarantees.plan_cost = std::string("N log N");
  d.make = [](const balancer_options& options) -> std::unique_ptr<balancer> {
    return std::make_unique<exchange_then_walk>("cwa", 0, parse_quota(options.at("quota")),
                                                parse_split(options.at("split")));
  };
  return d;
}

balancer_descriptor describe_hybrid() {
  balancer_descriptor d;
  d.name = std::string("hybrid");
  d.summary =
      std::string("odd-even exchange over the low dimensions, cube walking over the others");
  d.source = std::string("Rim, Jang, Kim 2003, Section 5.5");
  d.information =
      std::string("the partner's load, then the totals of subcubes of N / 2^exchanged nodes");
  d.options = {{"exchanged",
                "number of dimensions for the exchange; log P in the paper",
                "2",
                {},
                "whole numbers from 0 to 24, cut to the cube's dimension"}};
  add_walk_options(d);
  add_cube_support(d);
  d.guarantees.difference = [](const balance_request& request, const balancer_options& options) {
    const bool full = std::has_single_bit(request.graph.nodes());
    const load_type usable = request.graph.dimensions() - (full ? 0 : 1);
    const load_type p =
        std::min<load_type>(usable, integer_option(options, "exchanged", 0, all_dimensions));
    if (!full) return std::optional<load_type>(p + 1);
    return std::optional<load_type>((p + 1) / 2 + (p < usable ? 1 : 0));
  };
  d.guarantees.difference_text =
      std::string("ceil(exchanged / 2) + 1 if N = 2^d, else exchanged + 1");
  d.guarantees.deviation = [](const balance_request& request, const balancer_options& options) {
    const bool full = std::has_single_bit(request.graph.nodes());
    const unsigned usable = request.graph.dimensions() - (full ? 0 : 1);
    const auto p = std::min(
        usable, static_cast<unsigned>(integer_option(options, "exchanged", 0, all_dimensions)));
    std::vector<unsigned> order(p);
    std::iota(order.begin(), order.end(), 0U);
    return std::optional<double>(sweep_deviation(request, order) + 1.0);
  };
  d.guarantees.deviation_text = std::string("the bound of oem over the exchanged dimensions, + 1");
  d.guarantees.plan_cost = std::string("N log N");
  d.make = [](const balancer_options& options) -> std::unique_ptr<balancer> {
    return std::make_unique<exchange_then_walk>(
        "hybrid", static_cast<unsigned>(integer_option(options, "exchanged", 0, all_dimensions)),
        parse_quota(options.at("quota")), parse_split(options.at("split")));
  };
  return d;
}

}  // namespace builtin
}  // namespace evencube
