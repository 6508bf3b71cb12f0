#pragma once

#include <cstdint>
#include <vector>

#include <evencube/balancers/topology.hpp>
#include <evencube/trace/trace.hpp>

namespace evencube::simulator {

/// The parts of a node's time while there was work in the system. They add up to the makespan.
struct node_time {
  double computing = 0;
  double waking = 0;     ///< a task was ready there, and the node had slept
  double receiving = 0;  ///< nothing to do, and tasks were on their way to it
  double planning = 0;   ///< nothing to do, tasks waited at others, and a round was in progress
  double elsewhere = 0;  ///< nothing to do, tasks waited at others, and no round was in progress
  double nothing = 0;    ///< nothing to do, and no task waited anywhere
};

/// The history of a task of a program. Times are simulated; a negative time means that the event
/// did not happen.
struct task_story {
  double came = -1;    ///< when it was in a queue, or began, for the first time
  node_id home = 0;    ///< the node where it first came
  double left = -1;    ///< when it was last taken out of a queue to travel
  double landed = -1;  ///< when it arrived in the next queue
  node_id from = 0;    ///< the node whose queue it left
  std::uint32_t moves = 0;
  node_id node = 0;   ///< its node, and in the end the node where it ran
  double begun = -1;  ///< when it first computed
  double ended = -1;
};

/// The records that a simulation of a program may keep in addition to its result. They take
/// O(nodes) more time for each event.
struct ledger {
  std::vector<node_time> nodes;
  std::vector<task_story> tasks;
};

}  // namespace evencube::simulator
