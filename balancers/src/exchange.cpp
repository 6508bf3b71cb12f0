#include <evencube/balancers/exchange.hpp>

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace evencube {
namespace {

/// 32 KiB of loads. A tile runs through its low dimensions while it is in the first-level cache.
constexpr unsigned tile_dimensions = 12;

/// Exchanges pairs that are `Stride` apart, for strides too short to fill a vector. The stride is
/// fixed so that the loop is unrolled.
template <pair_rule Rule, std::size_t Stride>
void exchange_short(load_type* __restrict loads, load_type* __restrict flows, std::size_t pairs) {
  for (std::size_t p = 0; p < pairs; p += Stride) {
    load_type* block = loads + 2 * p;
    for (std::size_t i = 0; i < Stride; ++i) {
      const load_type lower = block[i];
      const load_type higher = block[i + Stride];
      const load_type kept = pair_share(Rule, lower, higher);
      const load_type flow = lower - kept;
      block[i] = kept;
      block[i + Stride] = higher + flow;
      flows[p + i] = flow;
    }
  }
}

template <pair_rule Rule>
void exchange_run(load_type* __restrict lower, load_type* __restrict higher,
                  load_type* __restrict flows, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const load_type kept = pair_share(Rule, lower[i], higher[i]);
    const load_type flow = lower[i] - kept;
    lower[i] = kept;
    higher[i] += flow;
    flows[i] = flow;
  }
}

template <pair_rule Rule>
void exchange(load_type* loads, load_type* flows, std::size_t nodes, unsigned dimension) {
  switch (dimension) {
    case 0:
      return exchange_short<Rule, 1>(loads, flows, nodes / 2);
    case 1:
      return exchange_short<Rule, 2>(loads, flows, nodes / 2);
    case 2:
      return exchange_short<Rule, 4>(loads, flows, nodes / 2);
    default:
      break;
  }
  const std::size_t stride = std::size_t{1} << dimension;
  for (std::size_t base = 0; base < nodes; base += 2 * stride) {
    exchange_run<Rule>(loads + base, loads + base + stride, flows + base / 2, stride);
  }
}

unsigned checked_dimensions(std::size_t nodes) {
  if (!std::has_single_bit(nodes)) {
    throw std::invalid_argument("the number of loads is " + std::to_string(nodes) +
                                ", allowed are powers of two");
  }
  return static_cast<unsigned>(std::bit_width(nodes)) - 1;
}

template <pair_rule Rule>
void sweep(std::span<load_type> loads, std::span<load_type> flows) {
  const std::size_t nodes = loads.size();
  const unsigned dimensions = checked_dimensions(nodes);
  if (flows.size() != dimensions * (nodes / 2)) {
    throw std::invalid_argument("there is room for " + std::to_string(flows.size()) +
                                " flows, needed are " + std::to_string(dimensions * (nodes / 2)));
  }
  const unsigned low = dimensions < tile_dimensions ? dimensions : tile_dimensions;
  const std::size_t tile = std::size_t{1} << low;
  for (std::size_t base = 0; base < nodes; base += tile) {
    for (unsigned i = 0; i < low; ++i) {
      exchange<Rule>(loads.data() + base, flows.data() + i * (nodes / 2) + base / 2, tile, i);
    }
  }
  for (unsigned i = low; i < dimensions; ++i) {
    exchange<Rule>(loads.data(), flows.data() + i * (nodes / 2), nodes, i);
  }
}

}  // namespace

void exchange_dimension(pair_rule rule, std::span<load_type> loads, unsigned dimension,
                        std::span<load_type> flows) {
  const unsigned dimensions = checked_dimensions(loads.size());
  if (dimension >= dimensions || flows.size() != loads.size() / 2) {
    throw std::invalid_argument("dimension " + std::to_string(dimension) + " with room for " +
                                std::to_string(flows.size()) + " flows does not fit " +
                                std::to_string(loads.size()) + " loads");
  }
  switch (rule) {
    case pair_rule::dem:
      return exchange<pair_rule::dem>(loads.data(), flows.data(), loads.size(), dimension);
    case pair_rule::dem_lower:
      return exchange<pair_rule::dem_lower>(loads.data(), flows.data(), loads.size(), dimension);
    case pair_rule::oem:
      return exchange<pair_rule::oem>(loads.data(), flows.data(), loads.size(), dimension);
  }
}

void dem_flows(std::span<load_type> loads, std::span<load_type> flows) {
  sweep<pair_rule::dem>(loads, flows);
}

void oem_flows(std::span<load_type> loads, std::span<load_type> flows) {
  sweep<pair_rule::oem>(loads, flows);
}

}  // namespace evencube
