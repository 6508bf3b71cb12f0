#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <evencube/balancers/largest_first.hpp>
#include <evencube/balancers/whole_tasks.hpp>
#include <evencube/simulator/event_queue.hpp>
#include <evencube/simulator/simulation.hpp>

#include "events.hpp"
#include "program_run.hpp"
#include "task_lists.hpp"
#include "text.hpp"

namespace evencube::simulator {

/// The data of a node that every event needs: one cache line.
struct alignas(64) node_state {
  double demand = 0;      // of the step in service, divided by the node's speed
  double arrived = 0;     // of the task in service
  double completes = -1;  // when its completion is due: other completion events are stale
  double busy = 0;        // service given by completed steps
  task_list queue;
  std::uint32_t waiting = 0;
  bool serving = false;
  task_id program_task = no_task;  // of the task in service
  std::uint32_t draws = 0;         // random pairs used by its arrivals
  double slowness = 1;             // 1 / speed
};
static_assert(sizeof(node_state) == 64);

/// The nodes, their queues and the tasks that run on them: the whole simulated machine except
/// arrivals and balancing. `Queue` holds the pending events.
template <class Queue>
class machine {
 public:
  explicit machine(const model& what)
      : what_(what),
        nodes_(what.graph->nodes()),
        spans_(what.most_waiting, now),
        served_(what.order == queue_order::fifo ? list_end::oldest : list_end::newest),
        migrated_(what.balance.migrated == migrated_end::oldest ? list_end::oldest
                                                                : list_end::newest) {
    for (std::size_t k = 0; k < what.speeds.size(); ++k) nodes_[k].slowness = 1 / what.speeds[k];
    if (what.balance.strategy != nullptr) overhead_.resize(nodes_.size());
    if (what.sleep.wake > 0) {
      overhead_.resize(nodes_.size());
      idle_since_.resize(nodes_.size());
    }
    if (what.central_queue) {
      idle_.resize(nodes_.size());
      for (std::size_t i = 0; i < idle_.size(); ++i) {
        idle_[i] = static_cast<node_id>(idle_.size() - 1 - i);
      }
    }
    if (what.program != nullptr) {
      program_ = program_run(*what.program, nodes_.size());
      if (what.program->weighed()) {
        extra_.resize(nodes_.size());
        if (what.order == queue_order::largest_first) orders_.resize(nodes_.size());
      }
    }
  }

  /// From now on records in `into` what happens to nodes and tasks.
  void keep(ledger& into) {
    kept_ = &into;
    kept_->nodes.assign(nodes_.size(), {});
    kept_->tasks.assign(program_.size(), {});
    expected_.assign(nodes_.size(), 0);
  }

  /// Adds the time from now until `time`, within which nothing happens. O(nodes).
  void keep_time(double time, bool round_under_way) {
    const double elapsed = time - now;
    for (node_id k = 0; k < size(); ++k) {
      node_time& of = kept_->nodes[k];
      if (nodes_[k].serving) {
        const double late = overhead_.empty() ? 0 : overhead_[k].until - now;
        const double asleep = std::clamp(late, 0.0, elapsed);
        of.waking += asleep;
        of.computing += elapsed - asleep;
      } else if (expected_[k] > 0) {
        of.receiving += elapsed;
      } else if (waiting_ == 0) {
        of.nothing += elapsed;
      } else {
        (round_under_way ? of.planning : of.elsewhere) += elapsed;
      }
    }
  }

  /// Counts tasks on their way to k; `expected_came` counts them as arrived.
  void expect(node_id k) {
    if (kept_ != nullptr) ++expected_[k];
  }
  void expected_came(node_id k) {
    if (kept_ != nullptr) --expected_[k];
  }

  Queue events;
  double now = 0;
  /// The node where the last completion let a waiting task go on, until the observer of the loads
  /// has read it.
  node_id resumed = no_slot;

