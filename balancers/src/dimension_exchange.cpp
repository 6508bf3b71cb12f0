#include "dimension_exchange.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <evencube/balancers/plan_tools.hpp>

#include "working_memory.hpp"

namespace evencube {
namespace {

struct class_memory {
  std::vector<node_id> rank;
  std::vector<wide> sums;
};

struct full_memory {
  std::vector<load_type> loads;
  std::vector<load_type> flows;
  std::vector<unsigned> order;
};

struct folded_memory {
  folded_cube folded;
  std::vector<unsigned> order;
  std::vector<load_type> targets;
  std::vector<load_type> base;
  std::vector<load_type> above;
  std::vector<wide> capacities;
  plan inner;
};

/// The class of each node in each phase: its bits of the dimensions done so far, in the order of
/// their turns. The rank is the identity for ascending order.
void rank_nodes(const std::vector<unsigned>& order, node_id nodes, std::vector<node_id>& rank) {
  rank.resize(nodes);
  for (node_id k = 0; k < nodes; ++k) {
    node_id r = 0;
    for (unsigned p = 0; p < order.size(); ++p) r |= (k >> order[p] & 1U) << p;
    rank[k] = r;
  }
}

/// class_capacity[2^p .. 2^(p+1)) is what the classes of the first p dimensions can take.
void sum_classes(const std::vector<wide>& weights, const std::vector<node_id>& rank,
                 std::size_t phases, std::vector<wide>& sums) {
  const std::size_t nodes = std::size_t{1} << phases;
  sums.assign(2 * nodes, 0);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    sums[nodes + (rank[k] & (nodes - 1))] += weights[k];
  }
  for (std::size_t half = nodes / 2; half >= 1; half /= 2) {
    for (std::size_t c = 0; c < half; ++c) sums[half + c] = sums[2 * half + c] + sums[3 * half + c];
  }
}

/// One phase of a full cube in which coins decide about odd units.
void exchange_by_coins(const odd_coins& coins, std::uint64_t phase, std::span<load_type> loads,
                       unsigned dimension, std::span<load_type> flows) {
  const node_id bit = node_id{1} << dimension;
  for (node_id p = 0; p < flows.size(); ++p) {
    const node_id lower = pair_lower(p, dimension);
    load_type& first = loads[lower];
    load_type& second = loads[lower | bit];
    const load_type sum = first + second;
    const load_type kept = sum / 2 + (coins(phase, lower) ? sum % 2 : 0);
    flows[p] = first - kept;
    first = kept;
    second = sum - kept;
  }
}

}  // namespace

exchange_order exchange_order::parse(const std::string& text) {
  exchange_order order;
  if (text == "ascending") return order;
  if (text == "descending") {
    order.descending_ = true;
    return order;
  }
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    unsigned dimension = 0;
    const auto [stop, error] = std::from_chars(at, end, dimension);
    const bool ends = stop == end;
    if (error != std::errc() || (!ends && (*stop != ',' || stop + 1 == end))) {
      throw std::invalid_argument("option order is \"" + text +
                                  "\", allowed are ascending, descending or a list of all "
                                  "dimensions such as 2,0,1");
    }
    order.list_.push_back(dimension);
    if (ends) return order;
    at = stop + 1;
  }
}

void exchange_order::resolve(unsigned all, unsigned used, std::vector<unsigned>& out) const {
  out.clear();
  if (list_.empty()) {
    for (unsigned i = 0; i < used; ++i) out.push_back(descending_ ? used - 1 - i : i);
    return;
  }
  // The list has the right length and all entries are <= 24, so a repeated or missing dimension
  // leaves a gap below `all`.
  std::uint32_t seen = 0;
  for (const unsigned dimension : list_) {
    if (dimension >= all || (seen >> dimension & 1U) != 0) {
      throw std::invalid_argument("option order names dimension " + std::to_string(dimension) +
                                  (dimension >= all ? ", the cube has only " : " twice, it has ") +
                                  std::to_string(all));
    }
    seen |= std::uint32_t{1} << dimension;
    if (dimension < used) out.push_back(dimension);
  }
  if (list_.size() != all) {
    throw std::invalid_argument("option order names " + std::to_string(list_.size()) +
                                " dimensions, the cube has " + std::to_string(all));
  }
}

