#include <algorithm>
#include <cmath>

#include <evencube/balancers/plan_tools.hpp>

#include "builtin.hpp"
#include "event_driven.hpp"

namespace evencube {
namespace {

enum class rounding { ceiling, nearest, floor };

rounding parse_rounding(const std::string& text) {
  if (text == "ceiling") return rounding::ceiling;
  return text == "nearest" ? rounding::nearest : rounding::floor;
}

/// (own - average) * part / sum with average = total / members, everything times `members` but the
/// result: exact while the product fits 64 bits, else to the last place of a long double.
load_type portion(long double excess, long double part, long double sum, long double members,
                  rounding mode) {
  const long double exact = excess * part / (sum * members);
  if (mode == rounding::ceiling) return static_cast<load_type>(std::ceil(exact));
  if (mode == rounding::nearest) return static_cast<load_type>(std::floor(exact + 0.5L));
  return static_cast<load_type>(std::floor(exact));
}

/// SI and RI (Loh et al. 1996, after Willebeek-LeMair and Reeves): one node levels with its
/// immediate neighbours, giving to those below the average of the domain, or asking those above.
class domain_balancer final : public balancer {
 public:
  domain_balancer(bool sends, threshold mark, rounding mode, std::size_t sweeps)
      : sends_(sends), mark_(mark), mode_(mode), sweeps_(sweeps) {}

  [[nodiscard]] std::string_view name() const noexcept override {
    return sends_ ? "sender_initiated" : "receiver_initiated";
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
    const auto sign = sends_ ? 1.0L : -1.0L;
    const auto members = static_cast<long double>(graph.degree(p)) + 1.0L;
    auto total = static_cast<long double>(loads[p]);
    graph.for_each_neighbour(p, [&](node_id k) { total += static_cast<long double>(loads[k]); });
    // All weights times `members`, so that they stay whole numbers.
    const auto beyond = [&](node_id k) {
      return std::max(0.0L, sign * (total - members * static_cast<long double>(loads[k])));
    };
    const long double excess = sign * (members * static_cast<long double>(loads[p]) - total);
    if (excess <= 0.0L) return;
    long double sum = 0.0L;
    graph.for_each_neighbour(p, [&](node_id k) { sum += beyond(k); });
    if (sum <= 0.0L) return;
    load_type left = loads[p];
    graph.for_each_neighbour(p, [&](node_id k) {
      const load_type wanted = portion(excess, beyond(k), sum, members, mode_);
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

balancer_descriptor describe(bool sends) {
  balancer_descriptor d;
  d.name = std::string(sends ? "sender_initiated" : "receiver_initiated");
  d.summary = std::string(
      sends ? "an overloaded node gives its neighbours below the domain's average what they lack"
            : "an underloaded node asks its neighbours above the domain's average");
  d.source = std::string(sends ? "Loh et al. 1996, SI, after Willebeek-LeMair and Reeves"
                               : "Loh et al. 1996, RI, after Willebeek-LeMair and Reeves");
  d.information = std::string("the loads of the neighbours");
  d.event_driven = true;
  const std::string side = sends ? std::string("high") : std::string("low");
  d.options = {{side,
                sends ? "a load above it makes a sender" : "a load below it makes a receiver",
                "auto",
                {},
                threshold::allowed()},
               {"rounding", "of the portions", "ceiling", {"ceiling", "nearest", "floor"}},
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
balancer_descriptor describe_sender_initiated() { return describe(true); }
balancer_descriptor describe_receiver_initiated() { return describe(false); }
}  // namespace builtin

}  // namespace evencube
