#include <evencube/balancers/diffusion.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <evencube/balancers/plan_tools.hpp>

#include "builtin.hpp"

namespace evencube {
namespace {

using real = long double;

/// Links with weights, each named once, a < b.
using link_list = std::vector<weighted_link>;

link_list uniform_links(const topology& graph, double weight) {
  link_list links;
  for (node_id a = 0; a < graph.nodes(); ++a) {
    graph.for_each_neighbour(a, [&](node_id b) {
      if (a < b) links.push_back({a, b, weight});
    });
  }
  return links;
}

/// The rounding of one iteration's real flows to whole quanta, and the state it needs.
class quantiser {
 public:
  quantiser(const link_list& links, std::span<const load_type> loads, diffusion_form form)
      : links_(links), form_(form), loads_(loads.begin(), loads.end()), left_(loads_) {
    if (form_ == diffusion_form::carry) {
      real_loads_.assign(loads.begin(), loads.end());
      before_ = real_loads_;
      flow_.assign(links.size(), 0);
      sent_.assign(links.size(), 0);
    }
  }

  [[nodiscard]] const std::vector<load_type>& loads() const { return loads_; }

  /// Appends this iteration's transfers. False if nothing will ever move again.
  bool iterate(phase& moves) {
    left_ = loads_;
    const bool alive = form_ == diffusion_form::floor ? floor_flows(moves) : carried_flows(moves);
    for (const transfer& t : moves) {
      loads_[t.from] -= t.quanta;
      loads_[t.to] += t.quanta;
    }
    return alive;
  }

 private:
  void send(node_id from, node_id to, load_type quanta, phase& moves) {
    // Rounding of weights that sum to 1 and the carried units may ask for more than there is.
    quanta = std::min(quanta, left_[from]);
    if (quanta <= 0) return;
    left_[from] -= quanta;
    moves.push_back({from, to, quanta});
  }

  bool floor_flows(phase& moves) {
    for (const auto& [a, b, weight] : links_) {
      const load_type gap = loads_[a] - loads_[b];
      const auto quanta =
          static_cast<load_type>(static_cast<real>(weight) * static_cast<real>(std::abs(gap)));
      gap > 0 ? send(a, b, quanta, moves) : send(b, a, quanta, moves);
    }
    return !moves.empty();
  }

  bool carried_flows(phase& moves) {
    before_ = real_loads_;
    bool alive = false;
    for (std::size_t l = 0; l < links_.size(); ++l) {
      const auto& [a, b, weight] = links_[l];
      const real flow = static_cast<real>(weight) * (before_[a] - before_[b]);
      real_loads_[a] -= flow;
      real_loads_[b] += flow;
      flow_[l] += flow;
      // Below a thousandth of a quantum nothing that is still to come reaches the next half.
      alive = alive || std::abs(flow) > 1e-3L;
      const real owed = std::round(flow_[l]) - sent_[l];
      const std::size_t held = moves.size();
      if (owed >= 1) send(a, b, whole(owed), moves);
      if (owed <= -1) send(b, a, whole(-owed), moves);
      if (moves.size() > held) {
        const auto moved = static_cast<real>(moves.back().quanta);
        sent_[l] += moves.back().from == a ? moved : -moved;
        alive = true;
      }
    }
    return alive;
  }

  static load_type whole(real value) {
    return value >= static_cast<real>(INT64_MAX) ? INT64_MAX : static_cast<load_type>(value);
  }

  const link_list& links_;
  diffusion_form form_;
  std::vector<load_type> loads_;
  std::vector<load_type> left_;
  std::vector<real> real_loads_;
  std::vector<real> before_;
  std::vector<real> flow_;
  std::vector<real> sent_;
};

void iterate(const link_list& links, const balance_request& request, diffusion_form form,
             std::size_t iterations, load_type target, plan& out) {
  reset_plan(out, 0);
  quantiser state(links, request.loads, form);
  for (std::size_t i = 0; i < iterations && max_difference(state.loads()) > target; ++i) {
    out.phases.emplace_back();
    const bool alive = state.iterate(out.phases.back());
    if (!alive) break;
  }
  while (!out.phases.empty() && out.phases.back().empty()) out.phases.pop_back();
}

class uniform_diffusion final : public balancer {
 public:
  uniform_diffusion(double weight, diffusion_form form, std::size_t iterations, load_type target)
      : weight_(weight), form_(form), iterations_(iterations), target_(target) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "diffusion"; }
  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    refuse_capacities(request, name());
    const double most = request.graph.nodes() > 1 ? 1.0 / request.graph.max_degree() : 1.0;
    if (weight_ > most) {
      throw std::invalid_argument("option weight is " + std::to_string(weight_) + ", allowed on " +
                                  request.graph.to_string() +
                                  " is at most 1 / max degree = " + std::to_string(most));
    }
    const double weight = weight_ > 0.0 ? weight_ : optimal_weight(request.graph);
    iterate(uniform_links(request.graph, weight), request, form_, iterations_, target_, out);
  }

