#include <algorithm>
#include <limits>
#include <queue>
#include <stdexcept>

#include <evencube/balancers/plan_tools.hpp>

#include "builtin.hpp"
#include "quotas.hpp"

namespace evencube {
namespace {

constexpr node_id most_nodes = 1024;

/// Finds the least number of task-hops that leave every node with its share rounded down or up.
/// This is a minimum-cost flow from the nodes above their floor to those below, by successive
/// shortest paths with potentials (Edmonds and Karp 1972). A link costs one hop; going back on a
/// flow gains one. The units that are left over end in a common store, to which every node whose
/// share is not whole may give one, at no cost.
class cheapest_flow {
 public:
  cheapest_flow(const topology& graph, std::span<const load_type> loads,
                std::span<const load_type> floors, std::span<const char> may_store, load_type extra)
      : graph_(graph),
        store_(graph.nodes()),
        surplus_(graph.nodes(), 0),
        room_(graph.nodes(), 0),
        may_store_(may_store.begin(), may_store.end()),
        stored_(graph.nodes(), 0),
        extra_(extra),
        potential_(graph.nodes() + std::size_t{1}, 0) {
    first_.assign(graph.nodes() + std::size_t{1}, 0);
    for (node_id k = 0; k < graph.nodes(); ++k) first_[k + 1] = first_[k] + graph.degree(k);
    flow_.assign(first_.back(), 0);
    for (node_id k = 0; k < graph.nodes(); ++k) {
      const load_type gap = loads[k] - floors[k];
      surplus_[k] = std::max<load_type>(gap, 0);
      room_[k] = std::max<load_type>(-gap, 0);
    }
  }

  void solve() {
    for (node_id sink = search(); sink != none; sink = search()) augment(sink);
  }

  /// The net units from k over its i-th link, negative for the other direction.
  [[nodiscard]] load_type flow(node_id k, node_id i) const { return flow_[first_[k] + i]; }

 private:
  static constexpr node_id none = std::numeric_limits<node_id>::max();
  static constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();

  /// Calls visit(other, cost) for every edge from k in the residual network.
  template <typename Visit>
  void for_each_way(node_id k, Visit&& visit) const {
    if (k == store_) {
      for (node_id other = 0; other < store_; ++other) {
        if (stored_[other] != 0) visit(other, 0);
      }
      return;
    }
    if (may_store_[k] != 0 && stored_[k] == 0) visit(store_, 0);
    node_id i = 0;
    graph_.for_each_neighbour(k, [&](node_id other) { visit(other, flow(k, i++) < 0 ? -1 : 1); });
  }

  /// Dijkstra from all nodes with surplus, over reduced costs. Returns the nearest sink, or none.
  node_id search() {
    distance_.assign(potential_.size(), far);
    from_.assign(potential_.size(), none);
    using entry = std::pair<std::int64_t, node_id>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> queue;
    for (node_id k = 0; k < store_; ++k) {
      if (surplus_[k] == 0) continue;
      distance_[k] = -potential_[k];
      queue.push({distance_[k], k});
    }
    while (!queue.empty()) {
      const auto [reach, k] = queue.top();
      queue.pop();
      if (reach > distance_[k]) continue;
      for_each_way(k, [&, here = k, so_far = reach](node_id other, std::int64_t cost) {
        const std::int64_t next = so_far + cost + potential_[here] - potential_[other];
        if (next >= distance_[other]) return;
        distance_[other] = next;
        from_[other] = here;
        queue.push({next, other});
      });
    }
    node_id best = none;
    for (node_id k = 0; k <= store_; ++k) {
      if (distance_[k] == far) continue;
      potential_[k] += distance_[k];  // now the true distance
      const bool takes = k == store_ ? extra_ > 0 : room_[k] > 0;
      if (takes && (best == none || potential_[k] < potential_[best])) best = k;
    }
    return best;
  }

