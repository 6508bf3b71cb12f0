#include <evencube/balancers/locality.hpp>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <evencube/balancers/plan_tools.hpp>

#include "exact.hpp"

namespace evencube {
namespace {

/// Appends a Hamiltonian path of the incomplete cube of `nodes` nodes, with `base` added to all
/// ids. First comes the rest beyond the largest full cube. Then the path goes over the link of the
/// top dimension into that cube, and through it by a Gray code that begins where the link arrives.
void cube_line(node_id nodes, node_id base, std::vector<node_id>& line) {
  const node_id full = std::bit_floor(nodes);
  node_id entry = 0;
  if (nodes > full) {
    cube_line(nodes - full, base + full, line);
    entry = line.back() - base - full;
  }
  for (node_id i = 0; i < full; ++i) line.push_back(base + ((i ^ (i >> 1)) ^ entry));
}

/// A Hamiltonian path of the Fibonacci cube of the given order. Gamma_n is Gamma_(n-1) next to a
/// copy of Gamma_(n-2) with the top bit: path(n) = path(n-1) reversed, then path(n-2) reversed,
/// moved up. By induction, path(n) begins where path(n-1) ends, and ends in f_(n-1) + first of
/// path(n-2).
std::vector<node_id> fibonacci_line(unsigned order) {
  std::vector<node_id> before{0};   // order 1
  std::vector<node_id> current{0};  // order 2
  for (unsigned n = 3; n <= order; ++n) {
    std::vector<node_id> next(current.rbegin(), current.rend());
    const auto up = static_cast<node_id>(fibonacci_number(n - 1));
    for (auto at = before.rbegin(); at != before.rend(); ++at) next.push_back(*at + up);
    before = std::move(current);
    current = std::move(next);
  }
  return current;
}

}  // namespace

bool has_locality_line(const topology& graph) {
  switch (graph.kind()) {
    case topology_kind::star:
      return graph.nodes() <= 3;
    case topology_kind::fibonacci_composite:
    case topology_kind::edges:
      return false;
    default:
      return true;
  }
}

std::vector<node_id> locality_line(const topology& graph) {
  if (!has_locality_line(graph)) {
    throw std::invalid_argument("locality: no line through all nodes of " + graph.to_string() +
                                " is known");
  }
  std::vector<node_id> line;
  line.reserve(graph.nodes());
  if (graph.is_cube()) {
    cube_line(graph.nodes(), 0, line);
    return line;
  }
  if (graph.kind() == topology_kind::fibonacci) {
    unsigned order = 1;
    while (fibonacci_number(order) != graph.nodes()) ++order;
    return fibonacci_line(order);
  }
  if (graph.kind() == topology_kind::star && graph.nodes() == 3) return {1, 0, 2};
  const node_id columns = graph.columns() > 0 ? graph.columns() : graph.nodes();
  for (node_id k = 0; k < graph.nodes(); ++k) {
    const node_id row = k / columns;
    const node_id column = k % columns;
    line.push_back(row * columns + (row % 2 == 0 ? column : columns - 1 - column));
  }
  return line;
}

std::vector<load_type> block_starts(load_type total, std::size_t positions,
                                    std::span<const double> capacities) {
  std::vector<load_type> starts(positions + 1, 0);
  const auto n = static_cast<load_type>(positions);
  if (equal_capacities(capacities)) {
    for (load_type i = 0; i <= n; ++i) {
      starts[static_cast<std::size_t>(i)] = i * (total / n) + std::min(i, total % n);
    }
    return starts;
  }
  std::vector<wide> whole;
  proportions(capacities, most_capacity, whole);
  wide sum = 0;
  for (const wide c : whole) sum += c;
  wide part = 0;
  for (std::size_t i = 0; i < positions; ++i) {
    starts[i] = quotient_of(static_cast<wide>(total), part, sum, 1, rounding::floor);
    part += whole[i];
  }
  starts[positions] = total;
  return starts;
}

std::vector<item_packet> shift_packets(std::span<const load_type> loads,
                                       std::span<const double> capacities) {
  std::vector<item_packet> packets;
  const load_type total = total_load(loads);
  if (total == 0) return packets;
  const auto starts = block_starts(total, loads.size(), capacities);
  load_type prefix = 0;
  std::size_t to = 0;
  for (std::size_t k = 0; k < loads.size(); ++k) {
    const load_type end = prefix + loads[k];
    for (load_type at = prefix; at < end;) {
      while (starts[to + 1] <= at) ++to;
      const load_type stop = std::min(end, starts[to + 1]);
      if (to != k) packets.push_back({k, to, at, at - prefix, stop - at});
      at = stop;
    }
    prefix = end;
  }
  return packets;
}

shift_distance max_shift(std::span<const load_type> loads, std::span<const double> capacities) {
  shift_distance found;
  for (const auto& p : shift_packets(loads, capacities)) {
    if (p.to > p.from) found.right = std::max(found.right, p.to - p.from);
    if (p.to < p.from) found.left = std::max(found.left, p.from - p.to);
  }
  return found;
}

namespace {

void price(movement& made, const std::vector<item_packet>& step, load_type largest) {
  made.cost.startups += 1;
  made.cost.items = saturating_add(made.cost.items, largest);
  made.cost.transfers += static_cast<load_type>(step.size());
}

/// One side of approach 1: everything that is not at home moves one position in each step, all
/// packets of a processor as one message.
void concatenated_side(std::vector<item_packet> travelling, bool right, movement& made) {
  std::vector<load_type> message;
  while (!travelling.empty()) {
    std::vector<item_packet> step;
    message.clear();
    for (auto& p : travelling) {
      const std::size_t next = right ? p.from + 1 : p.from - 1;
      step.push_back({p.from, next, p.first, p.local, p.count});
      message.resize(std::max(message.size(), p.from + 1));
      message[p.from] = saturating_add(message[p.from], p.count);
      p.from = next;
    }
    price(made, step, *std::max_element(message.begin(), message.end()));
    made.steps.push_back(std::move(step));
    std::erase_if(travelling, [](const item_packet& p) { return p.from == p.to; });
  }
}

/// One side of approach 3: packets of one distance at a time, one hop at a time.
void by_distance_side(const std::vector<item_packet>& packets, bool right, std::size_t farthest,
                      movement& made) {
  for (std::size_t distance = farthest; distance >= 1; --distance) {
    std::vector<item_packet> moving;
    load_type largest = 0;
    for (const auto& p : packets) {
      if ((right ? p.to - p.from : p.from - p.to) != distance) continue;
      moving.push_back(p);
      largest = std::max(largest, p.count);
    }
    if (moving.empty()) continue;
    for (std::size_t hop = 0; hop < distance; ++hop) {
      std::vector<item_packet> step;
      for (auto& p : moving) {
        const std::size_t next = right ? p.from + 1 : p.from - 1;
        step.push_back({p.from, next, p.first, p.local, p.count});
        p.from = next;
      }
      price(made, step, largest);
      made.steps.push_back(std::move(step));
    }
  }
}

/// Approach 2: a vector sum tells how many packets come, in log2 n steps of n counts. Then every
/// processor sends its packets one after the other. The cost of the sends is that of the processor
/// that sends or receives most.
void counted_sends(const std::vector<item_packet>& packets, std::size_t positions, movement& made) {
  if (packets.empty()) return;
  const auto rounds = static_cast<load_type>(std::bit_width(positions - 1));
  made.cost.startups = rounds;
  made.cost.items = rounds * static_cast<load_type>(positions);
  std::vector<load_type> messages(positions * 2, 0);
  std::vector<load_type> items(positions * 2, 0);
  for (const auto& p : packets) {
    for (const std::size_t end : {p.from, positions + p.to}) {
      ++messages[end];
      items[end] = saturating_add(items[end], p.count);
    }
  }
  made.cost.startups += *std::max_element(messages.begin(), messages.end());
  made.cost.items = saturating_add(made.cost.items, *std::max_element(items.begin(), items.end()));
  made.cost.transfers = static_cast<load_type>(packets.size());
  made.steps.push_back(packets);
}

}  // namespace

movement move_packets(movement_approach how, std::span<const load_type> loads,
                      std::span<const double> capacities) {
  movement made;
  const auto packets = shift_packets(loads, capacities);
  if (how == movement_approach::counted) {
    counted_sends(packets, loads.size(), made);
    return made;
  }
  const auto farthest = max_shift(loads, capacities);
  for (const bool right : {false, true}) {
    std::vector<item_packet> side;
    std::copy_if(packets.begin(), packets.end(), std::back_inserter(side),
                 [&](const item_packet& p) { return (p.to > p.from) == right; });
    if (how == movement_approach::concatenated) {
      concatenated_side(std::move(side), right, made);
    } else {
      by_distance_side(side, right, right ? farthest.right : farthest.left, made);
    }
  }
  return made;
}

}  // namespace evencube
