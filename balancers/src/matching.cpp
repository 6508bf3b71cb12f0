#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <evencube/balancers/options.hpp>
#include <evencube/balancers/plan_tools.hpp>

#include "builtin.hpp"
#include "phase_writer.hpp"
#include "splitmix.hpp"
#include "working_memory.hpp"

namespace evencube {
namespace {

using link = std::pair<node_id, node_id>;

constexpr node_id nobody = std::numeric_limits<node_id>::max();

/// The rounding errors that links carry. A link whose last odd unit has not been made up for owes
/// the next one to its other end.
class carried_errors {
 public:
  void clear() { owed_to_.clear(); }

  /// The end of the link that gets an odd unit; `free_choice` if the link owes it to neither.
  node_id next(node_id a, node_id b, node_id free_choice) {
    const auto [low, high] = std::minmax(a, b);
    const auto [owed, is_new] =
        owed_to_.try_emplace(std::uint64_t{high} << 32 | low, free_choice == a ? b : a);
    if (is_new) return free_choice;
    const node_id paid = owed->second;
    owed_to_.erase(owed);
    return paid;
  }

 private:
  std::unordered_map<std::uint64_t, node_id> owed_to_;
};

struct matching_memory {
  std::vector<load_type> loads;
  carried_errors errors;
  std::vector<node_id> suitors;  // of each node that accepts, the node whose offer it takes so far
};

/// The random numbers of one round, a function of the seed, the round and the node.
class round_draw {
 public:
  round_draw(std::uint64_t seed, std::uint64_t round) noexcept
      : base_(splitmix(splitmix(seed)() + round)()) {}

  std::uint64_t operator()(node_id k) const noexcept { return splitmix(base_ + k)(); }

 private:
  std::uint64_t base_;
};

/// The links of a network, coloured so that no two links of a colour share a node: a link gets the
/// first colour that both of its nodes have free, so there are fewer than 2 max_degree() colours.
std::vector<std::vector<link>> coloured_links(const topology& graph) {
  std::vector<std::vector<bool>> used(graph.nodes());
  std::vector<std::vector<link>> colours;
  const auto has = [&](node_id k, std::size_t colour) {
    return colour < used[k].size() && used[k][colour];
  };
  for (node_id a = 0; a < graph.nodes(); ++a) {
    graph.for_each_neighbour(a, [&](node_id b) {
      if (b < a) return;
      std::size_t colour = 0;
      while (has(a, colour) || has(b, colour)) ++colour;
      for (const node_id k : {a, b}) {
        if (used[k].size() <= colour) used[k].resize(colour + 1);
        used[k][colour] = true;
      }
      if (colours.size() <= colour) colours.resize(colour + 1);
      colours[colour].emplace_back(a, b);
    });
  }
  return colours;
}

/// Calls visit(a, b) for each pair of one round of the circuit, and visit has no node twice. On
/// cubes the rounds are the dimensions.
class circuit {
 public:
  explicit circuit(const topology& graph) : graph_(graph) {
    if (!graph.is_cube()) colours_ = coloured_links(graph);
  }

  template <typename Visit>
  void each(std::uint64_t round, Visit&& visit) const {
    if (!graph_.is_cube()) {
      for (const auto& [a, b] : colours_[round % colours_.size()]) visit(a, b);
      return;
    }
    const node_id bit = node_id{1} << round % graph_.dimensions();
    for (node_id a = 0; a < graph_.nodes(); ++a) {
      if ((a & bit) == 0 && (a | bit) < graph_.nodes()) visit(a, a | bit);
    }
  }

 private:
  const topology& graph_;
  std::vector<std::vector<link>> colours_;
};

/// Calls visit(a, b) for each pair of a random matching, by ascending b. Each node tosses a coin:
/// it offers itself to a random neighbour, or accepts one of the offers that it gets, the one with
/// the least random number. So every link is in the matching with a probability of at least a
/// constant by the degree of its nodes, and a node needs to know nothing but its neighbours.
template <typename Visit>
void match_randomly(const topology& graph, const round_draw& draw, std::vector<node_id>& suitors,
                    Visit&& visit) {
  const node_id nodes = graph.nodes();
  const auto offers = [&](node_id k) { return (draw(k) & 1) != 0; };
  suitors.assign(nodes, nobody);
  for (node_id k = 0; k < nodes; ++k) {
    const std::uint64_t drawn = draw(k);
    if ((drawn & 1) == 0) continue;
    const auto way = static_cast<node_id>((drawn >> 1) % graph.degree(k));
    const node_id chosen = graph.kind() == topology_kind::hypercube ? k ^ (node_id{1} << way)
                                                                    : graph.neighbour(k, way);
    if (offers(chosen)) continue;
    node_id& best = suitors[chosen];
    if (best == nobody || drawn < draw(best)) best = k;
  }
  for (node_id k = 0; k < nodes; ++k) {
    if (suitors[k] != nobody) visit(suitors[k], k);
  }
}

/// Dimension exchange along matchings: in each round every node has at most one partner, and the
/// two halve their sum (Berenbrink et al. 2025; random matchings after Ghosh and Muthukrishnan).
class matching_balancer final : public balancer {
 public:
  matching_balancer(bool draws_pairs, matching_odd odd, std::uint64_t rounds, load_type target)
      : draws_pairs_(draws_pairs), odd_(odd), rounds_(rounds), target_(target) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "matching"; }

