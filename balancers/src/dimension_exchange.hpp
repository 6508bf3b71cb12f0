#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <evencube/balancers/balancer.hpp>
#include <evencube/balancers/exchange.hpp>
#include <evencube/balancers/registry.hpp>

#include "folded_cube.hpp"
#include "splitmix.hpp"

namespace evencube {

/// The order in which the dimensions of a cube take turns: `ascending`, `descending`, or a list of
/// all dimensions such as `2,0,1`.
class exchange_order {
 public:
  exchange_order() = default;
  /// Throws std::invalid_argument for a text that is none of these.
  static exchange_order parse(const std::string& text);
  /// Writes the first `used` dimensions of a cube of `all`, in order, to `out`. Throws
  /// std::invalid_argument if a list does not name each of 0 .. all-1 once.
  void resolve(unsigned all, unsigned used, std::vector<unsigned>& out) const;

 private:
  bool descending_ = false;
  std::vector<unsigned> list_;
};

/// The coins by which odd units are given to either of two partners: a function of the seed, the
/// phase and the lower id, so that plans stay pure.
class odd_coins {
 public:
  explicit odd_coins(std::uint64_t seed) noexcept : seed_(splitmix(seed)()) {}
  /// Returns true if the unit is for the lower id.
  [[nodiscard]] bool operator()(std::uint64_t sweep_phase, node_id lower) const noexcept {
    return (splitmix(splitmix(seed_ + sweep_phase)() ^ lower)() & 1) != 0;
  }

 private:
  std::uint64_t seed_;
};

/// Sweeps the dimensions of `folded`, whose weights are filled in, in the given order. Each pair
/// shares its sum in proportion to the capacity that each side can still reach. In the end,
/// folded.loads are the loads after the sweep, and the phases of `inner` from `first` on have the
/// transfers. If there are coins, they decide instead of the rule where a share is half way between
/// two whole ones.
void weighted_sweep(pair_rule rule, folded_cube& folded, const std::vector<unsigned>& order,
                    plan& inner, std::size_t first, const odd_coins* coins = nullptr);

/// The part of the loads that is already in proportion to the capacities, and stays in place:
/// base_k = floor(c_k * min over j of load_j / c_j). A sweep shares only what lies above it, so
/// balanced loads give an empty plan (docs/incomplete-cubes.md). Returns the sum of what rounding
/// down has cut off: 0 if and only if it has cut off nothing.
double proportional_part(const balance_request& request, std::span<const wide> capacities,
                         std::vector<load_type>& base);

/// The largest distance, over all nodes, by which a weighted sweep above the proportional part can
/// leave a node off its exact share: half the sum over phases of (nodes of its class) * c_k /
/// (capacity of its class), plus one half for a folded pair, plus the rounding of the proportional
/// part (docs/incomplete-cubes.md).
[[nodiscard]] double sweep_deviation(const balance_request& request,
                                     const std::vector<unsigned>& order);

/// DEM or OEM on any cube. If `draws_odd`, DEM gives odd units to either partner at random.
class dimension_exchange final : public balancer {
 public:
  dimension_exchange(pair_rule rule, exchange_order order, bool draws_odd = false)
      : rule_(rule), order_(std::move(order)), draws_odd_(draws_odd) {}
  [[nodiscard]] std::string_view name() const noexcept override {
    return rule_ == pair_rule::oem ? "oem" : "dem";
  }
  void make_plan(const balance_request& request, plan& out) const override;

 private:
  void plan_full(const balance_request& request, plan& out) const;
  void plan_folded(const balance_request& request, plan& out) const;

  pair_rule rule_;
  exchange_order order_;
  bool draws_odd_;
};

/// Appends the transfers of one exchanged dimension of a full cube.
void append_flows(std::span<const load_type> flows, unsigned dimension, phase& moves);

}  // namespace evencube