  [[nodiscard]] node_id size() const noexcept { return static_cast<node_id>(nodes_.size()); }
  [[nodiscard]] node_state& at(node_id k) noexcept { return nodes_[k]; }
  [[nodiscard]] const node_state& at(node_id k) const noexcept { return nodes_[k]; }
  /// The quanta of the waiting tasks, plus one for the task in service, as the runtime counts.
  [[nodiscard]] load_type load(node_id k) const noexcept {
    return load_type{nodes_[k].waiting} + (extra_.empty() ? 0 : extra_[k]) +
           (nodes_[k].serving ? 1 : 0);
  }
  /// The load in units: the waiting quanta divided by `unit`, plus one for the task in service.
  [[nodiscard]] load_type load_in(node_id k, load_type unit) const noexcept {
    const load_type serving = nodes_[k].serving ? 1 : 0;
    return (load(k) - serving) / unit + serving;
  }
  [[nodiscard]] std::uint64_t in_system() const noexcept { return in_system_; }

  /// Adds an event. Throws std::invalid_argument for a time that the clock cannot represent.
  void push(double time, event_kind kind, std::uint64_t object) {
    if (!(time <= latest_time)) [[unlikely]]
      refuse_time(time, kind, object);
    events.push({time, make_key(kind, object)});
  }

  /// Adds new tasks, all alike, to a node. Starts one if the node is free.
  void arrive(node_id k, double demand, task_id program_task = no_task, std::uint32_t count = 1) {
    if (count == 0) return;
    account();
    keep_coming(program_task, k);
    in_system_ += count;
    found.arrived += count;
    if (what_.central_queue) {
      for (; count > 0 && !idle_.empty(); --count) {
        const node_id server = idle_.back();
        idle_.pop_back();
        begin(server, demand, now, program_task);
      }
      append(central_, demand, program_task, count);
      found.longest_queue = std::max<load_type>(found.longest_queue, central_.waiting);
      return;
    }
    node_state& node = nodes_[k];
    if (!node.serving && !held_) {
      begin(k, demand, now, program_task);
      --count;
    }
    append(node, demand, program_task, count);
    found.longest_queue = std::max(found.longest_queue, load(k));
  }

  /// Counts a task of the program that was spawned, wherever it is now.
  void count_in_group(task_id task) { program_.count_in_group(task); }

  /// Called when the step in service at k is over. Returns true if a task left the system.
  bool complete(node_id k) {
    node_state& node = nodes_[k];
    if (node.completes != now) return false;            // it was interrupted and put back
    if (!overhead_.empty() && overhead_[k].owed > 0) {  // balancing took the processor meanwhile
      node.completes = now + std::exchange(overhead_[k].owed, 0.0);
      push(node.completes, event_kind::completion, k);
      return false;
    }
    account();
    node.busy += node.demand;
    found.work += node.demand / node.slowness;
    if (node.program_task != no_task && !advance(k)) return false;
    if (kept_ != nullptr && node.program_task != no_task) {
      kept_->tasks[node.program_task].ended = now;
    }
    --in_system_;
    ++found.completed;
    found.makespan = now;
    if (now >= what_.warm_up) {
      found.mean_response += now - node.arrived;
      ++tally.responses;
    }
    leave(k);
    return true;
  }

  /// True if tasks may cost several quanta.
  [[nodiscard]] bool has_costs() const noexcept { return !extra_.empty(); }
  /// The cost of every waiting task, judged by the mean of each queue as the runtime does while
  /// tasks run; 1 if the tasks cost different amounts. O(nodes).
  [[nodiscard]] load_type common_cost() const noexcept {
    load_type common = 0;
    for (std::size_t k = 0; k < extra_.size(); ++k) {
      const load_type tasks = nodes_[k].waiting;
      if (tasks == 0) continue;
      if (extra_[k] % tasks != 0) return 1;
      const load_type mean = 1 + extra_[k] / tasks;
      if (common != 0 && mean != common) return 1;
      common = mean;
    }
    return std::max<load_type>(common, 1);
  }
  /// The cost of the largest waiting task; at least 1. O(tasks).
  [[nodiscard]] load_type largest_waiting() const {
    load_type largest = 1;
    if (!has_costs()) return largest;
    for (const node_state& node : nodes_) {
      for (slot at = node.queue.head; at != no_slot; at = spans_[at].next) {
        largest = std::max<load_type>(largest, quanta_of(at));
      }
    }
    return largest;
  }
  /// True if k has waiting tasks.
  [[nodiscard]] bool has_waiting(node_id k) const noexcept { return nodes_[k].waiting != 0; }

