#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <evencube/balancers/balancer.hpp>
#include <evencube/balancers/plan.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/simulator/distribution.hpp>
#include <evencube/simulator/task_graph.hpp>
#include <evencube/trace/machine_costs.hpp>

namespace evencube::simulator {

using traces::cost_model;
using traces::link_model;
using traces::machine_costs;
using traces::nominal_costs;

/// The time of an end that never comes. Times are in one unit of the model's choosing (seconds in
/// the presets).
inline constexpr double no_end = std::numeric_limits<double>::infinity();
/// No duration is longer, drawn ones included, and nothing happens later: beyond, the clock would
/// not notice what takes a finite time.
inline constexpr double longest_duration = 1e100;
inline constexpr double latest_time = 1e200;

/// Which waiting task a node serves next: the one that waits longest, the newest, or the newest of
/// a queue whose largest tasks are brought to both ends as the runtime does (largest_to_both_ends);
/// that is for programs, whose tasks count for quanta, and of these for the tasks of groups.
enum class queue_order : std::uint8_t { fifo, lifo, largest_first };

/// Which waiting tasks a balancer's transfer takes: those that waited longest, or the newest.
enum class migrated_end : std::uint8_t { oldest, newest };

/// One task of an arrival trace.
struct recorded_arrival {
  double time;    ///< >= 0, not before that of the entry ahead of it
  node_id node;   ///< where it arrives
  double demand;  ///< service time on a node of speed 1, >= 0
};

/// How independent tasks come in. A batch is an initial load instead (model::initial).
struct arrival_process {
  enum class kind : std::uint8_t {
    none,
    poisson,   ///< `rate` per node
    hot_spot,  ///< as poisson, times `hot_factor` on `hot_share` of the nodes, a range that drifts
    trace      ///< `entries`
  };

  kind which = kind::none;
  double rate = 0;        ///< tasks per node and unit of time, > 0 for poisson and hot_spot
  double hot_factor = 1;  ///< >= 1
  double hot_share = 0;   ///< in [0, 1]; the hot range covers ceil(share * nodes) consecutive ids
  double drift = 0;       ///< nodes per unit of time by which the hot range advances, >= 0
  std::vector<recorded_arrival> entries = {};
};

/// A node that has had nothing to do for longer than `after` sleeps: what comes to it then begins
/// `wake` later.
struct sleep_model {
  double after = 0;
  double wake = 0;
};

/// How far nodes are from each other beside the network that balancers see. The nodes lie in
/// `domains` blocks of consecutive ones, of sizes that differ by one at most: node k of n in block
/// k * domains / n, rounded down. The blocks are corners of a hypercube, and from one to another
/// every task takes `per_hop` for each bit in which their numbers differ: NUMA nodes of a machine.
/// Or they are the ranks of a cluster, each with its workers: all as far from each other, with a
/// message between them that has a latency of its own.
struct distance_model {
  std::uint32_t domains = 1;  ///< >= 1; there may be more than nodes
  double per_hop = 0;         ///< of a task
  double latency = 0;         ///< of what goes from block to block, besides
  bool flat = false;          ///< true: from each block to each other it is one hop

  [[nodiscard]] int hops(node_id from, node_id to, node_id nodes) const noexcept {
    const auto block = [&](node_id k) {
      return static_cast<std::uint32_t>(std::uint64_t{k} * domains / nodes);
    };
    const int bits = std::popcount(block(from) ^ block(to));
    return flat ? static_cast<int>(bits > 0) : bits;
  }

  /// How much longer `count` tasks are on their way for it.
  [[nodiscard]] double time(node_id from, node_id to, node_id nodes,
                            std::int64_t count) const noexcept {
    if (per_hop == 0 && latency == 0) return 0;
    const int distance = hops(from, to, nodes);
    return distance == 0 ? 0 : latency + static_cast<double>(count) * distance * per_hop;
  }

  /// How much longer it takes until every node has heard of all, over a tree of the blocks.
  [[nodiscard]] double time_to_tell(node_id nodes) const noexcept {
    const std::uint32_t blocks = (std::min)(domains, std::uint32_t{nodes});
    return 2 * latency * std::bit_width(blocks - 1);
  }
};

/// When balancing happens.
struct trigger {
  enum class kind : std::uint8_t {
    never,
    start,        ///< once, at time 0
    period,       ///< every `period`
    threshold,    ///< a node's load rises above `high` or falls below `low`
    utilisation,  ///< a node was busy more than `level` of the last window of length `period`
    idle          ///< a node has nothing to do (rounds: while tasks wait at others), or a load
                  ///< rises above `high`, or every `period` if there is one
  };

