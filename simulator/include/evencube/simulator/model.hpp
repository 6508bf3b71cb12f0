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

/// The value for "no end". All times in a model are in one unit, which the model chooses (seconds
/// in the presets).
inline constexpr double no_end = std::numeric_limits<double>::infinity();
/// The longest duration, given or drawn, and the latest time of an event. At larger values, adding
/// a finite duration might not advance the clock.
inline constexpr double longest_duration = 1e100;
inline constexpr double latest_time = 1e200;

/// The waiting task that a node serves next: the task that has waited longest (fifo) or the newest
/// task (lifo). `largest_first` serves the newest task of a queue whose largest tasks are moved to
/// both ends, as in the runtime (largest_to_both_ends). `largest_first` is for programs, whose
/// tasks have costs in quanta, and applies to the tasks of groups.
enum class queue_order : std::uint8_t { fifo, lifo, largest_first };

/// The waiting tasks that a planned transfer takes: the tasks that have waited longest, or the
/// newest tasks.
enum class migrated_end : std::uint8_t { oldest, newest };

/// One task of an arrival trace.
struct recorded_arrival {
  double time;    ///< >= 0, not before the time of the previous entry
  node_id node;   ///< the node at which the task arrives
  double demand;  ///< service time on a node of speed 1, >= 0
};

/// The way in which independent tasks arrive. For a batch, use an initial load instead
/// (model::initial).
struct arrival_process {
  enum class kind : std::uint8_t {
    none,
    poisson,   ///< a Poisson process of rate `rate` at each node
    hot_spot,  ///< like poisson, but with `hot_factor` times the rate at a drifting `hot_share` of
               ///< the nodes
    trace      ///< the arrivals in `entries`
  };

  kind which = kind::none;
  double rate = 0;        ///< tasks per node and unit of time, > 0 for poisson and hot_spot
  double hot_factor = 1;  ///< >= 1
  double hot_share = 0;   ///< in [0, 1]; the hot range covers ceil(share * nodes) consecutive ids
  double drift = 0;       ///< nodes per unit of time by which the hot range advances, >= 0
  std::vector<recorded_arrival> entries = {};
};

/// The sleep behaviour of nodes. A node sleeps once it has had nothing to do for longer than
/// `after`. A task that arrives at a sleeping node begins `wake` later.
struct sleep_model {
  double after = 0;
  double wake = 0;
};

/// The distances between nodes, in addition to the network that balancers see. The nodes are in
/// `domains` blocks of consecutive nodes, whose sizes differ by one at most: node k of n is in
/// block k * domains / n, rounded down. If `flat` is false, blocks are a machine's NUMA nodes and
/// the corners of a hypercube, and a moved task takes `per_hop` for each bit in which the two
/// blocks' numbers differ. If `flat` is true, blocks are a cluster's ranks with their workers, all
/// equally far apart.
struct distance_model {
  std::uint32_t domains = 1;  ///< >= 1; may exceed the number of nodes
  double per_hop = 0;         ///< the travel time of a task for each hop
  double latency = 0;         ///< the additional latency of a transfer between blocks
  bool flat = false;          ///< true: every block is one hop from every other

  [[nodiscard]] int hops(node_id from, node_id to, node_id nodes) const noexcept {
    const auto block = [&](node_id k) {
      return static_cast<std::uint32_t>(std::uint64_t{k} * domains / nodes);
    };
    const int bits = std::popcount(block(from) ^ block(to));
    return flat ? static_cast<int>(bits > 0) : bits;
  }

  /// Returns the additional travel time of `count` tasks due to distance.
  [[nodiscard]] double time(node_id from, node_id to, node_id nodes,
                            std::int64_t count) const noexcept {
    if (per_hop == 0 && latency == 0) return 0;
    const int distance = hops(from, to, nodes);
    return distance == 0 ? 0 : latency + static_cast<double>(count) * distance * per_hop;
  }

  /// Returns the additional time, due to distances, until the data of all nodes have reached every
  /// node over a tree of blocks.
  [[nodiscard]] double time_to_tell(node_id nodes) const noexcept {
    const std::uint32_t blocks = (std::min)(domains, std::uint32_t{nodes});
    return 2 * latency * std::bit_width(blocks - 1);
  }
};

/// The condition that starts balancing.
struct trigger {
  enum class kind : std::uint8_t {
    never,
    start,        ///< once, at time 0
    period,       ///< every `period`
    threshold,    ///< a node's load rises above `high`, or falls below `low`
    utilisation,  ///< a node was busy for more than the share `level` of the last window of length
                  ///< `period`
    idle  ///< a node has nothing to do (for rounds: while tasks wait elsewhere), a load rises
          ///< above `high`, or a `period` above 0 has passed
  };