  void augment(node_id sink) {
    load_type most = sink == store_ ? 1 : room_[sink];
    node_id source = sink;
    for (node_id k = sink; from_[k] != none; k = from_[k]) {
      source = from_[k];
      if (k == store_ || source == store_) {
        most = 1;
      } else if (const load_type back = flow_[link(source, k)]; back < 0) {
        most = std::min(most, -back);
      }
    }
    most = std::min(most, surplus_[source]);
    for (node_id k = sink; from_[k] != none; k = from_[k]) {
      const node_id before = from_[k];
      if (k == store_) {
        stored_[before] = 1;
      } else if (before == store_) {
        stored_[k] = 0;
      } else {
        flow_[link(before, k)] += most;
        flow_[link(k, before)] -= most;
      }
    }
    surplus_[source] -= most;
    (sink == store_ ? extra_ : room_[sink]) -= most;
  }

  [[nodiscard]] std::size_t link(node_id k, node_id other) const {
    node_id i = 0;
    while (graph_.neighbour(k, i) != other) ++i;
    return first_[k] + i;
  }

  const topology& graph_;
  node_id store_;
  std::vector<load_type> surplus_;
  std::vector<load_type> room_;
  std::vector<char> may_store_;
  std::vector<char> stored_;
  load_type extra_;
  std::vector<std::size_t> first_;
  std::vector<load_type> flow_;
  std::vector<std::int64_t> potential_;
  std::vector<std::int64_t> distance_;
  std::vector<node_id> from_;
};

class optimal_balancer final : public balancer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "optimal"; }

  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    const topology& graph = request.graph;
    if (graph.nodes() > most_nodes) {
      throw std::invalid_argument("optimal: " + graph.to_string() + " has " +
                                  std::to_string(graph.nodes()) + " nodes, allowed are up to " +
                                  std::to_string(most_nodes));
    }
    const bool equal = equal_capacities(request.capacities);
    std::vector<wide> capacities;
    if (!equal) proportions(request.capacities, most_capacity, capacities);
    const load_type total = total_load(request.loads);
    std::vector<load_type> floors(graph.nodes());
    std::vector<char> takes_extra;
    const load_type extra = floor_quotas(total, capacities, floors, takes_extra);
    cheapest_flow flow(graph, request.loads, floors, takes_extra, extra);
    flow.solve();
    schedule_flow(graph, request.loads, flow, out);
  }

 private:
  /// The flow has no cycle (each would save hops), so some node can always go on.
  static void schedule_flow(const topology& graph, std::span<const load_type> loads,
                            const cheapest_flow& flow, plan& out) {
    std::vector<load_type> held(loads.begin(), loads.end());
    phase open;
    for (node_id k = 0; k < graph.nodes(); ++k) {
      const node_id degree = graph.degree(k);
      for (node_id i = 0; i < degree; ++i) {
        if (flow.flow(k, i) > 0) open.push_back({k, graph.neighbour(k, i), flow.flow(k, i)});
      }
    }
    reset_plan(out, 0);
    while (!open.empty()) {
      phase& moves = out.phases.emplace_back();
      for (transfer& t : open) {
        const load_type quanta = std::min(t.quanta, held[t.from]);
        if (quanta == 0) continue;
        held[t.from] -= quanta;
        t.quanta -= quanta;
        moves.push_back({t.from, t.to, quanta});
      }
      for (const transfer& t : moves) held[t.to] += t.quanta;
      std::erase_if(open, [](const transfer& t) { return t.quanta == 0; });
    }
  }
};

}  // namespace

namespace builtin {

balancer_descriptor describe_optimal() {
  balancer_descriptor d;
  d.name = std::string("optimal");
  d.summary = std::string("levels the loads with the fewest task-hops; a bound for comparisons");
  d.source = std::string("minimum-cost flow; diagnostic");
  d.information = std::string("all loads");
  d.guarantees.difference = [](const balance_request&, const balancer_options&) {
    return std::optional<load_type>(1);
  };
  d.guarantees.difference_text = std::string("1");
  d.guarantees.honours_capacities = true;
  d.guarantees.deviation = [](const balance_request&, const balancer_options&) {
    return std::optional<double>(1.0);
  };
  d.guarantees.deviation_text = std::string("1");
  d.guarantees.supports = [](const topology& graph) { return graph.nodes() <= most_nodes; };
  d.guarantees.supports_text = std::string("any up to 1024 nodes");
  d.guarantees.plan_cost = std::string("augmentations x E log N");
  d.make = [](const balancer_options&) -> std::unique_ptr<balancer> {
    return std::make_unique<optimal_balancer>();
  };
  return d;
}

}  // namespace builtin
}  // namespace evencube
