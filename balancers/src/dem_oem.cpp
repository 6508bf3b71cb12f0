#include <bit>

#include "builtin.hpp"
#include "dimension_exchange.hpp"

namespace evencube::builtin {
namespace {

balancer_descriptor describe(pair_rule rule) {
  const bool dem = rule != pair_rule::oem;
  balancer_descriptor d;
  d.name = dem ? "dem" : "oem";
  d.summary =
      dem ? "dimension exchange: pairs along each dimension share their sum equally"
          : "odd-even dimension exchange: the lower node of a pair keeps the half that is odd";
  d.source = dem ? "Cybenko 1989, Section 4; quantised: Rim, Jang, Kim 2003, Section 2"
                 : "Rim, Jang, Kim 2003, Section 3, Theorem 1";
  d.information = std::string("the partner's load, one dimension at a time");
  d.options = {{"order",
                "order of the dimensions",
                "ascending",
                {},
                "ascending, descending or a list of all dimensions such as 2,0,1"}};
  if (dem) {
    d.options.push_back({"odd",
                         "which node of a pair gets the odd unit: the more loaded node, the lower "
                         "node if the loads differ by more than one, or a random node",
                         "larger",
                         {"larger", "lower-if-moving", "random"}});
  }
  auto& g = d.guarantees;
  g.difference = [dem](const balance_request& request, const balancer_options&) {
    const unsigned dimensions = request.graph.dimensions();
    const bool full = std::has_single_bit(request.graph.nodes());
    return std::optional<load_type>(!dem && full ? (dimensions + 1) / 2 : dimensions);
  };
  g.difference_text = dem ? "ceil(log2 N)" : "ceil(log2 N / 2) if N = 2^d, else ceil(log2 N)";
  g.honours_capacities = true;
  g.deviation = [](const balance_request& request, const balancer_options& options) {
    const unsigned all = request.graph.dimensions();
    const bool full = std::has_single_bit(request.graph.nodes());
    std::vector<unsigned> order;
    exchange_order::parse(options.at("order")).resolve(all, full ? all : all - 1, order);
    return std::optional<double>(sweep_deviation(request, order));
  };
  g.deviation_text = std::string("half the sum over phases of class size x c_k / class capacity");
  g.never_widens = true;
  g.supports = [](const topology& graph) { return graph.is_cube(); };
  g.supports_text = std::string("hypercube, cube");
  g.plan_cost = std::string("N log N");
  d.make = [rule](const balancer_options& options) -> std::unique_ptr<balancer> {
    const auto odd = options.find("odd");
    const auto is = [&](const char* choice) {
      return odd != options.end() && odd->second == choice;
    };
    return std::make_unique<dimension_exchange>(is("lower-if-moving") ? pair_rule::dem_lower : rule,
                                                exchange_order::parse(options.at("order")),
                                                is("random"));
  };
  return d;
}

}  // namespace

balancer_descriptor describe_dem() { return describe(pair_rule::dem); }
balancer_descriptor describe_oem() { return describe(pair_rule::oem); }

}  // namespace evencube::builtin
