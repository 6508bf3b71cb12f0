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

/// All the information that a balancer may use. A plan is a pure function of the request: the same
/// request gives the same plan, bit for bit.
struct balance_request {
  /// The network. The number of nodes N is `graph.nodes()`.
  const topology& graph;

  /// The N loads, each >= 0, with a sum that fits in load_type.
  std::span<const load_type> loads;

  /// The N relative speeds of the nodes: each finite and >= 0, and at least one > 0. Empty if all
  /// nodes are equal. A node with speed 0 gets no work. Shares in proportion to the speeds are
  /// exact: a speed is read as the simplest fraction that rounds to it (0.1 is a tenth), or as its
  /// shortest decimal if the speeds have no small common denominator. Digits more than 30 places
  /// below the largest speed's first digit are ignored, but no speed above 0 becomes 0.
  std::span<const double> capacities = {};

  /// The seed for balancers that draw random numbers; other balancers ignore it.
  std::uint64_t seed = 0;

  /// The node whose threshold was crossed, for event-driven strategies. If the initiator is empty,
  /// these strategies plan the activation of every node in ascending order; each node sees the
  /// loads after the earlier activations.
  std::optional<node_id> initiator = std::nullopt;

  /// The N mean service times of the nodes, for the balancer `prediction`: each > 0, or infinite if
  /// no task has left the node. May be empty. The values are converted to fractions as in
  /// `capacities`.
  std::span<const double> service_times = {};
};

/// The loads at which a node calls an event-driven strategy. A mark is empty if the strategy has no
/// such mark, or if the mark depends on the other loads.
struct load_marks {
  /// A node calls the strategy when its load rises above this mark.
  std::optional<load_type> high = std::nullopt;
  /// A node calls the strategy when its load falls below this mark.
  std::optional<load_type> low = std::nullopt;

  friend bool operator==(const load_marks&, const load_marks&) = default;
};

/// A load-balancing strategy. A balancer is immutable once made, and any number of threads may use
/// one object simultaneously.
class EVENCUBE_EXPORT balancer {
 public:
  balancer() = default;
  balancer(const balancer&) = delete;
  balancer& operator=(const balancer&) = delete;
  virtual ~balancer() = default;

  /// Returns the balancer's name in the registry.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Replaces `out` with the plan for `request`. Reuses the memory of `out`, so a caller that keeps
  /// the plan object allocates nothing once the object has grown.
  /// Throws std::invalid_argument, whose message names the value, if the request breaks the rules
  /// of balance_request, or if this strategy has no rule for the topology or the capacities.
  virtual void make_plan(const balance_request& request, plan& out) const = 0;

  /// Returns the marks that this balancer's options set. If there are any, a runtime's workers call
  /// the balancer at these marks and ignore `runtime_options::threshold`.
  [[nodiscard]] virtual load_marks marks() const noexcept { return {}; }
};

}  // namespace evencube