  void make_plan(const balance_request& request, plan& out) const override {
    check_request(request, name());
    refuse_capacities(request, name());
    const working_memory<matching_memory> memory;
    std::vector<load_type>& loads = memory->loads;
    loads.assign(request.loads.begin(), request.loads.end());
    phase_writer phases(out);
    if (max_difference(loads) <= target_) return;
    memory->errors.clear();
    const topology& graph = request.graph;
    const auto in_rounds = [&](auto&& each_pair) {
      for (std::uint64_t r = 0; r < rounds_ && max_difference(loads) > target_; ++r) {
        const round_draw draw(request.seed, r);
        phase& moves = phases.next();
        each_pair(r, draw, [&](node_id a, node_id b) { halve(a, b, draw, *memory, moves); });
      }
    };
    if (draws_pairs_) {
      in_rounds([&](std::uint64_t, const round_draw& draw, auto&& pair) {
        match_randomly(graph, draw, memory->suitors, pair);
      });
    } else {
      const circuit turns(graph);
      in_rounds([&](std::uint64_t r, const round_draw&, auto&& pair) { turns.each(r, pair); });
    }
    phases.drop_empty_end();
  }

 private:
  /// The node of a pair with an odd sum that gets the odd unit.
  node_id odd_to(node_id a, node_id b, const round_draw& draw, matching_memory& memory) const {
    if (odd_ == matching_odd::random) {
      // Drawn once more, because the bits of `draw` have chosen the pair.
      return (splitmix(draw(a) ^ b)() & 1) != 0 ? a : b;
    }
    const node_id larger = memory.loads[a] > memory.loads[b] ? a : b;
    return odd_ == matching_odd::carried ? memory.errors.next(a, b, larger) : larger;
  }

  void halve(node_id a, node_id b, const round_draw& draw, matching_memory& memory,
             phase& moves) const {
    std::vector<load_type>& loads = memory.loads;
    const load_type sum = loads[a] + loads[b];
    const bool odd = sum % 2 != 0;
    const load_type kept = sum / 2 + (odd && odd_to(a, b, draw, memory) == a ? 1 : 0);
    const load_type flow = loads[a] - kept;
    loads[a] = kept;
    loads[b] = sum - kept;
    if (flow > 0) moves.push_back({a, b, flow});
    if (flow < 0) moves.push_back({b, a, -flow});
  }

  bool draws_pairs_;
  matching_odd odd_;
  std::uint64_t rounds_;
  load_type target_;
};

}  // namespace

namespace builtin {

balancer_descriptor describe_matching() {
  balancer_descriptor d;
  d.name = std::string("matching");
  d.summary = std::string("in each round, every node levels its load with at most one partner");
  d.source = std::string("Berenbrink et al. 2025, arXiv 2510.15473; Cybenko 1989, Section 4");
  d.information = std::string("the partner's load, one round at a time");
  d.options = {
      {"pairs",
       "which pairs level their loads: random pairs of neighbours, or the links in turn (on cubes, "
       "the dimensions)",
       "random",
       {"random", "circuit"}},
      {"odd",
       "which node of a pair gets the odd unit: a random node, the more loaded node, or both nodes "
       "of each link in turn",
       "random",
       {"random", "larger", "carried"}},
      {"rounds", "maximum number of rounds", "1024", {}, "whole numbers from 1 to 1000000"},
      {"target", "stop at this difference", "3", {}, "whole numbers >= 0"}};
  d.guarantees.difference_text = std::string("none; 3 with high probability, after enough rounds");
  d.guarantees.plan_cost = std::string("rounds x N x degree");
  d.make = [](const balancer_options& options) -> std::unique_ptr<balancer> {
    const std::string& odd = options.at("odd");
    return std::make_unique<matching_balancer>(
        options.at("pairs") == "random",
        odd == "random"    ? matching_odd::random
        : odd == "carried" ? matching_odd::carried
                           : matching_odd::larger,
        static_cast<std::uint64_t>(integer_option(options, "rounds", 1, 1000000)),
        integer_option(options, "target", 0, std::numeric_limits<load_type>::max()));
  };
  return d;
}

}  // namespace builtin

}  // namespace evencube
