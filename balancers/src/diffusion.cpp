#include <evencube/balancers/diffusion.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include <evencube/balancers/plan_tools.hpp>

#include "builtin.hpp"
#include "exact.hpp"
#include "phase_writer.hpp"

namespace evencube {
namespace {

/// A part of quanta that is taken many times. Where the product fits, this is a multiplication
/// instead of a division.
class repeated_part {
 public:
  explicit repeated_part(fraction part)
      : part_(part),
        factor_(part.numerator >= part.denominator
                    ? 0
                    : static_cast<std::uint64_t>((wide{part.numerator} << 64) / part.denominator) +
                          1),
        most_(part.numerator >= part.denominator ? 0 : UINT64_MAX / part.denominator) {}

  /// floor(quanta * part). The factor is 2^64 part, rounded up. For quanta q this adds less than q
  /// / 2^64, which cannot reach the next whole number while q * denominator < 2^64.
  [[nodiscard]] load_type floor(load_type quanta) const noexcept {
    const auto q = static_cast<std::uint64_t>(quanta);
    if (q <= most_) return static_cast<load_type>((wide{q} * factor_) >> 64);
    return floor_part(quanta, part_);
  }
  [[nodiscard]] const fraction& value() const noexcept { return part_; }

 private:
  fraction part_;
  std::uint64_t factor_;
  std::uint64_t most_;
};

/// All links of a network, with one weight: visit(a, b, weight) for a < b, by ascending a.
class uniform_links {
 public:
  uniform_links(const topology& graph, fraction weight) : graph_(graph), weight_(weight) {}

  template <typename Visit>
  void each(Visit&& visit) const {
    const node_id nodes = graph_.nodes();
    if (graph_.kind() == topology_kind::hypercube) {
      for (node_id a = 0; a < nodes; ++a) {
        for (node_id clear = ~a & (nodes - 1); clear != 0; clear &= clear - 1) {
          visit(a, a | (clear & (~clear + 1)), weight_);
        }
      }
      return;
    }
    for (node_id a = 0; a < nodes; ++a) {
      graph_.for_each_neighbour(a, [&](node_id b) {
        if (a < b) visit(a, b, weight_);
      });
    }
  }
  /// The weights at a node sum to at most 1, exactly, so a node never sends more than it holds.
  static constexpr bool may_overdraw = false;

 private:
  const topology& graph_;
  repeated_part weight_;
};

/// Links, each with its own weight.
class listed_links {
 public:
  explicit listed_links(std::span<const weighted_link> links) {
    for (const auto& [a, b, weight] : links) {
      links_.push_back({a, b, repeated_part(fraction_of(weight))});
    }
  }

  template <typename Visit>
  void each(Visit&& visit) const {
    for (const auto& [a, b, weight] : links_) visit(a, b, weight);
  }
  /// Doubles whose sum is 1 may stand for fractions whose sum is a little more.
  static constexpr bool may_overdraw = true;

 private:
  struct listed {
    node_id a;
    node_id b;
    repeated_part weight;
  };
  std::vector<listed> links_;
};

/// The quanta that each node may still give in one iteration.
class purse {
 public:
  void fill(const std::vector<load_type>& loads) { left_ = loads; }
  void send(node_id from, node_id to, load_type quanta, phase& moves) {
    quanta = std::min(quanta, left_[from]);
    if (quanta <= 0) return;
    left_[from] -= quanta;
    moves.push_back({from, to, quanta});
  }

 private:
  std::vector<load_type> left_;
};

/// The flow floor(a |w_i - w_j|) over every link.
class floor_flows {
 public:
  template <typename Links>
  floor_flows(const Links& /*links*/, std::span<const load_type> /*loads*/) {}

  /// Appends the transfers of one iteration. Returns false if no quanta will ever move again.
  template <typename Links>
  bool iterate(const Links& links, const std::vector<load_type>& loads, phase& moves) {
    if constexpr (Links::may_overdraw) purse_.fill(loads);
    links.each([&](node_id a, node_id b, const repeated_part& weight) {
      const load_type gap = loads[a] - loads[b];
      const load_type quanta = weight.floor(gap < 0 ? -gap : gap);
      if (quanta == 0) return;
      const node_id from = gap > 0 ? a : b;
      const node_id to = gap > 0 ? b : a;
      if constexpr (Links::may_overdraw) {
        purse_.send(from, to, quanta, moves);
      } else {
        moves.push_back({from, to, quanta});
      }
    });
    return !moves.empty();
  }

