#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <evencube/balancers/balancer.hpp>
#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Checks a request against the rules of balance_request: as many loads as nodes, none negative,
/// with a sum that fits in load_type; capacities and service times either absent or complete and in
/// range; the initiator, if any, a node. Throws std::invalid_argument, whose message names `who`
/// and the value. O(nodes).
EVENCUBE_EXPORT void check_request(const balance_request& request, std::string_view who);

/// Returns the sum of all loads. Throws std::invalid_argument for a negative load or a sum that
/// exceeds load_type.
[[nodiscard]] EVENCUBE_EXPORT load_type total_load(std::span<const load_type> loads);

/// Returns true if all capacities are equal, or if none are given.
[[nodiscard]] EVENCUBE_EXPORT bool equal_capacities(std::span<const double> capacities) noexcept;

/// Throws std::invalid_argument, whose message names `who`, unless all capacities are equal. For
/// balancers without a sound rule for unequal speeds.
EVENCUBE_EXPORT void refuse_capacities(const balance_request& request, std::string_view who);

/// Throws std::invalid_argument, whose message names `who`, unless graph.is_cube(). For balancers
/// that work only on hypercubes, complete or incomplete.
EVENCUBE_EXPORT void require_cube(const topology& graph, std::string_view who);

/// Throws std::invalid_argument, whose message names the first transfer that breaks a rule: an id
/// out of range, a loop, a pair without a link, quanta < 1, a link named twice in one phase, or a
/// node that sends more in a phase than it held when the phase began. O(nodes + transfers log
/// transfers).
EVENCUBE_EXPORT void validate_plan(const topology& graph, std::span<const load_type> loads,
                                   const plan& planned);

/// Returns the loads after all phases. Precondition: the plan is valid for these loads. O(nodes +
/// transfers).
[[nodiscard]] EVENCUBE_EXPORT std::vector<load_type> final_loads(const plan& planned,
                                                                 std::span<const load_type> loads);
/// Changes `loads` to the loads after all phases. Precondition: the plan is valid for these loads.
/// O(transfers).
EVENCUBE_EXPORT void apply_plan(const plan& planned, std::span<load_type> loads);

/// Returns the largest load minus the smallest load, the papers' "difference"; 0 if there are no
/// nodes.
[[nodiscard]] EVENCUBE_EXPORT load_type max_difference(std::span<const load_type> loads);

/// Returns the number of units carried, summed over all transfers (Rim et al. 2003, Section 5.2).
/// The sum saturates: the largest load_type means that value or more.
[[nodiscard]] EVENCUBE_EXPORT load_type task_hops(const plan& planned);

/// Returns the units that the busiest directed link carries over the whole plan. No transmission
/// over links can take less time. The sum saturates.
[[nodiscard]] EVENCUBE_EXPORT load_type max_link(const plan& planned);

/// Returns the number of transfers.
[[nodiscard]] EVENCUBE_EXPORT std::size_t transfer_count(const plan& planned) noexcept;

/// Empties the phases but keeps their memory, and sets the number of phases to `phases`.
EVENCUBE_EXPORT void reset_plan(plan& planned, std::size_t phases);

/// Returns a + b, or the largest load_type if the sum does not fit. Both must be >= 0.
[[nodiscard]] constexpr load_type saturating_add(load_type a, load_type b) noexcept {
  return a > INT64_MAX - b ? INT64_MAX : a + b;
}

}  // namespace evencube
