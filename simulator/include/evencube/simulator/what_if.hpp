#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <evencube/balancers/choice.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/simulator/simulation.hpp>
#include <evencube/trace/trace.hpp>

namespace evencube::simulator {

using traces::trace;

/// Returns the program that a trace recorded. Each task computes for its recorded time from start
/// to end, excluding waits, plus the time that the machine takes to dequeue and end a task. Its
/// spawns and waits keep their places in this time, and its children keep their homes. Tasks from
/// outside arrive when and where they arrived in the recording. Times are in seconds.
[[nodiscard]] EVENCUBE_EXPORT task_graph program_of(const trace& recorded);

/// The machine and the strategy for a replay of a program.
struct what_if {
  /// The balancer: a type with its options, or the name of a registered balancer.
  balancer_choice balancer = "none";
  /// The options of a balancer that is given by name. Must be empty if its type gives them.
  balancer_options options;
  evencube::transmission transmission = evencube::transmission::direct;
  std::string topology;            ///< a network, as for topology::parse
  std::vector<double> capacities;  ///< relative speeds: one per node, or empty
  /// If true, strategies with a rule for speeds get the speeds. False models a machine that reports
  /// equal speeds although a core is slowed down.
  bool speeds_known = true;
  /// The distances between nodes; strategies do not know them.
  distance_model distance = {};
  /// The costs of balancing on the machine that recorded the program.
  machine_costs costs = nominal_costs;
  /// If false, there are no rounds, as in the runtime's mode `on_demand`.
  bool rounds = true;
  /// If true, a long queue starts a round under every strategy, as with the runtime's balancer
  /// thread. If false, it does so only under event-driven strategies. Idle nodes start rounds in
  /// both cases.
  bool by_thread = true;
  /// The seconds after which the balancer thread starts a round, whatever the loads; 0 means never.
  double period = 0;
  /// The number of quanta in a queue above which its node starts a round.
  load_type threshold = 256;
  /// If true, an idle node that gets no tasks from a round takes tasks from the node with the
  /// largest load: one task if the program's tasks take 4 us or more on average, otherwise half of
  /// that node's tasks. If false, only the strategy moves tasks, and event-driven strategies act
  /// only at nodes that ran out of work or have a long queue.
  bool pulls = true;
  /// If true, and if the program's tasks differ in quanta, nodes begin the largest tasks first.
  bool largest_first = true;
};

/// Returns the configuration with which the trace was recorded.
[[nodiscard]] EVENCUBE_EXPORT what_if recorded_configuration(const trace& recorded);

/// Replays a program as the runtime would run it. The newest tasks run first and the oldest
/// migrate. A round begins whenever a node has nothing to do while tasks wait elsewhere. During the
/// round, and after a round that sends it nothing, the node takes some tasks on its own from the
/// node with the largest load (unless the strategy keeps the order of tasks). Event-driven
/// strategies are activated node by node: first nodes without load or with a long queue, then, if
/// nothing moved, all other nodes. Under "random_stealing", an idle node instead takes one task
/// from a randomly drawn node. `kept`, if given, receives the history of every node and task.
///
/// Throws std::invalid_argument for unknown names, for random stealing without pulls, for a period
/// that would start more than 10^8 rounds, and for a program whose waits never end.
[[nodiscard]] EVENCUBE_EXPORT result replay(const task_graph& program, const what_if& configuration,
                                            std::uint64_t seed = 1, ledger* kept = nullptr);

/// Changes the nodes where the tasks of a recorded program begin. `home_of` is called for each
/// task of a group, in spawn order, with its index in the group; the task begins on the node that
/// `home_of` returns, or where it is spawned if `home_of` returns nothing. Forks, which have no
/// group, and tasks from outside stay as recorded. O(n log n).
EVENCUBE_EXPORT void place_groups(
    task_graph& program, const trace& recorded,
    const std::function<std::optional<node_id>(std::size_t index)>& home_of);

/// Returns |replayed - real| / real for the makespans of the recorded configuration.
[[nodiscard]] EVENCUBE_EXPORT double forecast_error(const trace& recorded);

/// Returns a 64-bit hash of the plan.
[[nodiscard]] EVENCUBE_EXPORT std::uint64_t hash_of(const plan& planned) noexcept;

/// The result of comparing the recorded rounds with plans made again from the same inputs.
struct round_check {
  std::size_t rounds = 0;
  std::size_t equal = 0;
  std::vector<std::size_t> different;  ///< indices of rounds whose new plan differs
};
[[nodiscard]] EVENCUBE_EXPORT round_check check_rounds(const trace& recorded);

/// Returns the events that brought a task to its worker, one line per event: where it was spawned,
/// each migration, and the worker that ran it. A migration's line has its round, its rule, and for
/// every hop the phase, the cube dimension and both loads. If no round planned the migration, both
/// loads are counted from the trace. Throws std::invalid_argument for a task that the trace does
/// not have.
[[nodiscard]] EVENCUBE_EXPORT std::vector<std::string> explain(const trace& recorded, task_id task);

}  // namespace evencube::simulator