 private:
  purse purse_;
};

/// Real loads, followed next to the loads in quanta, as whole numbers of a small unit. Each link
/// has sent the whole number nearest to the real flow over it. The unit is a power of the common
/// denominator of the weights, as small as 128 bits allow. So nothing is rounded in as many
/// iterations as its exponent says, and later far less than a quantum is lost.
class carried_flows {
 public:
  template <typename Links>
  carried_flows(const Links& links, std::span<const load_type> loads) {
    std::uint64_t common = 1;
    std::uint64_t largest = 1;
    std::size_t count = 0;
    links.each([&](node_id, node_id, const repeated_part& weight) {
      const fraction part = weight.value();
      largest = std::max(largest, part.numerator);
      if (common != 0) {
        const std::uint64_t factor = part.denominator / std::gcd(common, part.denominator);
        if (__builtin_mul_overflow(common, factor, &common)) common = 0;
      }
      ++count;
    });
    // A flow is a numerator times a difference of loads, in units.
    const signed_wide room = (signed_wide{1} << 120) / std::max<load_type>(total_load(loads), 1) /
                             static_cast<signed_wide>(largest);
    if (common <= 1 || room < static_cast<signed_wide>(common)) common = 2;
    while (unit_ <= room / static_cast<signed_wide>(common)) {
      unit_ *= static_cast<signed_wide>(common);
    }
    for (const load_type load : loads) real_.push_back(unit_ * load);
    flow_.assign(count, 0);
    sent_.assign(count, 0);
  }

  template <typename Links>
  bool iterate(const Links& links, const std::vector<load_type>& loads, phase& moves) {
    before_ = real_;
    purse_.fill(loads);
    bool alive = false;
    std::size_t l = 0;
    links.each([&](node_id a, node_id b, const repeated_part& weight) {
      const signed_wide flow = rounded(before_[a] - before_[b], weight.value());
      real_[a] -= flow;
      real_[b] += flow;
      flow_[l] += flow;
      // When less than a thousandth of a quantum flows over every link, the iteration may end.
      alive = alive || (flow < 0 ? -flow : flow) > unit_ / 1000;
      const load_type owed = owed_by(l);
      const std::size_t held = moves.size();
      owed > 0 ? purse_.send(a, b, owed, moves) : purse_.send(b, a, -owed, moves);
      if (moves.size() > held) {
        sent_[l] += owed > 0 ? moves.back().quanta : -moves.back().quanta;
        alive = true;
      }
      ++l;
    });
    return alive;
  }

 private:
  /// gap * part, rounded to the nearest whole number, and symmetric for -gap.
  static signed_wide rounded(signed_wide gap, fraction part) {
    const bool negative = gap < 0;
    const auto above = static_cast<wide>(negative ? -gap : gap) * part.numerator;
    wide whole = 0;
    if (above >> 63 == 0) {
      const auto small = static_cast<std::uint64_t>(above);
      whole = (small + part.denominator / 2) / part.denominator;
    } else {
      whole = (above + part.denominator / 2) / part.denominator;
    }
    return negative ? -static_cast<signed_wide>(whole) : static_cast<signed_wide>(whole);
  }

  /// The real flow over link l so far, as a whole number (a half is rounded away from 0), less the
  /// quanta sent.
  [[nodiscard]] load_type owed_by(std::size_t l) const {
    const signed_wide due = flow_[l] - unit_ * sent_[l];
    if (2 * due < unit_ && -2 * due < unit_) return 0;
    const signed_wide twice = 2 * flow_[l] + (flow_[l] >= 0 ? unit_ : -unit_);
    return static_cast<load_type>(twice / (2 * unit_)) - sent_[l];
  }