  kind which = kind::never;
  double period = 0;  ///< > 0 for period and utilisation; idle: 0 (no clock) or more
  load_type low = 0;  ///< the default 0 means no receivers
  load_type high = (std::numeric_limits<load_type>::max)();  ///< the default means no senders
  double level = 1;                                          ///< in [0, 1]
  /// The minimum time from one balancing's end to the next balancing by the same node(s).
  double gap = 0;
  double retry = 0;  ///< > 0: a node whose activation moved nothing tries again after this time
  std::uint64_t most_rounds = (std::numeric_limits<std::uint64_t>::max)();
  /// The number of clock calls, one per `period`, after which the simulation throws
  /// std::invalid_argument. (Tasks may be much longer than a period.)
  std::uint64_t most_calls = (std::numeric_limits<std::uint64_t>::max)();
};

/// The information about loads that must be sent before a plan can be made. The choice determines
/// the number of messages that balancing costs.
enum class information : std::uint8_t {
  free,    ///< nothing is sent
  shared,  ///< in a round, a node without work, or a separate processor, reads all loads and plans;
           ///< this costs `cost_model::measure` per load
  neighbours,  ///< activation: request and reply over each link; round: one message per link end
  collective,  ///< gathered and broadcast over a tree: 2 ceil(log2 N) messages per node
  broadcast,   ///< every node sends a message to every other node
  announced,   ///< every node sends one message, which all other nodes receive
  central,     ///< node 0 keeps a table; every arrival and departure is reported to node 0
  proximity    ///< activations: every node always knows its own and its neighbours' distances from
               ///< the nearest node with a load below `light_below`. A node whose distance changes
               ///< sends each neighbour a message, even if no node balances
};

/// The balancing of a model. By default, there is no balancing.
struct balancing {
  /// The strategy. Not owned; it must outlive the simulation. Null means no balancing.
  const balancer* strategy = nullptr;
  trigger when;
  /// If false, there are rounds over the whole machine, one at a time. If true, each node balances
  /// on its own as the initiator of a plan, and several nodes may do so simultaneously.
  bool by_node = false;
  /// If true, no task executes during a round; tasks in service return to their queues and may also
  /// move. Rounds only.
  bool held = false;
  information informed = information::free;
  load_type light_below = 0;  ///< for information::proximity, >= 0
  evencube::transmission transmission = evencube::transmission::phased;
  migrated_end migrated = migrated_end::oldest;
  /// Only for rounds that are not held. If true, a node that has nothing to do acts on its own as
  /// the initiator of a plan. The node acts if no round in progress is sending it tasks, and after
  /// a round that sent it none. Several nodes may act simultaneously. Before a node acts, it reads
  /// all loads, which costs `cost_model::measure` per load; nodes without work share this cost.
  bool idle_nodes_act = false;
  /// If true, an idle node reads the loads of randomly drawn nodes until it finds a node with
  /// waiting tasks.
  bool draws = false;
  /// If false, there are no rounds, and nodes act only as `idle_nodes_act` describes.
  bool rounds = true;
  /// The processor time that each transferred task takes from every intermediate node, in order
  /// along a shortest path. Not for held rounds.
  double relay = 0;
};

/// The input of a simulation. Pointers are not owned, and their objects must outlive the
/// simulation.
struct model {
  /// The network, which also gives the number of nodes. Required.
  const topology* graph = nullptr;

  queue_order order = queue_order::fifo;
  distribution service = distribution::exponential(1);
  arrival_process arrivals;
  /// The number of tasks that wait at each node at time 0; may be empty.
  std::vector<load_type> initial;
  /// Returns the initial tasks for a seed, instead of `initial`; the function may be empty.
  std::function<std::vector<load_type>(std::uint64_t seed)> draw_initial = {};
  /// The relative speeds of the nodes, empty (all 1) or one for each node, each finite and > 0.
  std::vector<double> speeds;
  /// If true, arrivals wait in one queue from which every idle node takes tasks (M/M/c), without
  /// balancing.
  bool central_queue = false;
  /// A fork-join program that runs instead of independent tasks; `arrivals` must then be none and
  /// `initial` empty.
  const task_graph* program = nullptr;

  link_model links;
  /// The distances that moved tasks travel, and that spawned tasks travel to their homes.
  distance_model distance;
  cost_model costs;
  sleep_model sleep;
  balancing balance;

  /// The time at which arrivals stop. Must be finite unless arrivals are none or trace.
  double arrivals_end = no_end;
  /// The time at which the simulation stops, unless it runs out of events earlier.
  double horizon = no_end;
  /// The time at which statistics of queues and response times start, in [0, horizon).
  double warm_up = 0;
  /// If > 0, the difference of loads (maximum - minimum) is sampled with this period.
  double sample_period = 0;

  /// The maximum number of tasks that wait or travel simultaneously, in [1, 2^32 - 2]. Equal tasks
  /// that begin together count as one task. Each counted task takes 32 bytes.
  std::uint32_t most_waiting = std::uint32_t{1} << 26;
  /// The maximum number of events with the same time, in addition to 256 per node; at least 1. With
  /// more, the simulation ends because its time does not advance. Checked once every 65536 events.
  std::uint64_t most_at_once = std::uint64_t{1} << 24;
};

}  // namespace evencube::simulator
