#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <evencube/balancers/plan.hpp>
#include <evencube/detail/compiler.hpp>

namespace evencube {

/// The way in which a plan is carried out. All ports of a node work simultaneously. A unit is one
/// quantum and takes the time T_comm over a link.
enum class transmission {
  /// Phase by phase (Rim et al. 2003, Section 5.2). The cost is the sum, over all phases, of the
  /// phase's largest transfer.
  phased,
  /// Rim et al. 2003, Section 6.1, read literally. In each round every node launches the longest
  /// prefix of its sends (in phase order) that its present load covers. A round costs as much as
  /// its largest transfer. The total can exceed the cost of `phased`.
  overlapped_rounds,
  /// The launch rule of `overlapped_rounds` without the barrier between rounds. A transfer of x
  /// units arrives as a whole, x time units after its start, and a node launches as soon as it can.
  /// It never costs more than `phased`.
  overlapped,
  /// Unit by unit (Rim et al. 2003, Section 6.2). Each node serves its links in rotation, with one
  /// unit per link and step. If the rotation would stall or cost more than `overlapped`, the units
  /// go in phase order instead. So `pipelined` never costs more than `overlapped`.
  pipelined,
  /// For shared memory: every unit goes directly from its first source to its last destination,
  /// without intermediate hops. There is one step, whose cost is the largest single transfer.
  direct
};

/// All transmissions, in the order of the enumeration.
inline constexpr std::array<transmission, 5> all_transmissions{
    transmission::phased, transmission::overlapped_rounds, transmission::overlapped,
    transmission::pipelined, transmission::direct};

/// Returns `phased`, `overlapped_rounds`, `overlapped`, `pipelined` or `direct`.
[[nodiscard]] EVENCUBE_EXPORT std::string_view to_string(transmission how) noexcept;
/// Returns the transmission with the name `text`. Throws std::invalid_argument, whose message names
/// the unknown word and the known ones.
[[nodiscard]] EVENCUBE_EXPORT transmission parse_transmission(std::string_view text);

/// Transfers that begin together. `duration` is that of the largest transfer. With `overlapped` the
/// steps overlap in time; with the other transmissions they follow one another. With `pipelined`, a
/// step of t > 1 time units runs its links in parallel, at most one unit for each link and time
/// unit.
struct schedule_step {
  load_type start = 0;
  load_type duration = 0;
  phase transfers;

  friend bool operator==(const schedule_step&, const schedule_step&) = default;
};

/// Steps in order of their start. The steps can be carried out as phases, one after another, and
/// then give the plan's final loads. Times are in units of T_comm and saturate at the largest
/// load_type.
struct schedule {
  std::vector<schedule_step> steps;
  load_type cost = 0;

  friend bool operator==(const schedule&, const schedule&) = default;
};

/// Returns the schedule of a plan. The function is pure: the same plan gives the same schedule.
/// Precondition: the plan is valid for the loads (validate_plan). phased, direct: O(transfers);
/// overlapped, overlapped_rounds: O(transfers log transfers) typically; pipelined: proportional to
/// the number of different unit steps.
[[nodiscard]] EVENCUBE_EXPORT schedule make_schedule(transmission how,
                                                     std::span<const load_type> loads,
                                                     const plan& planned);
/// Like the other `make_schedule`, but with a plan that the caller no longer needs: `phased` moves
/// the plan's transfers instead of copying them.
[[nodiscard]] EVENCUBE_EXPORT schedule make_schedule(transmission how,
                                                     std::span<const load_type> loads,
                                                     plan&& planned);

/// Returns only the cost of the schedule. Makes no steps if the cost can be computed faster without
/// them.
[[nodiscard]] EVENCUBE_EXPORT load_type transmission_cost(transmission how,
                                                          std::span<const load_type> loads,
                                                          const plan& planned);
/// Returns only the cost of the schedule, or nothing if the computation would visit more than
/// `work` nodes and links. Only `pipelined` may exceed such a limit. Visiting 10 million of them
/// takes a few hundredths of a second. Without a limit, large loads on many nodes can take hours.
[[nodiscard]] EVENCUBE_EXPORT std::optional<load_type> transmission_cost(
    transmission how, std::span<const load_type> loads, const plan& planned, std::size_t work);

/// Returns the steps as phases of a plan, for code that carries plans out. With `direct`, transfers
/// may join nodes without a link.
[[nodiscard]] EVENCUBE_EXPORT plan plan_of(const schedule& steps);

}  // namespace evencube
