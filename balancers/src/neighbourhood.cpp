#include <algorithm>

#include <evencube/balancers/plan_tools.hpp>

#include "builtin.hpp"
#include "event_driven.hpp"
#include "exact.hpp"

namespace evencube {
namespace {

rounding parse_rounding(const std::string& text) {
  if (text == "ceiling") return rounding::ceiling;
  return text == "nearest" ? rounding::nearest : rounding::floor;
}

/// SI and RI (Loh et al. 1996, after Willebeek-LeMair and Reeves): one node balances with its
/// immediate neighbours. It gives to those below the average of the domain, or takes from those
/// above.
class domain_balancer final : public balancer {
 public:
  domain_balancer(bool sends, threshold mark, rounding mode, std::size_t sweeps)
      : sends_(sends), mark_(mark), mode_(mode), sweeps_(sweeps) {}

  [[nodiscard]] std::string_view name() const noexcept override {
    return sends_ ? "sender_initiated" : "receiver_initiated";
  }

  [[nodiscard]] load_marks marks() const noexcept override {
    return sends_ ? load_marks{.high = mark_.fixed(), .low = std::nullopt}
                  : load_marks{.high = std::nullopt, .low = mark_.fixed()};
  }

  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    refuse_capacities(request, name());
    activations run(request, sweeps_, out);
    const load_type mark = sends_ ? mark_.high(request.loads) : mark_.low(request.loads);
    run.each([&](node_id p, std::vector<load_type>& loads, phase& moves) {
      if (sends_ ? loads[p] > mark : loads[p] < mark) level(request.graph, p, loads, moves);
    });
  }

 private:
  void level(const topology& graph, node_id p, const std::vector<load_type>& loads,
             phase& moves) const {
    // All weights are multiplied by the number of members of the domain, so that they stay whole
    // numbers, below 2^88.
    const auto members = static_cast<wide>(graph.degree(p)) + 1;
    auto total = static_cast<wide>(loads[p]);
    graph.for_each_neighbour(p, [&](node_id k) { total += static_cast<wide>(loads[k]); });
    const auto beyond = [&](node_id k) {
      const wide whole = members * static_cast<wide>(loads[k]);
      if (sends_) return total > whole ? total - whole : wide{0};
      return whole > total ? whole - total : wide{0};
    };
    const wide own = members * static_cast<wide>(loads[p]);
    if (sends_ ? own <= total : own >= total) return;
    const wide excess = sends_ ? own - total : total - own;
    wide sum = 0;
    graph.for_each_neighbour(p, [&](node_id k) { sum += beyond(k); });
    if (sum == 0) return;
    load_type left = loads[p];
    graph.for_each_neighbour(p, [&](node_id k) {
      // (own - average) * part / sum, where excess and part are `members` times too large.
      const load_type wanted = quotient_of(excess, beyond(k), sum, members, mode_);
      const load_type quanta = std::min(wanted, sends_ ? left : loads[k]);
      if (quanta <= 0) return;
      if (sends_) {
        left -= quanta;
        moves.push_back({p, k, quanta});
      } else {
        moves.push_back({k, p, quanta});
      }
    });
  }

  bool sends_;
  threshold mark_;
  rounding mode_;
  std::size_t sweeps_;
};

balancer_descriptor describe_one_side(bool sends) {
  balancer_descriptor d;
  d.name = std::string(sends ? "sender_initiated" : "receiver_initiated");
  d.summary = std::string(
      sends
          ? "an overloaded node gives its neighbours below the domain's average the load that they "
            "lack"
          : "an underloaded node requests load from its neighbours above the domain's average");
  d.source = std::string(sends ? "Loh et al. 1996, SI, after Willebeek-LeMair and Reeves"
                               : "Loh et al. 1996, RI, after Willebeek-LeMair and Reeves");
  d.information = std::string("the loads of the neighbours");
  d.event_driven = true;
  const std::string side = sends ? std::string("high") : std::string("low");
  d.options = {
      {side,
       sends ? "a node with a higher load is a sender" : "a node with a lower load is a receiver",
       "auto",
       {},
       threshold::allowed()},
      {"rounding", "how portions are rounded", "ceiling", {"ceiling", "nearest", "floor"}},
      sweeps_option()};
  d.guarantees.never_widens = false;
  d.guarantees.plan_cost = std::string("sweeps x E");
  d.make = [sends, side](const balancer_options& options) -> std::unique_ptr<balancer> {
    return std::make_unique<domain_balancer>(sends, threshold::parse(options, side),
                                             parse_rounding(options.at("rounding")),
                                             parse_sweeps(options));
  };
  return d;
}

}  // namespace

namespace builtin {
balancer_descriptor describe_sender_initiated() { return describe_one_side(true); }
balancer_descriptor describe_receiver_initiated() { return describe_one_side(false); }
}  // namespace builtin

}  // namespace evencube
