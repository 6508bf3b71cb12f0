#include <evencube/simulator/task_graph.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include <evencube/simulator/random.hpp>

#include "text.hpp"

namespace evencube::simulator {

task_id task_graph::add(std::span<const step> steps) {
  const auto name = "task " + std::to_string(size());
  if (size() == no_task - 1)
    throw std::invalid_argument("a task graph holds at most 2^32 - 2 tasks");
  if (steps.empty() || steps.back().then != action::end) {
    throw std::invalid_argument(name + ": the last step must end the task");
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!std::isfinite(steps[i].demand) || steps[i].demand < 0) {
      throw std::invalid_argument(name + ", step " + std::to_string(i) + ": the demand " +
                                  shortest(steps[i].demand) + " must be finite and >= 0");
    }
    if (i + 1 < steps.size() && steps[i].then == action::end) {
      throw std::invalid_argument(name + ", step " + std::to_string(i) +
                                  ": only the last step may end the task");
    }
  }
  steps_.insert(steps_.end(), steps.begin(), steps.end());
  first_.push_back(steps_.size());
  return size() - 1;
}

void task_graph::place(task_id task, node_id home, std::uint32_t group) {
  if (places_.size() <= task) places_.resize(task + std::size_t{1});
  places_[task] = {home, group};
  if (group != no_group) groups_ = std::max(groups_, group + 1);
}

void task_graph::add_root(root from_outside) {
  if (!std::isfinite(from_outside.time) || from_outside.time < 0) {
    throw std::invalid_argument("the root task " + std::to_string(from_outside.task) +
                                " comes at time " + shortest(from_outside.time) +
                                ": it must be finite and >= 0");
  }
  roots_.push_back(from_outside);
}

void task_graph::validate() const {
  std::vector<std::uint8_t> named(size(), 0);
  const auto name_once = [&](task_id task, const std::string& by) {
    if (task >= size()) {
      throw std::invalid_argument(by + " names task " + std::to_string(task) + ", but there are " +
                                  std::to_string(size()) + " tasks");
    }
    if (named[task]++ != 0) {
      throw std::invalid_argument("task " + std::to_string(task) + " is started twice, again by " +
                                  by);
    }
  };
  double last = 0;
  for (const root& r : roots_) {
    name_once(r.task, "a root");
    if (r.time < last) {
      throw std::invalid_argument("the root task " + std::to_string(r.task) +
                                  " comes before the root ahead of it in the list");
    }
    last = r.time;
  }
  for (task_id task = 0; task < size(); ++task) {
    for (const step& s : steps(task)) {
      if (s.then == action::spawn) name_once(s.child, "task " + std::to_string(task));
      if (s.then == action::wait && s.child != no_task && s.child >= groups_) {
        throw std::invalid_argument("task " + std::to_string(task) + " waits for group " +
                                    std::to_string(s.child) + ", which has no tasks");
      }
    }
  }
  const auto lost = std::find(named.begin(), named.end(), 0);
  if (lost != named.end()) {
    throw std::invalid_argument("task " + std::to_string(lost - named.begin()) +
                                " is neither a root nor spawned by any task");
  }
}

double task_graph::total_demand() const noexcept {
  double sum = 0;
  for (const step& s : steps_) sum += s.demand;
  return sum;
}

double task_graph::critical_path() const {
  // A task's length is the time from its start to its end on a machine with a node for every task.
  // Children are visited before their parents by walking the tasks in reverse of a discovery order.
  std::vector<task_id> order;
  order.reserve(size());
  for (const root& r : roots_) order.push_back(r.task);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const step& s : steps(order[i])) {
      if (s.then == action::spawn) order.push_back(s.child);
    }
  }
  // `ends`: from a task's start until it and all that it spawned without waiting for have ended.
  std::vector<double> length(size(), 0);
  std::vector<double> ends(size(), 0);
  // Of the tasks a task spawned itself: what others spawned into its groups can only be later.
  std::unordered_map<std::uint32_t, double> of_group;
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    double now = 0;
    double children = 0;
    of_group.clear();
    double unwaited = 0;
    for (const step& s : steps(*at)) {
      now += s.demand;
      if (s.then == action::spawn) {
        children = std::max(children, now + length[s.child]);
        if (group(s.child) != no_group) {
          double& latest = of_group[group(s.child)];
          latest = std::max(latest, now + length[s.child]);
        }
        unwaited = std::max(unwaited, now + ends[s.child]);
      } else if (s.then == action::wait) {
        double awaited = children;
        if (s.child != no_task) {
          const auto found = of_group.find(s.child);
          awaited = found == of_group.end() ? 0 : found->second;
        }
        now = std::max(now, awaited);
      }
    }
    length[*at] = now;
    ends[*at] = std::max(now, unwaited);
  }
  double longest = 0;
  for (const root& r : roots_) longest = std::max(longest, r.time + ends[r.task]);
  return longest;
}

task_graph task_graph::tree(unsigned depth, unsigned fanout, const distribution& demand,
                            std::uint64_t seed) {
  if (fanout == 0) throw std::invalid_argument("a tree of tasks needs a fan-out >= 1");
  double count = 0;
  double level_size = 1;
  for (unsigned level = 0; level <= depth; ++level) {
    count += level_size;
    level_size *= fanout;
    if (count > 1e8) {
      throw std::invalid_argument("a tree of depth " + std::to_string(depth) + " and fan-out " +
                                  std::to_string(fanout) + " has more than 10^8 tasks");
    }
  }
  task_graph made;
  const random_source source(seed);
  std::vector<step> steps;
  // Level by level: the children of the tasks of a level follow each other in the next.
  auto next_child = std::uint64_t{1};
  auto level_tasks = std::uint64_t{1};
  for (unsigned level = 0; level <= depth; ++level) {
    for (std::uint64_t i = 0; i < level_tasks; ++i) {
      const auto u = source.uniforms(random_purpose::arrival, 0, made.size());
      steps.clear();
      if (level == depth) {
        steps.push_back({demand.sample(u.first, made.size()), no_task, action::end});
      } else {
        const double first = demand.sample(u.first, std::uint64_t{2} * made.size());
        for (unsigned child = 0; child < fanout; ++child) {
          steps.push_back(
              {child == 0 ? first : 0, static_cast<task_id>(next_child++), action::spawn});
        }
        steps.push_back({0, no_task, action::wait});
        steps.push_back(
            {demand.sample(u.second, std::uint64_t{2} * made.size() + 1), no_task, action::end});
      }
      made.add(steps);
    }
    level_tasks *= fanout;
  }
  made.add_root({0, 0, 0});
  return made;
}

}  // namespace evencube::simulator
