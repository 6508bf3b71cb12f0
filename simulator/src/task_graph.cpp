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

void task_graph::weigh(task_id task, std::uint32_t quanta) {
  if (quanta < 1 || quanta > traces::most_task_cost) {
    throw std::invalid_argument("task " + std::to_string(task) + " counts for " +
                                std::to_string(quanta) + " quanta: at least 1, at most " +
                                std::to_string(traces::most_task_cost) + " are allowed");
  }
  if (quanta_.size() <= task) {
    if (quanta == 1) return;
    quanta_.resize(task + std::size_t{1}, 1);
  }
  quanta_[task] = quanta;
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

namespace {

/// How long each task takes on a machine with a node for every task, and which tasks hold it up.
class chains {
 public:
  explicit chains(const task_graph& of) : of_(of), length_(of.size(), 0), ends_(of.size(), 0) {
    std::vector<task_id> order;  // parents before their children
    order.reserve(of.size());
    for (const task_graph::root& r : of.roots()) order.push_back(r.task);
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const task_graph::step& s : of.steps(order[i])) {
        if (s.then == task_graph::action::spawn) order.push_back(s.child);
      }
    }
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      const story told = follow(*at);
      length_[*at] = told.length;
      ends_[*at] = std::max(told.length, told.unwaited.end);
    }
  }

  [[nodiscard]] double longest() const {
    const task_graph::root* const last = last_root();
    return last == nullptr ? 0 : last->time + ends_[last->task];
  }

  /// The tasks of the longest chain, by their numbers.
  [[nodiscard]] std::vector<task_id> tasks() {
    std::vector<task_id> on_it;
    std::vector<part> left;
    if (const task_graph::root* const last = last_root()) left.push_back({last->task, all, true});
    while (!left.empty()) {
      const part here = left.back();
      left.pop_back();
      const story told = follow(here.task);
      on_it.push_back(here.task);
      std::size_t until = here.until;
      if (here.to_the_end && told.unwaited.end > told.length) {
        left.push_back({told.unwaited.child, all, true});
        until = told.unwaited.spawned;
      }
      // Goes back from a wait to a spawn: what the task did in between does not matter.
      for (auto held = held_up_.rbegin(); held != held_up_.rend(); ++held) {
        if (held->waited >= until) continue;
        left.push_back({held->by.child, all, false});
        until = held->by.spawned;
      }
    }
    std::sort(on_it.begin(), on_it.end());
    return on_it;
  }

 private:
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  /// The latest end of some children.
  struct latest {
    double end = 0;
    task_id child = no_task;
    std::size_t spawned = 0;  // the step that spawned it

    void take(double at, task_id of, std::size_t step) {
      if (at > end) *this = {at, of, step};
    }
  };
  /// The progress of a task from its start.
  struct story {
    double length = 0;
    latest unwaited;  // of the tasks that it, or such a task, spawned without waiting
  };
  struct hold_up {
    std::size_t waited;  // the step that waits
    latest by;
  };
  struct part {
    task_id task;
    std::size_t until;  // a step
    bool to_the_end;    // also to the end of what it spawned without waiting
  };

  /// Follows one task. Afterwards `held_up_` has those of its waits that were held up by children.
  story follow(task_id task) {
    story told;
    double& now = told.length;
    latest children;
    // Only tasks that a task spawned itself: those that others spawned into its groups can only be
    // later.
    of_group_.clear();
    held_up_.clear();
    const auto steps = of_.steps(task);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const task_graph::step& s = steps[i];
      now += s.demand;
      if (s.then == task_graph::action::spawn) {
        children.take(now + length_[s.child], s.child, i);
        if (of_.group(s.child) != task_graph::no_group) {
          of_group_[of_.group(s.child)].take(now + length_[s.child], s.child, i);
        }
        told.unwaited.take(now + ends_[s.child], s.child, i);
      } else if (s.then == task_graph::action::wait) {
        latest awaited = children;
        if (s.child != no_task) {
          const auto found = of_group_.find(s.child);
          awaited = found == of_group_.end() ? latest{} : found->second;
        }
        if (awaited.end > now) {
          now = awaited.end;
          held_up_.push_back({i, awaited});
        }
      }
    }
    return told;
  }

  [[nodiscard]] const task_graph::root* last_root() const {
    const auto roots = of_.roots();
    const auto end_of = [&](const task_graph::root& r) { return r.time + ends_[r.task]; };
    const auto last = std::max_element(roots.begin(), roots.end(),
                                       [&](const task_graph::root& a, const task_graph::root& b) {
                                         return end_of(a) < end_of(b);
                                       });
    return last == roots.end() ? nullptr : &*last;
  }

  const task_graph& of_;
  std::vector<double> length_;  // from a task's start to its end
  std::vector<double> ends_;    // until all that it spawned without waiting has ended, too
  std::unordered_map<std::uint32_t, latest> of_group_;
  std::vector<hold_up> held_up_;
};

}  // namespace

double task_graph::critical_path() const { return chains(*this).longest(); }

std::vector<task_id> task_graph::critical_tasks() const { return chains(*this).tasks(); }

task_graph task_graph::varied(const distribution& factor, std::uint64_t seed) const {
  task_graph made = *this;
  const random_source source(seed);
  for (task_id task = 0; task < size(); ++task) {
    const auto u = source.uniforms(random_purpose::arrival, 0, task);
    const double drawn = factor.sample(u.first, task);
    for (std::size_t i = first_[task]; i < first_[task + 1]; ++i) made.steps_[i].demand *= drawn;
  }
  return made;
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
  // Level by level: the children of the tasks of a level follow each other in the next level.
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
