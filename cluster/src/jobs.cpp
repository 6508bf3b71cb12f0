#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <typeinfo>
#include <utility>

#include "cluster_engine.hpp"

namespace evencube::detail {
namespace {

/// The bytes of a message besides an argument or a result.
constexpr std::size_t framing = 128;
/// Stands in place of the number of a round: an answer to a thief.
constexpr std::uint32_t stolen = std::numeric_limits<std::uint32_t>::max();
/// The number of latest tasks that count when tasks are compared with those that they spawn.
constexpr double recent_tasks = 256;
/// The largest cost of a task, in quanta.
constexpr std::uint32_t most_cost = 65536;

}  // namespace

void task_failure::write(byte_writer& out) const {
  out.put(task);
  out.put(rank);
  out.put(text);
}

task_failure task_failure::read(byte_reader& in) {
  task_failure read;
  read.task = in.text();
  read.rank = in.get<std::uint32_t>();
  read.text = in.text();
  return read;
}

std::uint32_t cluster_engine::add_task(cluster_task_type type) {
  if (type.name.empty()) throw std::invalid_argument("cluster: a task's name is empty");
  const checked_lock lock(mutex_);
  if (sealed_) {
    throw error("cluster: task \"" + type.name + "\" is registered after the first group was made");
  }
  for (const cluster_task_type& known : types_) {
    if (known.name == type.name) {
      throw std::invalid_argument("cluster: there are two tasks of the name \"" + type.name + "\"");
    }
  }
  types_.push_back(std::move(type));
  measured_.emplace_back();
  return static_cast<std::uint32_t>(types_.size() - 1);
}

void cluster_engine::spawn(std::uint32_t group, std::uint32_t task,
                           std::unique_ptr<cluster_call> call, const cluster_spawn_options& options,
                           bool by_task) {
  if (options.cost && (*options.cost < 1 || *options.cost > most_cost)) {
    throw std::invalid_argument("cluster_spawn_options::cost is " + std::to_string(*options.cost) +
                                ", allowed are 1 to " + std::to_string(most_cost));
  }
  const unsigned to = options.rank.value_or(rank_);
  if (to >= size_) {
    throw std::invalid_argument("cluster_spawn_options::rank is " + std::to_string(to) +
                                ", allowed are those below " + std::to_string(size_));
  }
  job made{.task = task,
           .group = group,
           .home = rank_,
           .measured = !options.cost,
           .stays = options.stays};
  if (to != rank_) {
    wait_for_room(to);
    byte_writer argument(most_bytes_ - framing);
    try {
      call->write_argument(argument);
    } catch (const message_too_long& problem) {
      throw std::length_error("an argument of task \"" + types_[task].name + "\" takes " +
                              std::to_string(problem.bytes()) +
                              " bytes or more, and a message to rank " + std::to_string(to) +
                              " can have " + std::to_string(most_bytes_ - framing) + " of them");
    }
    made.argument = argument.take();
  }
  checked_lock lock(mutex_);
  group_state& state = groups_[group];
  if (!by_task && state.waiting && state.waiter != std::this_thread::get_id()) {
    throw error("cluster: a task is spawned into a group while another thread waits for it");
  }
  // Tasks that a task spawns then are dropped, as the runtime does it.
  if (!by_task && runtime_.stopped()) {
    throw error("cluster: a task is spawned on rank " + std::to_string(rank_) +
                ", whose runtime has been stopped");
  }
  made.cost = options.cost ? *options.cost : cost_by_measure(task);
  if (to != rank_) {
    made.number = next_number_++;
    state.away.emplace(made.number, away_job{task, std::move(call)});
    ++state.counted[to];
    ++stats_.tasks_sent;
    window_.put(to, made.argument.size() + framing);
    tasks_out_.push_back({to, std::move(made)});
    tell_progress();
    return;
  }
  made.call = std::move(call);
  if (by_task) {
    spawned_lately_ += made.cost;
  } else {
    program_spawns_ = true;
  }
  ++state.open;
  pool_.put(std::move(made));
  begin_runners();
}

// W in the page. A rank that has left or broken takes nothing any more; waits say so.
void cluster_engine::wait_for_room(unsigned to) {
  checked_lock lock(mutex_);
  lock.wait(room_, [&]() EVENCUBE_REQUIRES(mutex_) {
    return !window_.full(to) || broken_ || leaving_ || left_.contains(to);
  });
}

// Runners are tasks of the runtime, never more than it has workers. Each runs tasks of the rank
// until there are none. If there is no memory for a runner, the next turn tries again. So the tasks
// need not be taken out of the pool, and another rank may have got them by then.
void cluster_engine::begin_runners() {
  if (paused_ || runtime_.stopped()) return;
  while (runners_now_ < runtime_.workers() && runners_now_ - running_ < pool_.size()) {
    ++runners_now_;
    mutex_.unlock();
    bool begun = true;
    // Of high priority: any worker takes it, while a normal task would wait in the queue of the
    // worker that spawns it.
    try {
      runners_->spawn([this] { run_jobs(); }, {.priority = priority::high, .name = "cluster"});
    } catch (const std::bad_alloc&) {
      begun = false;
    } catch (const error&) {
      if (!runtime_.stopped()) {  // in a forked child
        mutex_.lock();
        throw;
      }
      begun = false;
    } catch (...) {
      mutex_.lock();
      throw;
    }
    mutex_.lock();
    if (begun) continue;
    --runners_now_;
    return;
  }
}

void cluster_engine::run_jobs() {
  checked_lock lock(mutex_);
  while (!paused_ && !runtime_.stopped()) {
    std::optional<job> one = pool_.take_newest();
    if (!one) break;
    ++running_;
    lock.unlock();
    run_job(*one);
    one.reset();
    lock.lock();
    --running_;
    if (!workers_look_ || pool_.size() == 0 || !look_is_due()) continue;
    lock.unlock();
    look_between_tasks();
    lock.lock();
  }
  --runners_now_;
  // The rank is idle now, which a round may change; or it is still, for which a hold waits.
  if (paused_) changed_.notify_all();
  tell_progress();
}

void cluster_engine::run_job(job& one) {
  const auto began = clock::now();
  const cluster_task_type& type = types_[one.task];
  const bool guest = one.home != rank_;
  message_bytes result;
  std::optional<std::string> failure;
  try {
    if (one.call == nullptr) {
      byte_reader in(one.argument);
      one.call = type.read(in);
    }
    cluster_context here(*this, one.group);
    one.call->run(here);
    if (guest) {
      byte_writer out(most_bytes_ - framing);
      one.call->write_result(out);
      result = out.take();
    }
  } catch (const message_too_long& problem) {
    failure = "its result takes " + std::to_string(problem.bytes()) +
              " bytes or more, and a message can have " + std::to_string(most_bytes_ - framing) +
              " of them";
  } catch (const std::exception& problem) {
    failure = problem.what();
  } catch (...) {
    failure = "an exception that is no std::exception";
  }
  const double took = std::chrono::duration<double>(clock::now() - began).count();

  checked_lock lock(mutex_);
  measured& known = measured_[one.task];
  take_into(known.task_seconds, took);
  if (!one.measured) take_into(known.quantum_seconds, took / one.cost);
  if (guest && !failure) take_into(known.result_bytes, static_cast<double>(result.size()));
  take_into(quantum_seconds_, took / one.cost);
  executed_lately_ += one.cost - executed_lately_ / recent_tasks;
  spawned_lately_ -= spawned_lately_ / recent_tasks;
  ++stats_.executed;
  group_state& group = groups_[one.group];
  if (failure) fail(group, one, std::move(*failure));
  if (guest) {
    ++group.counted[one.home];
    --group.open;
    results_out_.put({one.home, one.group, one.number, failure.has_value(), std::move(result)});
    results_due_ |= group.open == 0;  // another group may have work that this one need not wait for
    if (results_are_due()) tell_progress();
  } else if (failure) {
    --group.open;
    tell_progress();
  } else {
    group.done.push_back({std::move(one.call), {}, false});
    if (group.done.size() == 1 || ends_wait(group)) group.changed.notify_one();
  }
}

// Rank 0 sends one of a group's failures to all ranks when the group is over. So each rank sends
// rank 0 its first failure.
void cluster_engine::fail(group_state& group, const job& one, std::string text) {
  if (group.told_failure) return;
  group.told_failure = true;
  task_failure told{types_[one.task].name, rank_, std::move(text)};
  if (rank_ == 0) {
    if (!group.failure) group.failure = std::move(told);
  } else {
    ++group.counted[0];
    failures_out_.emplace_back(one.group, std::move(told));
  }
}

void cluster_engine::handle_tasks(unsigned from, byte_reader& in) {
  const auto round = in.get<std::uint32_t>();
  const auto phase = in.get<std::uint32_t>();
  const auto last = in.get<bool>();
  const auto count = in.get<std::uint32_t>();
  // Copied before the mutex is taken, because arguments may be long.
  std::vector<job> all(count);
  for (job& came : all) {
    came.task = in.get<std::uint32_t>();
    came.group = in.get<std::uint32_t>();
    came.home = in.get<std::uint32_t>();
    came.cost = in.get<std::uint32_t>();
    came.measured = in.get<bool>();
    came.stays = in.get<bool>();
    came.number = in.get<std::uint64_t>();
    const auto argument = in.block();
    if (came.home != rank_) came.argument.assign(argument.begin(), argument.end());
  }
  {
    checked_lock lock(mutex_);
    for (job& came : all) {
      if (came.task >= types_.size()) throw error("cluster: a message of another program");
      group_state& group = groups_[came.group];
      if (came.home == rank_) {  // it is back and has not run
        const auto away = group.away.find(came.number);
        if (away == group.away.end()) throw error("cluster: a task has come twice");
        came.call = std::move(away->second.call);
        group.away.erase(away);
      }
      --group.counted[rank_];
      ++group.open;
      pool_.put(std::move(came));
    }
    stats_.tasks_received += count;
    begin_runners();
  }
  if (round == stolen) {
    thief_->got_tasks(from);
  } else if (last) {
    arrived_.emplace(round, phase, from);
    carry_on();
  }
}

void cluster_engine::handle_results(byte_reader& in) {
  // Copied before the mutex is taken, and what is not needed is freed after that, because arguments
  // and results may be long.
  std::vector<outgoing_result> all(in.get<std::uint32_t>());
  for (outgoing_result& came : all) {
    came.group = in.get<std::uint32_t>();
    came.number = in.get<std::uint64_t>();
    came.failed = in.get<bool>();
    const auto result = in.block();
    came.result.assign(result.begin(), result.end());
  }
  std::vector<std::unique_ptr<cluster_call>> dropped;
  const checked_lock lock(mutex_);
  for (outgoing_result& came : all) {
    group_state& group = groups_[came.group];
    const auto away = group.away.find(came.number);
    if (away == group.away.end()) throw error("cluster: a result has come twice");
    --group.counted[rank_];
    if (came.failed) {
      dropped.push_back(std::move(away->second.call));
    } else {
      ++group.open;
      take_into(measured_[away->second.task].result_bytes, static_cast<double>(came.result.size()));
      group.done.push_back({std::move(away->second.call), std::move(came.result), true});
      group.changed.notify_one();
    }
    group.away.erase(away);
  }
}

void cluster_engine::send_results(unsigned to, std::vector<outgoing_result> results) {
  for (std::size_t i = 0; i < results.size();) {
    std::size_t size = framing;
    std::size_t end = i;
    for (; end < results.size(); ++end) {
      const std::size_t more = results[end].result.size() + framing;
      if (end > i && size + more > std::min(usual_message, most_bytes_)) break;
      size += more;
    }
    byte_writer out;
    out.put(wire::results);
    out.put(static_cast<std::uint32_t>(end - i));
    for (; i < end; ++i) {
      out.put(results[i].group);
      out.put(results[i].number);
      out.put(results[i].failed);
      out.block(results[i].result.data(), results[i].result.size());
    }
    post(to, out);
  }
}

// If a result would have to come back, one more message travels; if the home of the task is there,
// one less.
bool cluster_engine::worth_its_way(const job& one, unsigned to, std::size_t batch) const {
  const measured& known = measured_[one.task];
  const double runs = one.measured ? known.task_seconds : known.quantum_seconds * one.cost;
  double bytes = static_cast<double>(one.argument.size());
  if (one.home == rank_) bytes += known.result_bytes;
  if (one.home == to) bytes -= known.result_bytes;
  const double travels =
      options_.message_seconds / static_cast<double>(batch) + bytes / options_.bytes_per_second;
  return runs == 0 || travels <= runs;
}

std::uint32_t cluster_engine::cost_by_measure(std::uint32_t task) const {
  if (options_.quantum_seconds == 0) return 1;
  const double quanta = measured_[task].task_seconds / options_.quantum_seconds;
  return static_cast<std::uint32_t>(std::clamp(std::round(quanta), 1.0, double{most_cost}));
}

// The tasks that are taken count as open here until they are sent (P).
std::uint64_t cluster_engine::send_jobs(unsigned to, load_type quanta, std::uint32_t round,
                                        unsigned phase) {
  std::vector<job> taken;
  {
    const checked_lock lock(mutex_);
    taken = pool_.take_oldest(quanta);
  }
  std::vector<bool> fits(taken.size(), true);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (taken[i].call == nullptr) continue;
    try {
      byte_writer argument(most_bytes_ - framing);
      taken[i].call->write_argument(argument);
      taken[i].argument = argument.take();
    } catch (...) {
      fits[i] =
          false;  // it can run here, and there it could not: it is too long or cannot be written
    }
  }
  std::vector<job> going;
  std::vector<message_bytes> dropped;  // freed without the mutex
  {
    checked_lock lock(mutex_);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      job& one = taken[i];
      if (!fits[i] || !worth_its_way(one, to, taken.size())) {
        if (one.call != nullptr) dropped.push_back(std::exchange(one.argument, {}));
        pool_.put_to_stay(std::move(one));
        ++stats_.tasks_too_large_to_move;
        continue;
      }
      group_state& group = groups_[one.group];
      if (one.call != nullptr) {
        one.number = next_number_++;
        group.away.emplace(one.number, away_job{one.task, std::move(one.call)});
      }
      ++group.counted[to];
      --group.open;
      going.push_back(std::move(one));
    }
    stats_.tasks_sent += going.size();
    begin_runners();
  }
  const std::uint64_t count = going.size();
  if (count == 0 && round == stolen) {
    byte_writer out;
    out.put(wire::refusal);
    post(to, out);
    return 0;
  }
  send_tasks(to, std::move(going), round, phase, true);
  return count;
}

