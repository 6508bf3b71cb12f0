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

/// How a plan is carried out. All ports of a node work at once; one unit takes one T_comm per link.
enum class transmission {
  /// Phase by phase (Rim et al. 2003, Section 5.2): the cost is the sum over phases of the largest
  /// transfer.
  phased,
  /// Rim et al. 2003, Section 6.1, read literally: in each round every node launches the longest
  /// prefix of its sends (in phase order) that its present load covers; a round costs its largest
  /// transfer. Can cost more than `phased`.
  overlapped_rounds,
  /// The same launch rule without the barrier between rounds: a transfer of x units lands whole x
  /// after it started, and a node launches as soon as it can. Never costs more than `phased`.
  overlapped,
  /// Unit by unit, each node's links served in rotation, one unit per link and step (Section 6.2).
  /// Where the rotation would lose against `overlapped` or starve, the units go in phase order
  /// instead, so that it never costs more than `overlapped`.
  pipelined,
  /// For shared memory: every unit goes from its first source to its last destination at once, no
  /// hops between. One step; its cost is the largest single transfer.
  direct
};

inline constexpr std::array<transmission, 5> all_transmissions{
    transmission::phased, transmission::overlapped_rounds, transmission::overlapped,
    transmission::pipelined, transmission::direct};

/// `phased`, `overlapped_rounds`, `overlapped`, `pipelined` or `direct`.
[[nodiscard]] EVENCUBE_EXPORT std::string_view to_string(transmission how) noexcept;
/// Throws std::invalid_argument naming the unknown word and the known ones.
[[nodiscard]] EVENCUBE_EXPORT transmission parse_transmission(std::string_view text);

/// Transfers that begin together. `duration` is the largest of them; with `overlapped` the steps
/// overlap in time, with the others they follow each other. In `pipelined` a step of t > 1 time
/// units runs its links side by side, at most one unit per link and time unit.
struct schedule_step {
  load_type start = 0;
  load_type duration = 0;
  phase transfers;

  friend bool operator==(const schedule_step&, const schedule_step&) = default;
};

/// Steps in order of their start. Carried out one after the other as phases they are feasible and
/// give the plan's final loads. Times in units of T_comm, saturating at the largest load_type.
struct schedule {
  std::vector<schedule_step> steps;
  load_type cost = 0;

  friend bool operator==(const schedule&, const schedule&) = default;
};

/// Pure: same plan, same schedule. Precondition: the plan is valid for the loads (validate_plan).
/// phased, direct: O(transfers); overlapped ones: O(transfers log transfers) typically; pipelined:
/// proportional to the number of different unit steps.
[[nodiscard]] EVENCUBE_EXPORT schedule make_schedule(transmission how,
                                                     std::span<const load_type> loads,
                                                     const plan& planned);
/// As above, for a plan that is not needed any more: `phased` keeps its transfers where they are.
[[nodiscard]] EVENCUBE_EXPORT schedule make_schedule(transmission how,
                                                     std::span<const load_type> loads,
                                                     plan&& planned);

/// The cost alone, without building the steps where that is cheaper.
[[nodiscard]] EVENCUBE_EXPORT load_type transmission_cost(transmission how,
                                                          std::span<const load_type> loads,
                                                          const plan& planned);
/// The cost alone, or nothing if more than `work` nodes and links would have to be looked at, which
/// only `pipelined` may need: 10 million of them take some hundredths of a second, and without a
/// limit large loads on many nodes can take hours.
[[nodiscard]] EVENCUBE_EXPORT std::optional<load_type> transmission_cost(
    transmission how, std::span<const load_type> loads, const plan& planned, std::size_t work);

/// The steps as phases of a plan, for whoever carries plans out. With `direct` the transfers join
/// any two nodes, linked or not.
[[nodiscard]] EVENCUBE_EXPORT plan plan_of(const schedule& steps);

}  // namespace evencube
