#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <evencube/balancers/balancer.hpp>
#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Checks a request as balance_request describes it: as many loads as nodes, none negative, a sum
/// that fits load_type, capacities and service times absent or complete and in range, the initiator
/// a node. Throws std::invalid_argument naming `who` and the value. O(nodes).
EVENCUBE_EXPORT void check_request(const balance_request& request, std::string_view who);

/// Sum of all loads. Throws std::invalid_argument for a negative load or a sum beyond load_type.
[[nodiscard]] EVENCUBE_EXPORT load_type total_load(std::span<const load_type> loads);

/// Whether all capacities are the same (none given counts as the same).
[[nodiscard]] EVENCUBE_EXPORT bool equal_capacities(std::span<const double> capacities) noexcept;

/// For balancers without a sound rule for unequal speeds: throws std::invalid_argument naming `who`
/// unless equal_capacities().
EVENCUBE_EXPORT void refuse_capacities(const balance_request& request, std::string_view who);

/// For the balancers that know hypercubes only: throws std::invalid_argument naming `who`.
EVENCUBE_EXPORT void require_cube(const topology& graph, std::string_view who);

/// Throws std::invalid_argument naming the first transfer that breaks a rule: an id beyond the
/// nodes, a loop, a pair without a link, quanta < 1, a link named twice in one phase, or a node
/// that sends more in a phase than it held when the phase began. O(nodes + transfers log
/// transfers).
EVENCUBE_EXPORT void validate_plan(const topology& graph, std::span<const load_type> loads,
                                   const plan& planned);

/// Loads after all phases. Precondition: the plan is valid for these loads. O(nodes + transfers).
[[nodiscard]] EVENCUBE_EXPORT std::vector<load_type> final_loads(const plan& planned,
                                                                 std::span<const load_type> loads);
/// The same in place.
EVENCUBE_EXPORT void apply_plan(const plan& planned, std::span<load_type> loads);

/// Largest minus smallest load, 0 for no nodes: the "difference" of the papers.
[[nodiscard]] EVENCUBE_EXPORT load_type max_difference(std::span<const load_type> loads);

/// Sum over transfers of the units carried (Rim et al. 2003, Section 5.2). Saturates: a result that
/// is the largest load_type says "that or more".
[[nodiscard]] EVENCUBE_EXPORT load_type task_hops(const plan& planned);

/// Units that the busiest directed link carries over the whole plan: no transmission that keeps to
/// the links can take less time. Saturates.
[[nodiscard]] EVENCUBE_EXPORT load_type max_link(const plan& planned);

/// Number of transfers.
[[nodiscard]] EVENCUBE_EXPORT std::size_t transfer_count(const plan& planned) noexcept;

/// Empties the phases but keeps their memory, and makes them `phases` many.
EVENCUBE_EXPORT void reset_plan(plan& planned, std::size_t phases);

/// a + b, or the largest load_type if that does not fit. Both >= 0.
[[nodiscard]] constexpr load_type saturating_add(load_type a, load_type b) noexcept {
  load_type sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

}  // namespace evencube