  kind which = kind::never;
  double period = 0;  ///< > 0 for period and utilisation; for idle 0 (no clock) or more
  load_type low = 0;  ///< nothing is below 0: no receivers
  load_type high = (std::numeric_limits<load_type>::max)();  ///< nothing is above: no senders
  double level = 1;                                          ///< in [0, 1]
  double gap = 0;    ///< least time from the end of a balancing to the next of the same node(s)
  double retry = 0;  ///< > 0: a node whose activation moved nothing tries again after this time
  std::uint64_t most_rounds = (std::numeric_limits<std::uint64_t>::max)();
  /// How often the clock may call, every `period`, before the simulation throws
  /// std::invalid_argument: tasks may be much longer than a period.
  std::uint64_t most_calls = (std::numeric_limits<std::uint64_t>::max)();
};

/// Who must hear of loads before a plan can be made, and so how many messages are paid.
enum class information : std::uint8_t {
  free,        ///< nothing is sent
  shared,      ///< rounds: one node without work, or a processor of its own, reads all loads and
               ///< plans, which takes `measure` for each of them
  neighbours,  ///< question and answer over every link (activation), one message per link end
               ///< (round)
  collective,  ///< gathered and broadcast over a tree: 2 ceil(log2 N) messages per node
  broadcast,   ///< everybody to everybody, a message each
  announced,   ///< everybody to everybody, one message that all the others hear
  central,     ///< node 0 keeps a table; every arrival and departure is reported to it
  proximity    ///< activations: a node knows how far it and its neighbours are from the nearest
               ///< node with a load below `light_below`, at every instant; for that, whoever's
               ///< distance changes tells its neighbours, a message each, whether anybody
               ///< balances or not
};

/// Balancing of a model. The default does none.
struct balancing {
  /// Not owned; must outlive the simulation. Null: no balancing.
  const balancer* strategy = nullptr;
  trigger when;
  /// false: a round over the whole machine, one at a time. true: each node balances on its own
  /// account as the plan's initiator, many at once.
  bool by_node = false;
  /// true: no task executes from the start of a round to its end; tasks in service go back to their
  /// queues and may move as well. Rounds only.
  bool held = false;
  information informed = information::free;
  load_type light_below = 0;  ///< for information::proximity, >= 0
  evencube::transmission transmission = evencube::transmission::phased;
  migrated_end migrated = migrated_end::oldest;
  /// Rounds that are not held: whoever has nothing to do that no round under way is for acts on its
  /// own account, many at once, as the initiator of a plan, and so after a round that was not for
  /// it. Before that it looks at all loads, for `cost_model::measure` each, and while several have
  /// nothing to do they share that.
  bool idle_nodes_act = false;
  /// Idle nodes look at others drawn at random, until one has tasks that wait.
  bool draws = false;
  /// With `idle_nodes_act` false: that is all that happens.
  bool rounds = true;
  /// Processor time that each task of a transfer to a node that is no neighbour takes from every
  /// node between, on a shortest path, one after the other. Not for held rounds.
  double relay = 0;
};

/// Everything that is simulated. Not owned pointers must outlive the simulation.
struct model {
  /// The network, which also gives the number of nodes. Required.
  const topology* graph = nullptr;

  queue_order order = queue_order::fifo;
  distribution service = distribution::exponential(1);
  arrival_process arrivals;
  /// Tasks waiting at time 0, empty or one count per node.
  std::vector<load_type> initial;
  /// Draws them anew for every seed, in place of `initial`; may be empty.
  std::function<std::vector<load_type>(std::uint64_t seed)> draw_initial = {};
  /// Relative speeds, empty (all 1) or one per node, each finite and > 0.
  std::vector<double> speeds;
  /// true: arrivals wait in one queue that every idle node takes from (M/M/c); no balancing.
  bool central_queue = false;
  /// A fork-join program instead of independent tasks, with `arrivals` none and `initial` empty.
  const task_graph* program = nullptr;

  link_model links;
  /// Of tasks that are moved, and of spawned ones on their way to their homes.
  distance_model distance;
  cost_model costs;
  sleep_model sleep;
  balancing balance;

  /// Arrivals stop at this time. Finite unless arrivals are none or trace.
  double arrivals_end = no_end;
  /// The simulation stops at this time, or earlier when no event is left.
  double horizon = no_end;
  /// Statistics of queues and response times start here, in [0, horizon).
  double warm_up = 0;
  /// > 0: the difference of loads (maximum - minimum) is sampled with this period.
  double sample_period = 0;

  /// How many tasks may wait or travel at once, those that begin together and are alike counted as
  /// one; each takes 32 bytes. In [1, 2^32 - 2].
  std::uint32_t most_waiting = std::uint32_t{1} << 26;
  /// How many events may come at one time, and 256 more for each node, before the simulation ends
  /// because time stands still. It is looked at once in 65536 events. >= 1.
  std::uint64_t most_at_once = std::uint64_t{1} << 24;
};

}  // namespace evencube::simulator