void append_flows(std::span<const load_type> flows, unsigned dimension, phase& moves) {
  const node_id bit = node_id{1} << dimension;
  // Counted first, because growing step by step would copy a large phase again and again.
  const auto idle = std::count(flows.begin(), flows.end(), load_type{0});
  moves.reserve(moves.size() + flows.size() - static_cast<std::size_t>(idle));
  for (node_id p = 0; p < flows.size(); ++p) {
    const load_type flow = flows[p];
    if (flow == 0) continue;
    const node_id lower = pair_lower(p, dimension);
    if (flow > 0) {
      moves.push_back({lower, lower | bit, flow});
    } else {
      moves.push_back({lower | bit, lower, -flow});
    }
  }
}

void weighted_sweep(pair_rule rule, folded_cube& folded, const std::vector<unsigned>& order,
                    plan& inner, std::size_t first, const odd_coins* coins) {
  const working_memory<class_memory> memory;
  auto& [rank, sums] = *memory;
  rank_nodes(order, folded.low, rank);
  sum_classes(folded.weights, rank, order.size(), sums);
  for (std::size_t p = 0; p < order.size(); ++p) {
    const node_id half = node_id{1} << p;
    for (node_id pair = 0; pair < folded.low / 2; ++pair) {
      const node_id a = pair_lower(pair, order[p]);
      const node_id b = a | node_id{1} << order[p];
      const node_id c = rank[a] & (half - 1);
      const wide wa = sums[2 * half + c];
      const wide wb = sums[3 * half + c];
      load_type& la = folded.loads[a];
      load_type& lb = folded.loads[b];
      // A class without capacity holds nothing, because its share was exactly 0 in an earlier
      // phase.
      if (wa + wb == 0) continue;
      const load_type kept = coins != nullptr
                                 ? weighted_share(pair_rule::dem, la + lb, wa, wb, (*coins)(p, a))
                                 : weighted_pair_share(rule, la, lb, wa, wb);
      const load_type flow = la - kept;
      la = kept;
      lb += flow;
      if (flow > 0) inner.phases[first + p].push_back({a, b, flow});
      if (flow < 0) inner.phases[first + p].push_back({b, a, -flow});
    }
  }
}

double proportional_part(const balance_request& request, std::span<const wide> capacities,
                         std::vector<load_type>& base) {
  const auto loads = request.loads;
  if (equal_capacities(request.capacities)) {
    base.assign(loads.size(), *std::min_element(loads.begin(), loads.end()));
    return 0.0;
  }
  std::size_t least = 0;  // the node with the smallest load / capacity
  for (std::size_t k = 0; k < loads.size(); ++k) {
    if (capacities[k] == 0) continue;
    if (capacities[least] == 0 ||
        compare_products(static_cast<wide>(loads[k]), capacities[least],
                         static_cast<wide>(loads[least]), capacities[k]) < 0) {
      least = k;
    }
  }
  const auto level = static_cast<wide>(loads[least]);
  double cut_off = 0.0;
  base.resize(loads.size());
  for (std::size_t k = 0; k < loads.size(); ++k) {
    base[k] = quotient_of(level, capacities[k], capacities[least], 1, rounding::floor);
    if (compare_products(level, capacities[k], static_cast<wide>(base[k]), capacities[least]) ==
        0) {
      continue;
    }
    const double exact =
        static_cast<double>(loads[least]) * request.capacities[k] / request.capacities[least];
    // Beyond 2^53, doubles have no fractions.
    cut_off += std::clamp(exact - static_cast<double>(base[k]), 0x1p-53, 1.0);
  }
  return cut_off;
}