  /// Takes the waiting tasks of a node that count for the nearest to `wanted` quanta
  /// (migration.nearest). Unless `held`, knows the costs of the tasks only by their mean. If
  /// `at_least_one`, takes at least one task if there is one.
  chain take(node_id k, load_type wanted, bool at_least_one, bool held = false) {
    keep_largest_first(k);
    node_state& node = nodes_[k];
    chain taken;
    taken.count = static_cast<std::uint32_t>(std::clamp<load_type>(wanted, 0, node.waiting));
    taken.quanta = taken.count;
    if (!extra_.empty()) weigh_first(k, wanted, at_least_one, held, taken);
    if (taken.count == 0) return taken;
    account();
    node.waiting -= taken.count;
    waiting_ -= taken.count;
    const load_type quanta = taken.quanta;
    taken = spans_.take(node.queue, migrated_, taken.count);
    taken.quanta = quanta;
    for_kept(taken, [&](task_story& of) { of.left = now; });
    return taken;
  }

  /// Puts tasks that have travelled behind those that wait, and starts one if the node is free.
  void deliver(node_id k, chain landed) {
    if (landed.count == 0) return;
    account();
    node_state& node = nodes_[k];
    node.waiting += landed.count;
    waiting_ += landed.count;
    if (!extra_.empty()) extra_[k] += landed.quanta - load_type{landed.count};
    if (!orders_.empty() && landed.quanta > load_type{landed.count}) {
      orders_[k].come += landed.count;
    }
    for_kept(landed, [&](task_story& of) {
      of.landed = now;
      of.from = std::exchange(of.node, k);
      ++of.moves;
    });
    spans_.join(node.queue, landed);
    if (!node.serving) start_next(k);
    found.longest_queue = std::max(found.longest_queue, load(k));
  }

  /// Takes `cost` of the processor of k, after the time that balancing has already taken of it.
  /// Returns the time at which that is over. A running task is put off, and a waiting one starts
  /// later.
  double charge(node_id k, double cost) {
    if (!(cost > 0)) return now;
    overhead& o = overhead_[k];
    const double end = std::max(now, o.until) + cost;
    o.until = end;
    if (nodes_[k].serving) o.owed += cost;
    found.overhead += cost;
    return end;
  }

  /// Stops all execution. The tasks in service become the next in their queues again, with the rest
  /// of their demand, and nothing begins before release(). Not for central queues.
  void hold() {
    account();
    held_ = true;
    held_since_ = now;
    for (node_id k = 0; k < size(); ++k) {
      node_state& node = nodes_[k];
      if (!node.serving) continue;
      const double due = node.completes + std::exchange(overhead_[k].owed, 0.0);
      const double left = std::clamp(due - std::max(now, overhead_[k].until), 0.0, node.demand);
      node.busy += node.demand - left;
      found.work += (node.demand - left) / node.slowness;
      put_back(node, {left / node.slowness, node.arrived, no_slot, no_slot, node.program_task});
      node.serving = false;
      node.completes = -1;
      --serving_;
    }
  }

  /// True if execution is held and all waiting tasks are alike, so that only their numbers matter.
  /// O(nodes), less if they differ.
  [[nodiscard]] bool all_alike() const noexcept {
    if (!held_) return false;
    slot first = no_slot;
    for (const node_state& node : nodes_) {
      if (node.queue.empty()) continue;
      if (first == no_slot) first = node.queue.head;
      if (node.queue.head != node.queue.tail || !spans_[first].alike(spans_[node.queue.head])) {
        return false;
      }
    }
    return first != no_slot;
  }

  /// Redistributes the waiting tasks: counts[k] to node k, in total as many as there are.
  /// Precondition: all_alike().
  void redistribute(std::span<const load_type> counts) {
    const auto any = std::find_if(nodes_.begin(), nodes_.end(),
                                  [](const node_state& node) { return !node.queue.empty(); });
    task_span what = spans_[any->queue.head];
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      nodes_[k].waiting = what.count = static_cast<std::uint32_t>(counts[k]);
      spans_.become(nodes_[k].queue, what);
    }
  }

