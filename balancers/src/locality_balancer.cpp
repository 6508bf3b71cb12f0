#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include <evencube/balancers/locality.hpp>
#include <evencube/balancers/plan_tools.hpp>

#include "builtin.hpp"

namespace evencube {
namespace {

/// The loads and capacities of a request by position on the line.
struct line_state {
  explicit line_state(const balance_request& request) : line(locality_line(request.graph)) {
    held.reserve(line.size());
    for (const node_id k : line) {
      held.push_back(request.loads[k]);
      if (!request.capacities.empty()) capacities.push_back(request.capacities[k]);
    }
  }

  std::vector<node_id> line;
  std::vector<load_type> held;
  std::vector<double> capacities;
};

/// Phases in which every node passes to each neighbour on the line what still has to cross that
/// link, as far as the node holds it. The tasks that leave to the right are a node's last items.
/// Those that arrive from the left are placed before its first.
void move_together(line_state& state, plan& out) {
  auto& [line, held, capacities] = state;
  const std::size_t n = line.size();
  const auto starts = block_starts(total_load(held), n, capacities);
  // crossing[p]: the quanta that must pass from p to p + 1, negative for the other direction.
  std::vector<load_type> crossing(n, 0);
  load_type prefix = 0;
  bool left_over = false;
  for (std::size_t p = 0; p + 1 < n; ++p) {
    prefix += held[p];
    crossing[p] = prefix - starts[p + 1];
    left_over = left_over || crossing[p] != 0;
  }
  while (left_over) {
    left_over = false;
    phase& moves = out.phases.emplace_back();
    std::vector<load_type> spare = held;
    for (std::size_t p = 0; p + 1 < n; ++p) {
      const bool right = crossing[p] > 0;
      const std::size_t from = right ? p : p + 1;
      const std::size_t to = right ? p + 1 : p;
      const load_type quanta = std::min(std::abs(crossing[p]), spare[from]);
      if (quanta > 0) {
        spare[from] -= quanta;
        held[from] -= quanta;
        held[to] += quanta;
        crossing[p] -= right ? quanta : -quanta;
        moves.push_back({line[from], line[to], quanta});
      }
      left_over = left_over || crossing[p] != 0;
    }
  }
}

/// The steps of an approach of the paper, with one transfer for all packets on the same link.
/// Throws std::invalid_argument if packets make too many hops to be listed.
void move_by_approach(movement_approach how, const line_state& state, plan& out) {
  constexpr std::size_t most_hops = std::size_t{1} << 22;
  const auto& [line, held, capacities] = state;
  std::size_t hops = 0;
  for (const item_packet& p : shift_packets(held, capacities)) {
    hops += std::max(p.from, p.to) - std::min(p.from, p.to);
    if (hops > most_hops) {
      throw std::invalid_argument(
          "locality: by the steps of concatenated and by-distance the packets of these loads make "
          "more than " +
          std::to_string(most_hops) + " hops; together has no such limit");
    }
  }
  for (const auto& step : move_packets(how, held, capacities).steps) {
    phase& moves = out.phases.emplace_back();
    for (const item_packet& p : step) {
      const node_id from = line[p.from];
      const node_id to = line[p.to];
      // Packets by ascending position: those of the same link follow each other.
      if (!moves.empty() && moves.back().from == from && moves.back().to == to) {
        moves.back().quanta += p.count;
      } else {
        moves.push_back({from, to, p.count});
      }
    }
  }
}

/// The order-preserving shift as a plan of one-hop phases.
class locality_shift final : public balancer {
 public:
  /// Without an approach, both directions move at once.
  explicit locality_shift(std::optional<movement_approach> how) : how_(how) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "locality"; }

  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    line_state state(request);
    reset_plan(out, 0);
    if (how_) {
      move_by_approach(*how_, state, out);
    } else {
      move_together(state, out);
    }
  }

 private:
  std::optional<movement_approach> how_;
};

}  // namespace

namespace builtin {

balancer_descriptor describe_locality() {
  balancer_descriptor d;
  d.name = std::string("locality");
  d.summary = std::string("every node gets a block of the tasks, in their order along a line");
  d.source = std::string("Mehrotra, Ranka, Wang 1992, Section 2");
  d.information = std::string("the prefix sums of the loads along the line");
  d.guarantees.difference = [](const balance_request&, const balancer_options&) {
    return std::optional<load_type>(1);
  };
  d.guarantees.difference_text = std::string("1");
  d.guarantees.honours_capacities = true;
  d.guarantees.deviation = [](const balance_request&, const balancer_options&) {
    return std::optional<double>(1.0);
  };
  d.guarantees.deviation_text = std::string("1");
  d.guarantees.preserves_order = true;
  d.guarantees.supports = has_locality_line;
  d.guarantees.supports_text =
      std::string("all with a known line: not star, edges, fibonacci-composite");
  d.guarantees.plan_cost = std::string("N x longest shift");
  d.options = {{"movement",
                "the order of steps along the line: both directions simultaneously, one direction "
                "after the other, or packets with the largest distance first",
                "together",
                {"together", "concatenated", "by-distance"}}};
  d.make = [](const balancer_options& options) -> std::unique_ptr<balancer> {
    const std::string& movement = options.at("movement");
    if (movement == "together") return std::make_unique<locality_shift>(std::nullopt);
    return std::make_unique<locality_shift>(movement == "concatenated"
                                                ? movement_approach::concatenated
                                                : movement_approach::by_distance);
  };
  return d;
}

}  // namespace builtin
}  // namespace evencube
