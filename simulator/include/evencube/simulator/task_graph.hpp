#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <evencube/balancers/plan.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/simulator/distribution.hpp>
#include <evencube/trace/trace.hpp>

namespace evencube::simulator {

/// `no_task` stands for no task; `task_id` is a task's index in its graph.
using traces::no_task;
using traces::task_id;

/// A fork-join program: tasks that compute, spawn tasks and wait for the tasks that they spawned.
///
/// A task is a list of steps. A step computes for `demand` (time on a node of speed 1). After that,
/// it spawns `child`, waits, or ends the task. A wait ends when every task that this task has
/// spawned so far has ended, or when a group has no tasks left. Only the last step ends the task. A
/// spawned task is queued at the newest end of the spawning node's queue. A task with a home is
/// queued at its home instead, after the latency of a link. A task that waits leaves its node free
/// for other tasks. After the wait it continues on the same node, before that node takes a task
/// from its queue.
class task_graph {
 public:
  static constexpr node_id no_home = traces::no_home;
  static constexpr std::uint32_t no_group = traces::no_group;

  /// The action at the end of a step.
  enum class action : std::uint8_t { spawn, wait, end };

  /// A step of a task: it computes for `demand` and then acts.
  struct step {
    double demand;
    task_id child;  ///< the task to spawn; for a wait its group, or no_task for all spawned tasks
    action then;
  };

  /// A task that arrives from outside at `time` on `node` (taken modulo the number of nodes).
  struct root {
    double time;
    node_id node;
    task_id task;
  };

  /// Adds a task with these steps and returns its id. Children may be added later. Throws
  /// std::invalid_argument if a demand is negative or not finite, or unless the last step, and no
  /// other, is an `end`.
  EVENCUBE_EXPORT task_id add(std::span<const step> steps);
  /// Sets the node where a spawned task begins (modulo the number of nodes), and the group that
  /// counts the task. With no_home, the task begins where it is spawned; with no_group, no group
  /// counts the task.
  EVENCUBE_EXPORT void place(task_id task, node_id home, std::uint32_t group);
  /// Sets the number of quanta for which the task counts in the load of a queue; the default is
  /// one. Throws std::invalid_argument unless 1 <= quanta <= traces::most_task_cost.
  EVENCUBE_EXPORT void weigh(task_id task, std::uint32_t quanta);
  /// Adds a task that comes from outside; its time must be >= 0.
  EVENCUBE_EXPORT void add_root(root from_outside);

  /// Checks that every task is spawned exactly once or is a root, never both, and that roots are in
  /// order of time. Throws std::invalid_argument, whose message names the task.
  EVENCUBE_EXPORT void validate() const;

  /// Returns the number of tasks.
  [[nodiscard]] task_id size() const noexcept { return static_cast<task_id>(first_.size() - 1); }
  /// Returns the steps of a task.
  [[nodiscard]] std::span<const step> steps(task_id task) const noexcept {
    return std::span(steps_).subspan(first_[task], first_[task + 1] - first_[task]);
  }
  /// Returns the node where a task begins; no_home if it begins where it is spawned.
  [[nodiscard]] node_id home(task_id task) const noexcept {
    return task < places_.size() ? places_[task].home : no_home;
  }
  /// Returns the group that counts a task; no_group if there is none.
  [[nodiscard]] std::uint32_t group(task_id task) const noexcept {
    return task < places_.size() ? places_[task].group : no_group;
  }
  /// Returns the number of quanta for which a task counts in the load of a queue.
  [[nodiscard]] load_type quanta(task_id task) const noexcept {
    return task < quanta_.size() ? quanta_[task] : 1;
  }
  /// Returns true if any task counts for more than one quantum.
  [[nodiscard]] bool weighed() const noexcept { return !quanta_.empty(); }
  /// Returns a number greater than every group number.
  [[nodiscard]] std::uint32_t groups() const noexcept { return groups_; }
  /// Returns the tasks that come from outside.
  [[nodiscard]] std::span<const root> roots() const noexcept { return roots_; }
  /// Returns the sum of all demands: the time on one node of speed 1.
  [[nodiscard]] EVENCUBE_EXPORT double total_demand() const noexcept;
  /// Returns the duration of the longest chain of steps that must run in order; no number of nodes
  /// can reduce it. Precondition: validate() does not throw.
  [[nodiscard]] EVENCUBE_EXPORT double critical_path() const;
  /// Returns the tasks on the critical path, or on one critical path if there are several.
  /// O(steps). Precondition: validate() does not throw.
  [[nodiscard]] EVENCUBE_EXPORT std::vector<task_id> critical_tasks() const;

  /// Returns the program as it might be in another run: each task's demands are multiplied by a
  /// value of `factor`, drawn from the seed and the task's number. O(steps).
  [[nodiscard]] EVENCUBE_EXPORT task_graph varied(const distribution& factor,
                                                  std::uint64_t seed) const;

  /// Makes a full tree. Each task at a level less than `depth` computes, spawns `fanout` children,
  /// waits and computes again. The demands are drawn from `demand`. The root arrives at time 0 on
  /// node 0.
  [[nodiscard]] EVENCUBE_EXPORT static task_graph tree(unsigned depth, unsigned fanout,
                                                       const distribution& demand,
                                                       std::uint64_t seed);

 private:
  struct placed {
    node_id home = no_home;
    std::uint32_t group = no_group;
  };

  std::vector<step> steps_;
  std::vector<std::size_t> first_{0};
  std::vector<root> roots_;
  std::vector<placed> places_;         // for the first tasks; the others have no place
  std::vector<std::uint32_t> quanta_;  // for the first tasks; the others count for one
  std::uint32_t groups_ = 0;
};

}  // namespace evencube::simulator