  /// Lets every node go on.
  void release() {
    account();
    held_ = false;
    found.overhead += (now - held_since_) * static_cast<double>(size());
    std::fill(idle_since_.begin(), idle_since_.end(), now);
    for (node_id k = 0; k < size(); ++k) {
      if (!nodes_[k].serving) start_next(k);
    }
  }

  /// True if some node has nothing to do while tasks wait at others.
  [[nodiscard]] bool unbalanced() const noexcept { return serving_ < size() && waiting_ > 0; }

  /// True if k has had nothing to do for a while and is awake.
  [[nodiscard]] bool searching(node_id k) const noexcept {
    return load(k) == 0 && !idle_since_.empty() && idle_since_[k] < now &&
           now - idle_since_[k] <= what_.sleep.after;
  }

  /// The number of tasks that wait at nodes.
  [[nodiscard]] std::uint64_t waiting() const noexcept { return waiting_; }

  /// True if nothing will ever happen again: no event is pending, and no task waits for a node. The
  /// tasks that are left wait for each other.
  [[nodiscard]] bool stuck() const noexcept { return events.empty() && waiting_ == 0; }

  /// The service given by k until now, including the step in service.
  [[nodiscard]] double busy_until_now(node_id k) const noexcept {
    const node_state& node = nodes_[k];
    if (!node.serving) return node.busy;
    return node.busy + std::clamp(now - (node.completes - node.demand), 0.0, node.demand);
  }

  /// Begins the statistics of queues again.
  void forget() {
    account();
    tally.area = tally.serving_area = 0;
  }

  /// Brings the time integrals up to now.
  void account() noexcept {
    const double elapsed = now - accounted_;
    accounted_ = now;
    tally.area += elapsed * static_cast<double>(in_system_);
    tally.serving_area += elapsed * static_cast<double>(serving_);
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return nodes_.capacity() * sizeof(node_state) + spans_.memory_bytes() +
           overhead_.capacity() * sizeof(overhead) + idle_since_.capacity() * sizeof(double) +
           idle_.capacity() * sizeof(node_id) + program_.memory_bytes() +
           extra_.capacity() * sizeof(load_type) + orders_.capacity() * sizeof(order_state) +
           arranging_.capacity() * sizeof(slot) + events.memory_bytes();
  }

  /// The results, also those of the balancing. Means are kept as sums until the end.
  result found;

  struct {
    std::uint64_t responses = 0;
    double area = 0;          // of tasks in the system over time
    double serving_area = 0;  // of tasks in service over time
  } tally;

  /// Prefetches the data of k, which will be needed soon.
  void prefetch(node_id k) const noexcept { __builtin_prefetch(&nodes_[k], 1); }

 private:
  struct overhead {
    double until = 0;  // the processor belongs to balancing up to here
    double owed = 0;   // of that, what the task in service must make up for
  };

  /// The state of a queue whose largest tasks begin first.
  struct order_state {
    queue_in_order last;
    std::uint32_t come = 0;  // tasks of more than one quantum since
    std::uint64_t begun = 0;
  };

  [[noreturn]] void refuse_time(double time, event_kind kind, std::uint64_t object) const {
    throw std::invalid_argument(std::string(name_of(kind)) + " (number " + std::to_string(object) +
                                ") would come at time " + shortest(time) +
                                ": times must be at most " + shortest(latest_time));
  }

  /// Called when a task of the program has come to wait at a node (1), or goes on (-1).
  void weigh(const node_state& node, task_id task, int sign) {
    if (extra_.empty() || task == no_task) return;
    // This is never the central queue, which programs cannot have.
    const auto k = static_cast<std::size_t>(&node - nodes_.data());
    const load_type beyond_one = what_.program->quanta(task) - 1;
    extra_[k] += sign * beyond_one;
    if (!orders_.empty() && sign > 0 && beyond_one > 0) ++orders_[k].come;
  }

