#include <algorithm>

#include <evencube/balancers/plan_tools.hpp>

#include "builtin.hpp"
#include "splitmix.hpp"
#include "working_memory.hpp"

namespace evencube::builtin {
namespace {

/// Moves nothing. It is the baseline of every comparison.
class none final : public balancer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "none"; }
  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    reset_plan(out, 0);
  }
};

/// Every node sends its whole load to one fixed neighbour. No task stays, so any fault in moving
/// shows.
class rotate final : public balancer {
 public:
  explicit rotate(node_id step) : step_(step) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "rotate"; }
  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    refuse_capacities(request, name());
    reset_plan(out, 1);
    for (node_id k = 0; k < request.graph.nodes(); ++k) {
      const node_id degree = request.graph.degree(k);
      if (degree == 0 || request.loads[k] == 0) continue;
      out.phases[0].push_back({k, request.graph.neighbour(k, step_ % degree), request.loads[k]});
    }
  }

 private:
  node_id step_;
};

struct loads_on_the_way {
  std::vector<load_type> held;
};

/// In each of a few rounds, every node sends a random part of its load to a random neighbour.
class random_moves final : public balancer {
 public:
  explicit random_moves(std::size_t rounds) : rounds_(rounds) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "random"; }
  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    refuse_capacities(request, name());
    const working_memory<loads_on_the_way> memory;
    std::vector<load_type>& held = memory->held;
    held.assign(request.loads.begin(), request.loads.end());
    reset_plan(out, rounds_);
    splitmix draw(request.seed);
    for (phase& moves : out.phases) {
      for (node_id k = 0; k < request.graph.nodes(); ++k) {
        const node_id degree = request.graph.degree(k);
        if (degree == 0) continue;
        const auto to = static_cast<node_id>(draw.below(degree));
        const auto quanta =
            static_cast<load_type>(draw.below(static_cast<std::uint64_t>(held[k]) + 1));
        if (quanta > 0) moves.push_back({k, request.graph.neighbour(k, to), quanta});
      }
      for (const transfer& t : moves) {
        held[t.from] -= t.quanta;
        held[t.to] += t.quanta;
      }
    }
  }

 private:
  std::size_t rounds_;
};

}  // namespace

balancer_descriptor describe_none() {
  balancer_descriptor d;
  d.name = std::string("none");
  d.summary = std::string("moves nothing");
  d.source = std::string("diagnostic");
  d.information = std::string("none");
  d.guarantees.difference = [](const balance_request& request, const balancer_options&) {
    return std::optional<load_type>(max_difference(request.loads));
  };
  d.guarantees.difference_text = std::string("the initial difference");
  d.guarantees.honours_capacities = true;
  d.guarantees.preserves_order = true;
  d.guarantees.plan_cost = std::string("N");
  d.make = [](const balancer_options&) -> std::unique_ptr<balancer> {
    return std::make_unique<none>();
  };
  return d;
}

balancer_descriptor describe_rotate() {
  balancer_descriptor d;
  d.name = std::string("rotate");
  d.summary = std::string("every node sends all its load to one neighbour");
  d.source = std::string("diagnostic");
  d.information = std::string("none");
  d.options = {
      {"step", "which neighbour, counted modulo the degree", "0", {}, "whole numbers >= 0"}};
  d.guarantees.idle_when_equal = false;
  d.guarantees.never_widens = false;
  d.guarantees.plan_cost = std::string("N");
  d.make = [](const balancer_options& options) -> std::unique_ptr<balancer> {
    return std::make_unique<rotate>(
        static_cast<node_id>(integer_option(options, "step", 0, topology::max_nodes)));
  };
  return d;
}

balancer_descriptor describe_random() {
  balancer_descriptor d;
  d.name = std::string("random");
  d.summary = std::string("every node sends a random part of its load to a random neighbour");
  d.source = std::string("diagnostic");
  d.information = std::string("none");
  d.options = {{"rounds", "number of rounds", "1", {}, "whole numbers from 1 to 1000"}};
  d.guarantees.idle_when_equal = false;
  d.guarantees.never_widens = false;
  d.guarantees.plan_cost = std::string("rounds x N");
  d.make = [](const balancer_options& options) -> std::unique_ptr<balancer> {
    return std::make_unique<random_moves>(
        static_cast<std::size_t>(integer_option(options, "rounds", 1, 1000)));
  };
  return d;
}

}  // namespace evencube::builtin
