#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Everything a balancer may know. A plan is a pure function of this: same request, same plan, bit
/// for bit.
struct balance_request {
  /// The network; the number of nodes N is `graph.nodes()`.
  const topology& graph;

  /// N loads, each >= 0, with a sum that fits load_type.
  std::span<const load_type> loads;

  /// Empty (all nodes alike) or N relative speeds, each finite and >= 0, at least one > 0. Zero
  /// means: takes no work. Shares in proportion to them are exact: a speed is the simplest fraction
  /// that rounds to it (0.1 is a tenth), or its shortest decimal where the speeds have no small
  /// common denominator. Digits more than 30 places below the first of the largest speed do not
  /// count, but no speed above 0 becomes 0.
  std::span<const double> capacities = {};

  /// Feeds the balancers that draw random numbers; the others ignore it.
  std::uint64_t seed = 0;

  /// The node whose threshold was crossed, for the event-driven strategies. Without it they plan
  /// the activations of all nodes in ascending order, each seeing the loads the earlier ones left.
  std::optional<node_id> initiator = std::nullopt;

  /// Empty or N mean service times, each > 0 or infinite (no departures seen), for `prediction`;
  /// read as the capacities are.
  std::span<const double> service_times = {};
};

/// A strategy of load balancing. Immutable once made: one object may be used by many threads.
class EVENCUBE_EXPORT balancer {
 public:
  balancer() = default;
  balancer(const balancer&) = delete;
  balancer& operator=(const balancer&) = delete;
  virtual ~balancer() = default;

  /// The name under which the registry knows it.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Replaces `out` by the plan for `request`. Reuses the memory of `out`, so that a caller who
  /// keeps the plan object allocates nothing once it has grown.
  /// Throws std::invalid_argument naming the value where the request is not one described above or
  /// not one this strategy can serve (a topology or capacities it has no rule for).
  virtual void make_plan(const balance_request& request, plan& out) const = 0;
};

}  // namespace evencube