 private:
  double weight_;
  diffusion_form form_;
  std::size_t iterations_;
  load_type target_;
};

class weighted_diffusion final : public balancer {
 public:
  weighted_diffusion(link_list links, diffusion_form form, std::size_t iterations, load_type target)
      : links_(std::move(links)), form_(form), iterations_(iterations), target_(target) {
    std::vector<double> sums;
    for (const auto& [a, b, weight] : links_) {
      if (!(weight >= 0.0)) {
        throw std::invalid_argument("the weight of link " + std::to_string(a) + "-" +
                                    std::to_string(b) + " is " + std::to_string(weight) +
                                    ", allowed are values >= 0");
      }
      sums.resize(std::max<std::size_t>({sums.size(), a + std::size_t{1}, b + std::size_t{1}}));
      sums[a] += weight;
      sums[b] += weight;
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
      if (sums[k] > 1.0 + 1e-12) {
        throw std::invalid_argument("the weights at node " + std::to_string(k) + " sum to " +
                                    std::to_string(sums[k]) + ", allowed is at most 1");
      }
    }
  }
  [[nodiscard]] std::string_view name() const noexcept override { return "diffusion"; }
  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    refuse_capacities(request, name());
    std::size_t positive = 0;
    for (const auto& [a, b, weight] : links_) {
      if (!request.graph.adjacent(a, b)) {
        throw std::invalid_argument("diffusion: " + request.graph.to_string() + " has no link " +
                                    std::to_string(a) + "-" + std::to_string(b));
      }
      if (weight > 0.0) ++positive;
    }
    if (positive + 1 < request.graph.nodes()) {
      throw std::invalid_argument("diffusion: " + std::to_string(positive) +
                                  " links with a weight cannot connect " +
                                  std::to_string(request.graph.nodes()) + " nodes");
    }
    iterate(links_, request, form_, iterations_, target_, out);
  }

 private:
  link_list links_;
  diffusion_form form_;
  std::size_t iterations_;
  load_type target_;
};

}  // namespace

void diffuse(const topology& graph, double weight, std::vector<double>& loads) {
  const std::vector<double> before = loads;
  for (node_id k = 0; k < graph.nodes(); ++k) {
    double gain = 0.0;
    graph.for_each_neighbour(k, [&](node_id other) { gain += before[other] - before[k]; });
    loads[k] += weight * gain;
  }
}

void diffuse(std::span<const weighted_link> links, std::vector<double>& loads) {
  const std::vector<double> before = loads;
  for (const auto& [a, b, weight] : links) {
    const double flow = weight * (before[a] - before[b]);
    loads[a] -= flow;
    loads[b] += flow;
  }
}

void exchange(unsigned dimension, std::vector<double>& loads) {
  const std::size_t bit = std::size_t{1} << dimension;
  for (std::size_t k = 0; k < loads.size(); ++k) {
    if ((k & bit) == 0) loads[k] = loads[k | bit] = 0.5 * (loads[k] + loads[k | bit]);
  }
}

std::unique_ptr<balancer> make_weighted_diffusion(std::vector<weighted_link> links,
                                                  diffusion_form form, std::size_t iterations,
                                                  load_type target) {
  return std::make_unique<weighted_diffusion>(std::move(links), form, iterations, target);
}

namespace builtin {

balancer_descriptor describe_diffusion() {
  balancer_descriptor d;
  d.name = std::string("diffusion");
  d.summary =
      std::string("every link carries a fixed part of the difference of its ends, repeatedly");
  d.source = std::string("Cybenko 1989, Sections 2 and 3, (1), Lemma 2");
  d.information = std::string("the loads of the neighbours");
  d.options = {{"weight",
                "part of a difference sent per iteration",
                "optimal",
                {},
                "optimal, or a number > 0 up to 1 / max degree"},
               {"form",
                "whole quanta by rounding each flow down, or by carrying the rest",
                "floor",
                {"floor", "carry"}},
               {"iterations", "at most so many", "256", {}, "whole numbers from 1 to 1000000"},
               {"target", "stop at this difference", "1", {}, "whole numbers >= 0"}};
  // With floor no node ever passes beyond its neighbours; carry may, by half a degree.
  d.guarantees.never_widens = false;
  d.guarantees.plan_cost = std::string("iterations x E");
  d.make = [](const balancer_options& options) -> std::unique_ptr<balancer> {
    const double weight =
        options.at("weight") == "optimal" ? 0.0 : real_option(options, "weight", 1e-12, 1.0);
    return std::make_unique<uniform_diffusion>(
        weight, options.at("form") == "floor" ? diffusion_form::floor : diffusion_form::carry,
        static_cast<std::size_t>(integer_option(options, "iterations", 1, 1000000)),
        integer_option(options, "target", 0, INT64_MAX));
  };
  return d;
}

}  // namespace builtin
}  // namespace evencube