  signed_wide unit_ = 1;
  std::vector<signed_wide> real_;
  std::vector<signed_wide> before_;
  std::vector<signed_wide> flow_;
  std::vector<load_type> sent_;
  purse purse_;
};

template <typename Flows, typename Links>
void iterate(const Links& links, const balance_request& request, std::size_t iterations,
             load_type target, plan& out) {
  std::vector<load_type> loads(request.loads.begin(), request.loads.end());
  Flows flows(links, request.loads);
  phase_writer phases(out);
  for (std::size_t i = 0; i < iterations && max_difference(loads) > target; ++i) {
    phase& moves = phases.next();
    const bool alive = flows.iterate(links, loads, moves);
    for (const transfer& t : moves) {
      loads[t.from] -= t.quanta;
      loads[t.to] += t.quanta;
    }
    if (!alive) break;
  }
  phases.drop_empty_end();
}

template <typename Links>
void iterate(const Links& links, const balance_request& request, diffusion_form form,
             std::size_t iterations, load_type target, plan& out) {
  if (form == diffusion_form::floor) {
    iterate<floor_flows>(links, request, iterations, target, out);
  } else {
    iterate<carried_flows>(links, request, iterations, target, out);
  }
}

class uniform_diffusion final : public balancer {
 public:
  /// If there is no weight, the optimal weight of each network is used.
  uniform_diffusion(std::optional<fraction> weight, diffusion_form form, std::size_t iterations,
                    load_type target)
      : weight_(weight), form_(form), iterations_(iterations), target_(target) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "diffusion"; }
  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    refuse_capacities(request, name());
    const topology& graph = request.graph;
    const fraction most{1, graph.nodes() > 1 ? graph.max_degree() : 1};
    if (weight_ && less(most, *weight_)) {
      throw std::invalid_argument("option weight is " + std::to_string(weight_->numerator) + "/" +
                                  std::to_string(weight_->denominator) + ", allowed on " +
                                  graph.to_string() + " is at most 1 / max degree = 1/" +
                                  std::to_string(most.denominator));
    }
    if (graph.nodes() == 1) {
      reset_plan(out, 0);
      return;
    }
    const uniform_links links(graph, weight_ ? *weight_ : optimal_fraction(graph));
    iterate(links, request, form_, iterations_, target_, out);
  }

 private:
  std::optional<fraction> weight_;
  diffusion_form form_;
  std::size_t iterations_;
  load_type target_;
};

class weighted_diffusion final : public balancer {
 public:
  weighted_diffusion(std::vector<weighted_link> links, diffusion_form form, std::size_t iterations,
                     load_type target)
      : links_(std::move(links)),
        exact_(links_),
        form_(form),
        iterations_(iterations),
        target_(target) {}
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
    iterate(exact_, request, form_, iterations_, target_, out);
  }

 private:
  std::vector<weighted_link> links_;
  listed_links exact_;
  diffusion_form form_;
  std::size_t iterations_;
  load_type target_;
};

void check_weights(std::span<const weighted_link> links) {
  std::vector<double> sums;
  for (const auto& [a, b, weight] : links) {
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
  check_weights(links);
  return std::make_unique<weighted_diffusion>(std::move(links), form, iterations, target);
}

namespace builtin {

balancer_descriptor describe_diffusion() {
  balancer_descriptor d;
  d.name = std::string("diffusion");
  d.summary = std::string(
      "every link repeatedly carries a fixed part "
      "of the difference between its two nodes");
  d.source = std::string("Cybenko 1989, Sections 2 and 3, (1a), Lemma 2");
  d.information = std::string("the loads of the neighbours");
  d.options = {
      {"weight",
       "part of a difference sent per iteration",
       "optimal",
       {},
       "optimal, or a decimal > 0 up to 1 / max degree"},
      {"form",
       "how flows become whole quanta: rounded down, or with the rest carried over",
       "floor",
       {"floor", "carry"}},
      {"iterations", "maximum number of iterations", "256", {}, "whole numbers from 1 to 1000000"},
      {"target", "stop at this difference", "1", {}, "whole numbers >= 0"}};
  // With floor, no node ever overshoots its neighbours; with carry it may, by half its degree.
  d.guarantees.never_widens = false;
  d.guarantees.plan_cost = std::string("iterations x E");
  d.make = [](const balancer_options& options) -> std::unique_ptr<balancer> {
    std::optional<fraction> weight;
    if (options.at("weight") != "optimal") {
      weight = fraction_option(options, "weight", {1, 1'000'000'000'000}, {1, 1});
    }
    return std::make_unique<uniform_diffusion>(
        weight, options.at("form") == "floor" ? diffusion_form::floor : diffusion_form::carry,
        static_cast<std::size_t>(integer_option(options, "iterations", 1, 1000000)),
        integer_option(options, "target", 0, INT64_MAX));
  };
  return d;
}

}  // namespace builtin
}  // namespace evencube