  /// Moves the largest waiting tasks of k to both ends of its queue, when that is due. Forks stay
  /// in place, and so does everything older than a fork.
  void keep_largest_first(node_id k) {
    if (orders_.empty()) return;
    order_state& order = orders_[k];
    node_state& node = nodes_[k];
    if (!order.last.due(order.come, order.begun, node.waiting)) return;
    order.come = 0;
    order.last = {.length = node.waiting, .begun = order.begun};
    arranging_.clear();
    for (slot at = node.queue.tail; at != no_slot; at = spans_[at].previous) {
      const task_id task = spans_[at].program_task;
      if (task == no_task || what_.program->group(task) == task_graph::no_group) break;
      arranging_.push_back(at);
    }
    if (arranging_.size() <= 2) return;
    std::reverse(arranging_.begin(), arranging_.end());
    const std::size_t count = arranging_.size();
    const slot before = spans_[arranging_.front()].previous;
    arranging_.resize(2 * count);
    const auto size_of = [&](slot at) { return static_cast<std::uint32_t>(quanta_of(at)); };
    const std::span<slot> queue(arranging_.data(), count);
    order.last.uneven = largest_to_both_ends(queue, arranging_.data() + count, size_of);
    if (!order.last.uneven) return;
    spans_.arrange_newest(node.queue, before, queue);
  }

  [[nodiscard]] load_type quanta_of(slot at) const {
    return static_cast<load_type>(what_.program->quanta(spans_[at].program_task));
  }

  /// Finds how many of the waiting tasks of k, from the end that migrates, come nearest to `wanted`
  /// quanta. Judges by their mean, a batch at a time, as the runtime claims them, or `held` by each
  /// of them. These tasks then count as gone.
  void weigh_first(node_id k, load_type wanted, bool at_least_one, bool held, chain& taken) {
    constexpr load_type at_once = 64;
    const bool oldest = migrated_ == list_end::oldest;
    load_type left = wanted;
    load_type waiting = nodes_[k].waiting;
    slot at = oldest ? nodes_[k].queue.head : nodes_[k].queue.tail;
    taken.count = 0;
    taken.quanta = 0;
    while (waiting > 0) {
      const load_type each = held ? quanta_of(at) : 1 + extra_[k] / waiting;
      load_type n = held || left < each ? (takes_whole_task(left, each) ? 1 : 0) : left / each;
      if (n == 0 && taken.count == 0 && at_least_one) n = 1;
      if (n == 0) return;
      for (n = std::min({n, waiting, at_once}); n > 0; --n) {
        const load_type quanta = quanta_of(at);
        at = oldest ? spans_[at].next : spans_[at].previous;
        left -= quanta;
        extra_[k] -= quanta - 1;
        taken.quanta += quanta;
        ++taken.count;
        --waiting;
      }
    }
  }

  /// Lets new tasks wait behind the others.
  void append(node_state& node, double demand, task_id program_task, std::uint32_t count) {
    if (count == 0) return;
    node.waiting += count;
    waiting_ += count;
    weigh(node, program_task, 1);
    spans_.put(node.queue, list_end::newest, {demand, now, no_slot, no_slot, program_task, count});
  }

  /// Makes `task` the next one that the node serves.
  void put_back(node_state& node, const task_span& task) {
    ++node.waiting;
    ++waiting_;
    weigh(node, task.program_task, 1);
    spans_.put(node.queue, served_, task);
  }

  /// Records that a task of a program is in a queue for the first time, or begins at once.
  void keep_coming(task_id task, node_id k) {
    if (kept_ == nullptr || task == no_task) return;
    kept_->tasks[task].came = now;
    kept_->tasks[task].home = kept_->tasks[task].node = k;
  }

  /// Calls `change` for the records of the program's tasks among these, if any are kept.
  template <class Change>
  void for_kept(const chain& tasks, Change&& change) {
    if (kept_ == nullptr) return;
    for (slot at = tasks.first; at != no_slot; at = spans_[at].next) {
      if (spans_[at].program_task != no_task) change(kept_->tasks[spans_[at].program_task]);
    }
  }

