#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <evencube/simulator/model.hpp>
#include <evencube/simulator/task_graph.hpp>

namespace evencube::simulator {

/// The progress of the tasks of a program: the next step of each, and which task waits for which.
/// Where and when they run is decided by the machine.
class program_run {
 public:
  program_run() = default;
  program_run(const task_graph& of, std::size_t nodes)
      : of_(&of), progress_(of.size()), resuming_(nodes, no_task), groups_(of.groups()) {}

  /// 0 if there is no program.
  [[nodiscard]] std::size_t size() const noexcept { return progress_.size(); }
  [[nodiscard]] const task_graph::step& step_of(task_id task) const noexcept {
    return of_->steps(task)[progress_[task].step];
  }
  /// The node at which a task waits for others.
  [[nodiscard]] node_id place(task_id task) const noexcept { return progress_[task].node; }

  /// Counts a task that was spawned, wherever it is now.
  void count_in_group(task_id task) {
    const std::uint32_t g = of_->group(task);
    if (g != task_graph::no_group) ++groups_[g].tasks;
  }

  /// Called when the current step of `task` has been computed and is not its last.
  void next_step(task_id task) { ++progress_[task].step; }

  void spawn(task_id child, task_id parent) {
    ++progress_[parent].children;
    progress_[child].parent = parent;
    count_in_group(child);
  }

  /// Called when `task` has come to a wait for its children or, unless `group` is no_task, for a
  /// group. Returns true if it has to wait, at node k.
  bool waits(task_id task, task_id group, node_id k) {
    task_progress& of = progress_[task];
    if (group != no_task) {
      group_progress& awaited = groups_[group];
      if (awaited.tasks == 0) return false;
      of.next_waiting = std::exchange(awaited.waiting, task);
    } else {
      if (of.children == 0) return false;
      of.waits = true;
    }
    of.node = k;
    return true;
  }

  /// Called when `task` has ended. Calls resume(task) for each task that waited for this end and
  /// need wait no longer.
  template <class Resume>
  void end(task_id task, Resume&& resume) {
    const task_id parent = progress_[task].parent;
    if (parent != no_task && --progress_[parent].children == 0 &&
        std::exchange(progress_[parent].waits, false)) {
      resume(parent);
    }
    const std::uint32_t g = of_->group(task);
    if (g == task_graph::no_group) return;
    group_progress& group = groups_[g];
    if (--group.tasks > 0) return;
    for (task_id t = std::exchange(group.waiting, no_task); t != no_task;
         t = std::exchange(progress_[t].next_waiting, no_task)) {
      resume(t);
    }
  }

  /// Lets `task` go on at its node when the node is free.
  void put_resuming(task_id task) {
    progress_[task].next_resuming = std::exchange(resuming_[progress_[task].node], task);
  }
  /// Returns the task of k that was put last, or no_task if there is none.
  task_id take_resuming(node_id k) {
    if (resuming_.empty() || resuming_[k] == no_task) return no_task;
    return std::exchange(resuming_[k], progress_[resuming_[k]].next_resuming);
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return progress_.capacity() * sizeof(task_progress) + resuming_.capacity() * sizeof(task_id) +
           groups_.capacity() * sizeof(group_progress);
  }

 private:
  struct task_progress {
    std::uint32_t step = 0;
    std::uint32_t children = 0;  // spawned and not yet ended
    node_id node = 0;            // where it waits
    task_id parent = no_task;
    task_id next_resuming = no_task;
    task_id next_waiting = no_task;  // for the same group
    bool waits = false;              // for its children
  };
  struct group_progress {
    std::uint64_t tasks = 0;  // spawned and not yet ended
    task_id waiting = no_task;
  };

  const task_graph* of_ = nullptr;
  std::vector<task_progress> progress_;
  std::vector<task_id> resuming_;  // of each node
  std::vector<group_progress> groups_;
};

}  // namespace evencube::simulator
