#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <evencube/balancers/topology.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/simulator/simulation.hpp>
#include <evencube/trace/trace.hpp>

namespace evencube::simulator {

using traces::trace;

/// The program that a trace recorded. A task's own computing is its time from start to end without
/// its waits, and what its machine took to get a task out of a queue and end it; its spawns, their
/// homes and its waits keep their places in it. Tasks from outside come when and where they came.
/// Times in seconds.
[[nodiscard]] EVENCUBE_EXPORT task_graph program_of(const trace& recorded);

/// A machine and a strategy to replay a program under.
struct what_if {
  std::string balancer = "none";
  balancer_options options;
  evencube::transmission transmission = evencube::transmission::direct;
  std::string topology;            ///< text of topology::parse
  std::vector<double> capacities;  ///< relative speeds, empty or one per node
  /// Strategies that have a rule for speeds are told them. False: a core that something slows down
  /// while the machine says that all are alike.
  bool speeds_known = true;
  /// How far nodes are from each other; strategies know nothing of it.
  distance_model distance = {};
  /// What balancing costs there: those of the machine that recorded.
  machine_costs costs = nominal_costs;
  /// Rounds happen. False: nobody plans, as in the runtime's mode `on_demand`.
  bool rounds = true;
  /// Rounds are called by long queues under every strategy, as by the runtime's thread of its own;
  /// else under event-driven ones alone. Idle nodes call them in any case.
  bool by_thread = false;
  /// Of that thread: seconds after which it calls a round whatever the loads are; 0: never.
  double period = 0;
  /// Quanta in a queue above which its node calls a round.
  load_type threshold = 256;
  /// Idle nodes take tasks from the heaviest that no round sends them: one if the program's tasks
  /// take 4 us or more in the mean, else half. Off: what moves is the strategy's alone, and
  /// event-driven ones act at those nodes alone that ran dry or have a long queue.
  bool pulls = true;
  /// Where the program's tasks count for different quanta, nodes begin the largest first.
  bool largest_first = true;
};

/// What a trace's own configuration was.
[[nodiscard]] EVENCUBE_EXPORT what_if recorded_configuration(const trace& recorded);

/// Replays a program as the runtime would run it: newest tasks first, the oldest migrate, a round
/// whenever a node has nothing to do while tasks wait elsewhere; meanwhile, and where the round
/// sends it nothing, it takes some of the heaviest by itself (not where the strategy keeps an
/// order). Event-driven strategies are activated node by node: those without load or with a long
/// queue, and if that moves nothing, all others. Under "random_stealing" an idle node takes one
/// task of a node drawn at random instead. Speeds are told to strategies that have a rule for them.
/// `kept`, if given, takes what became of every node and task. Throws std::invalid_argument for
/// names that are not known, for random stealing without pulls, for a clock that would call more
/// than 10^8 rounds, and for a program whose waits never end.
[[nodiscard]] EVENCUBE_EXPORT result replay(const task_graph& program, const what_if& configuration,
                                            std::uint64_t seed = 1, ledger* kept = nullptr);

/// Says anew where the tasks of a recorded program begin: those of each group in the order in which
/// they were spawned, where `home_of` of their number says, or where they are spawned if it says
/// nothing. Forks, which have no group, and what came from outside stay as recorded. O(n log n).
EVENCUBE_EXPORT void place_groups(
    task_graph& program, const trace& recorded,
    const std::function<std::optional<node_id>(std::size_t index)>& home_of);

/// |replayed - real| / real makespan of the recorded configuration.
[[nodiscard]] EVENCUBE_EXPORT double forecast_error(const trace& recorded);

/// 64 bits that differ for different plans but by chance.
[[nodiscard]] EVENCUBE_EXPORT std::uint64_t hash_of(const plan& planned) noexcept;

/// The rounds planned again from what they saw.
struct round_check {
  std::size_t rounds = 0;
  std::size_t equal = 0;
  std::vector<std::size_t> different;  ///< indices of rounds whose plan came out otherwise
};
[[nodiscard]] EVENCUBE_EXPORT round_check check_rounds(const trace& recorded);

/// Why a task ran where it ran, one line per event: who spawned it where, each migration with its
/// round, the phase, dimension of the cube and both loads of every hop, and the rule; who ran it.
/// Of migrations that no round planned, both loads are counted from the trace. Throws
/// std::invalid_argument for a task the trace does not have.
[[nodiscard]] EVENCUBE_EXPORT std::vector<std::string> explain(const trace& recorded, task_id task);

}  // namespace evencube::simulator