  /// Begins a task at a free node.
  void begin(node_id k, double demand, double arrived, task_id program_task) {
    node_state& node = nodes_[k];
    node.serving = true;
    ++serving_;
    node.arrived = arrived;
    node.program_task = program_task;
    if (!idle_since_.empty() && now - idle_since_[k] > what_.sleep.after) {
      overhead_[k].until = std::max(overhead_[k].until, now + what_.sleep.wake);
    }
    if (kept_ != nullptr && program_task != no_task && kept_->tasks[program_task].begun < 0) {
      const double free = overhead_.empty() ? now : overhead_[k].until;
      kept_->tasks[program_task].begun = std::max(now, free);
    }
    serve(k, demand);
  }

  /// Begins a step of the task that k has in service.
  void serve(node_id k, double demand) {
    node_state& node = nodes_[k];
    node.demand = demand * node.slowness;
    const double start = overhead_.empty() ? now : std::max(now, overhead_[k].until);
    node.completes = start + node.demand;
    push(node.completes, event_kind::completion, k);
  }

  void leave(node_id k) {
    nodes_[k].serving = false;
    nodes_[k].completes = -1;
    --serving_;
    if (!idle_since_.empty()) idle_since_[k] = now;
    start_next(k);
  }

  void start_next(node_id k) {
    if (held_) return;
    node_state& node = nodes_[k];
    if (const task_id task = program_.take_resuming(k); task != no_task) {
      begin(k, program_.step_of(task).demand, now, task);
      return;
    }
    keep_largest_first(k);
    node_state& from = what_.central_queue ? central_ : node;
    if (from.waiting == 0) {
      if (what_.central_queue) idle_.push_back(k);
      return;
    }
    const task_span task = spans_.take_one(from.queue, served_);
    --from.waiting;
    --waiting_;
    weigh(from, task.program_task, -1);
    if (!orders_.empty()) ++orders_[k].begun;
    begin(k, task.demand, task.arrived, task.program_task);
  }

  /// Called when the task of k has computed its step: does what the step says. Returns true if the
  /// task ended. Otherwise it goes on, or has left the node to another task.
  bool advance(node_id k) {
    const task_id task = nodes_[k].program_task;
    const task_graph::step step = program_.step_of(task);
    if (step.then == task_graph::action::end) {
      program_.end(task, [this](task_id other) { resume(other); });
      return true;
    }
    program_.next_step(task);
    if (step.then == task_graph::action::spawn) {
      program_.spawn(step.child, task);
      spawn_at(k, step.child);
    } else if (program_.waits(task, step.child, k)) {
      leave(k);
      return false;
    }
    serve(k, program_.step_of(task).demand);
    return false;
  }

  /// A task that k has spawned goes to its home, or waits here.
  void spawn_at(node_id k, task_id child) {
    const node_id home = what_.program->home(child);
    if (home != task_graph::no_home && home % size() != k) {
      const node_id there = home % size();
      const double far = what_.distance.time(k, there, size(), 1);
      expect(there);
      push(now + what_.links.latency + far, event_kind::delivery, child);
      return;
    }
    keep_coming(child, k);
    ++in_system_;
    ++found.arrived;
    append(nodes_[k], what_.program->steps(child)[0].demand, child, 1);
    found.longest_queue = std::max(found.longest_queue, load(k));
  }

  void resume(task_id task) {
    const node_id k = resumed = program_.place(task);
    if (nodes_[k].serving || held_) {
      program_.put_resuming(task);
    } else {
      begin(k, program_.step_of(task).demand, now, task);
    }
  }

  const model& what_;
  std::vector<node_state> nodes_;
  task_lists spans_;
  std::vector<overhead> overhead_;  // empty without balancing and sleep
  std::vector<double> idle_since_;  // empty without sleep
  std::vector<node_id> idle_;       // of the central queue
  program_run program_;
  std::vector<load_type>
      extra_;  // quanta that wait at each node beyond one a task, where they differ
  std::vector<order_state> orders_;  // where the largest begin first
  std::vector<slot> arranging_;
  node_state central_;
  std::uint64_t in_system_ = 0;
  std::uint64_t serving_ = 0;
  std::uint64_t waiting_ = 0;
  double accounted_ = 0;
  double held_since_ = 0;
  bool held_ = false;
  list_end served_;
  list_end migrated_;
  ledger* kept_ = nullptr;
  std::vector<std::uint32_t> expected_;  // if a ledger is kept: transfers on their way to a node
};

}  // namespace evencube::simulator
