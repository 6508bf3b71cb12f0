#pragma once

#include <cstdint>
#include <vector>

#include <evencube/balancers/topology.hpp>
#include <evencube/trace/trace.hpp>

namespace evencube::simulator {

/// A node's time while the system had work, in parts that add up to the makespan.
struct node_time {
  double computing = 0;
  double waking = 0;     ///< a task was ready, and the node was waking up
  double receiving = 0;  ///< idle, and tasks were on their way to the node
  double planning = 0;   ///< idle, tasks waited at other nodes, and a round was in progress
  double elsewhere = 0;  ///< idle, tasks waited at other nodes, and no round was in progress
  double nothing = 0;    ///< idle, and no task waited anywhere
};

/// The history of one task of a program. A negative time means that the event did not happen.
struct task_story {
  double came = -1;    ///< when the task was first queued or, if earlier, began
  node_id home = 0;    ///< the node where the task was first
  double left = -1;    ///< when the task was last taken out of a queue to travel
  double landed = -1;  ///< when the task arrived in the next queue
  node_id from = 0;    ///< the node whose queue the task left
  std::uint32_t moves = 0;
  node_id node = 0;   ///< the task's present node; in the end the node where it ran
  double begun = -1;  ///< when the task began to compute
  double ended = -1;
};

/// The records that a simulation of a program may keep in addition to its result. Keeping them
/// takes O(nodes) more time per event.
struct ledger {
  std::vector<node_time> nodes;
  std::vector<task_story> tasks;
};

}  // namespace evencube::simulator