double sweep_deviation(const balance_request& request, const std::vector<unsigned>& order) {
  std::vector<wide> capacities;
  std::vector<load_type> base;
  whole_capacities(request, capacities);
  const double cut_off = proportional_part(request, capacities, base);
  folded_cube folded;
  fold(request, request.loads, folded);
  fold_capacities(capacities, folded);
  std::vector<node_id> rank;
  std::vector<wide> sums;
  rank_nodes(order, folded.low, rank);
  sum_classes(folded.weights, rank, order.size(), sums);
  wide all_capacity = 0;
  for (const wide capacity : capacities) all_capacity += capacity;
  const auto part = [](wide capacity, wide of) {
    return static_cast<double>(capacity) / static_cast<double>(of);
  };
  double largest = 0.0;
  for (node_id k = 0; k < request.graph.nodes(); ++k) {
    if (capacities[k] == 0) continue;
    const node_id home = k & (folded.low - 1);
    double deviation = home < folded.extra ? 0.5 : 0.0;
    if (cut_off > 0.0) deviation += std::max(1.0, cut_off * part(capacities[k], all_capacity));
    for (std::size_t p = 0; p < order.size(); ++p) {
      const std::size_t classes = std::size_t{2} << p;
      const std::size_t class_size = folded.low / classes;
      const auto members = static_cast<double>(class_size);
      deviation +=
          0.5 * members * part(capacities[k], sums[classes + (rank[home] & (classes - 1))]);
    }
    largest = std::max(largest, deviation);
  }
  return largest;
}

void dimension_exchange::plan_full(const balance_request& request, plan& out) const {
  const working_memory<full_memory> memory;
  auto& [loads, flows, order] = *memory;
  const unsigned dimensions = request.graph.dimensions();
  order_.resolve(dimensions, dimensions, order);
  reset_plan(out, dimensions);
  loads.assign(request.loads.begin(), request.loads.end());
  flows.resize(loads.size() / 2);
  const odd_coins coins(request.seed);
  for (std::size_t p = 0; p < dimensions; ++p) {
    if (draws_odd_) {
      exchange_by_coins(coins, p, loads, order[p], flows);
    } else {
      exchange_dimension(rule_, loads, order[p], flows);
    }
    append_flows(flows, order[p], out.phases[p]);
  }
}

void dimension_exchange::plan_folded(const balance_request& request, plan& out) const {
  const working_memory<folded_memory> memory;
  auto& [folded, order, targets, base, above, capacities, inner] = *memory;
  whole_capacities(request, capacities);
  static_cast<void>(proportional_part(request, capacities, base));
  above.resize(base.size());
  for (std::size_t k = 0; k < base.size(); ++k) above[k] = request.loads[k] - base[k];
  fold(request, above, folded);
  fold_capacities(capacities, folded);
  order_.resolve(request.graph.dimensions(), folded.dimensions, order);
  reset_plan(inner, order.size());
  const odd_coins coins(request.seed);
  weighted_sweep(rule_, folded, order, inner, 0, draws_odd_ ? &coins : nullptr);
  targets.assign(request.graph.nodes(), 0);
  for (node_id k = 0; k < folded.low; ++k) {
    targets[k] = folded.loads[k];
    if (k >= folded.extra) continue;
    const node_id partner = folded.partner(k);
    const wide wa = capacities[k];
    const wide wb = capacities[partner];
    if (wa + wb == 0) continue;
    const load_type sum = folded.loads[k];
    // The folded pairs are a phase of their own.
    const bool to_first =
        draws_odd_ ? coins(order.size(), k) : request.loads[k] > request.loads[partner];
    targets[k] = weighted_share(rule_, sum, wa, wb, to_first);
    targets[partner] = sum - targets[k];
  }
  for (std::size_t k = 0; k < base.size(); ++k) targets[k] += base[k];
  // Rounding can cost up to the bound, which may exceed the difference that there was.
  if (equal_capacities(request.capacities) &&
      max_difference(targets) > max_difference(request.loads)) {
    reset_plan(out, 0);
    return;
  }
  unfold(request, folded, inner, targets, out);
}

void dimension_exchange::make_plan(const balance_request& request, plan& out) const {
  check_request(request, name());
  require_cube(request.graph, name());
  const node_id nodes = request.graph.nodes();
  if ((nodes & (nodes - 1)) == 0 && equal_capacities(request.capacities)) {
    plan_full(request, out);
  } else {
    plan_folded(request, out);
  }
}

}  // namespace evencube