// `last` is true if the last of these messages completes the transfer of a round, or an answer.
void cluster_engine::send_tasks(unsigned to, std::vector<job> jobs, std::uint32_t round,
                                unsigned phase, bool last) {
  std::size_t i = 0;
  do {
    std::size_t size = framing;
    std::size_t end = i;
    for (; end < jobs.size(); ++end) {
      const std::size_t more = jobs[end].argument.size() + framing;
      if (end > i && size + more > std::min(usual_message, most_bytes_)) break;
      size += more;
    }
    byte_writer out;
    out.put(wire::tasks);
    out.put(round);
    out.put(static_cast<std::uint32_t>(phase));
    out.put(last && end == jobs.size());
    out.put(static_cast<std::uint32_t>(end - i));
    for (; i < end; ++i) {
      const job& one = jobs[i];
      out.put(one.task);
      out.put(one.group);
      out.put(one.home);
      out.put(one.cost);
      out.put(one.measured);
      out.put(one.stays);
      out.put(one.number);
      out.block(one.argument.data(), one.argument.size());
    }
    post(to, out);
  } while (i < jobs.size());
}

bool cluster_engine::advance_stealing() {
  {
    const checked_lock lock(mutex_);
    const bool hungry = pool_.size() == 0 && running_ < runtime_.workers();
    if (paused_ || leaving_ || !hungry || groups_.empty()) return false;
  }
  const std::optional<unsigned> victim = thief_->ask(clock::now());
  if (!victim) return false;
  byte_writer out;
  out.put(wire::steal);
  post(*victim, out);
  return true;
}

void cluster_engine::handle_steal(unsigned from) {
  load_type half = 0;
  {
    const checked_lock lock(mutex_);
    if (!paused_) half = std::max((pool_.quanta() + 1) / 2, pool_.oldest_cost());
  }
  send_jobs(from, half, stolen, 0);
}

}  // namespace evencube::detail
