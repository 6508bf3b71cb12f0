#include "work.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <typeinfo>
#include <utility>

#include "outbox.hpp"

namespace evencube::detail {
namespace {

message_bytes told_bytes(const task_failure& told) {
  byte_writer out;
  told.write(out);
  return out.take();
}

}  // namespace

rank_work::rank_work(rank_core& core, mail& post, collective_calls& calls, cluster_engine& whole,
                     std::function<void()> look)
    : core_(core),
      mail_(post),
      calls_(calls),
      whole_(whole),
      looks_(std::move(look)),
      tray_(core.options.window_bytes),
      runners_(core.runtime) {}

std::uint32_t rank_work::add_task(cluster_task_type type) {
  const data_lock lock(core_.mutex);
  const std::uint32_t number = types_.add(std::move(type));
  measures_.add_type();
  return number;
}

bool rank_work::seal() {
  const data_lock lock(core_.mutex);
  return types_.seal();
}

void rank_work::close() {
  const data_lock lock(core_.mutex);
  crew_.paused = true;
  crew_.closed = true;
  pool_.clear();
  tray_.room.notify_all();
  core_.tell_progress();
  core_.over->interrupt();
}

void rank_work::join() noexcept {
  try {
    runners_.wait();
  } catch (...) {
    // Runners throw nothing, but spawning one may have thrown.
  }
}

bool rank_work::ends_wait(const group_state& group) const {
  return group.open == group.done.size() || pool_.size() < core_.runtime.workers();
}

void rank_work::pause(bool paused) { crew_.paused = paused; }

// Tasks that run when the runtime is stopped go on to their end. After that nothing runs here any
// more.
void rank_work::look_for_stop() {
  if (crew_.stopped || crew_.running > 0 || !core_.runtime.stopped()) return;
  crew_.stopped = true;
  core_.changed.notify_all();
  groups_.notify_all();
}

void rank_work::notify_all() {
  tray_.room.notify_all();
  core_.changed.notify_all();
  groups_.notify_all();
}

void rank_work::spawn(std::uint32_t group, std::uint32_t task, std::unique_ptr<cluster_call> call,
                      const cluster_spawn_options& options, bool by_task) {
  if (options.cost && (*options.cost < 1 || *options.cost > task_measures::most_cost)) {
    throw std::invalid_argument("cluster_spawn_options::cost is " + std::to_string(*options.cost) +
                                ", allowed are 1 to " + std::to_string(task_measures::most_cost));
  }
  const unsigned to = options.rank.value_or(core_.rank);
  if (to >= core_.size) {
    throw std::invalid_argument("cluster_spawn_options::rank is " + std::to_string(to) +
                                ", allowed are those below " + std::to_string(core_.size));
  }
  job made{.task = task,
           .group = group,
           .home = core_.rank,
           .measured = !options.cost,
           .stays = options.stays};
  if (to != core_.rank) {
    wait_for_room(to);
    byte_writer argument(core_.most_bytes - framing);
    try {
      call->write_argument(argument);
    } catch (const message_too_long& problem) {
      throw std::length_error("an argument of task \"" + types_[task].name + "\" takes " +
                              std::to_string(problem.bytes()) +
                              " bytes or more, and a message to rank " + std::to_string(to) +
                              " can have " + std::to_string(core_.most_bytes - framing) +
                              " of them");
    }
    made.argument = argument.take();
  }
  data_lock lock(core_.mutex);
  group_state& state = groups_[group];
  if (!by_task && state.waiting() && state.waiter != std::this_thread::get_id()) {
    throw error("cluster: a task is spawned into a group while another thread waits for it");
  }
  // Tasks that a task spawns then are dropped, as the runtime does it.
  if (!by_task && core_.runtime.stopped()) {
    throw error("cluster: a task is spawned on rank " + std::to_string(core_.rank) +
                ", whose runtime has been stopped");
  }
  made.cost = options.cost ? *options.cost : measures_.cost_of(task, core_.options.quantum_seconds);
  // If an allocation fails, nothing is counted that is not here.
  if (to != core_.rank) {
    made.number = tray_.next_number++;
    std::int64_t& counted = state.counted[to];
    const std::uint64_t number = made.number;
    const std::uint64_t bytes = made.argument.size() + framing;
    const std::uint32_t cost = made.cost;
    const bool measured = made.measured;
    tray_.window.put(to, 0);  // allocates now, if it must, and not below
    tray_.tasks.push_back({to, std::move(made)});
    try {
      state.away.emplace(number,
                         away_call{task, std::move(call), cost, measured, options.stays, to});
    } catch (...) {
      tray_.tasks.pop_back();
      throw;
    }
    tray_.window.put(to, bytes);
    ++counted;
    ++core_.stats.tasks_sent;
    core_.tell_progress();
    return;
  }
  made.call = std::move(call);
  const std::uint32_t cost = made.cost;
  pool_.put(std::move(made));
  if (by_task) {
    measures_.spawned_by_task(cost);
  } else {
    measures_.spawned_by_program();
  }
  ++state.open;
  begin_runners();
}

// W in the page. A rank that has left or broken takes nothing any more; waits say so.
void rank_work::wait_for_room(unsigned to) {
  data_lock lock(core_.mutex);
  lock.wait(tray_.room, [&]() EVENCUBE_REQUIRES(shared_data) {
    return !tray_.window.full(to) || core_.broken || crew_.closed || calls_.has_left(to);
  });
}

// Runners are tasks of the runtime, never more than it has workers. Each runs tasks of the rank
// until there are none. If there is no memory for a runner, the next turn tries again. So the tasks
// need not be taken out of the pool, and another rank may have got them by then.
void rank_work::begin_runners() {
  if (crew_.paused || core_.runtime.stopped()) return;
  while (crew_.now < core_.runtime.workers() && crew_.now - crew_.running < pool_.size()) {
    ++crew_.now;
    core_.mutex.unlock();
    bool begun = true;
    // Of high priority: any worker takes it, while a normal task would wait in the queue of the
    // worker that spawns it.
    try {
      runners_.spawn([this] { run_jobs(); }, {.priority = priority::high, .name = "cluster"});
    } catch (const std::bad_alloc&) {
      begun = false;
    } catch (const error&) {
      if (!core_.runtime.stopped()) {  // in a forked child
        core_.mutex.lock();
        throw;
      }
      begun = false;
    } catch (...) {
      core_.mutex.lock();
      throw;
    }
    core_.mutex.lock();
    if (begun) continue;
    --crew_.now;
    return;
  }
}

void rank_work::run_jobs() {
  data_lock lock(core_.mutex);
  while (!crew_.paused && !core_.runtime.stopped()) {
    std::optional<job> one = pool_.take_newest();
    if (!one) break;
    ++crew_.running;
    // A group that its program has left may end meanwhile.
    std::shared_ptr<result_reducer> reducer = groups_[one->group].reducer;
    lock.unlock();
    std::exception_ptr broke;
    try {
      run_job(*one, reducer.get());
    } catch (...) {
      broke = std::current_exception();
    }
    one.reset();
    reducer.reset();
    lock.lock();
    --crew_.running;
    if (broke) {  // the next turn throws it, so that all ranks hear of it
      crew_.broke = std::move(broke);
      core_.tell_progress();
    }
    if (pool_.size() == 0 || !looks_.are_due()) continue;
    lock.unlock();
    looks_.look();
    lock.lock();
  }
  --crew_.now;
  // The rank is idle now, which a round may change; or it is still, for which a hold waits.
  if (crew_.paused) core_.changed.notify_all();
  core_.tell_progress();
}

void rank_work::run_job(job& one, result_reducer* reducer) {
  const auto began = clock::now();
  const cluster_task_type& type = types_[one.task];
  const bool guest = one.home != core_.rank;
  message_bytes result;
  bool reduced = false;
  std::optional<std::string> failure;
  try {
    if (one.call == nullptr) {
      byte_reader in(one.argument);
      one.call = type.read(in);
    }
    cluster_context here(whole_, one.group);
    one.call->run(here);
    reduced = reducer != nullptr && one.call->reduce(*reducer);
    if (guest && !reduced) {
      byte_writer out(core_.most_bytes - framing);
      one.call->write_result(out);
      result = out.take();
    }
  } catch (const message_too_long& problem) {
    failure = "its result takes " + std::to_string(problem.bytes()) +
              " bytes or more, and a message can have " +
              std::to_string(core_.most_bytes - framing) + " of them";
  } catch (const std::exception& problem) {
    failure = problem.what();
  } catch (...) {
    failure = "an exception that is no std::exception";
  }
  const double took = std::chrono::duration<double>(clock::now() - began).count();
  std::optional<task_failure> told;
  if (failure) {
    told = task_failure{type.name, core_.rank, std::move(*failure)};
    result = told_bytes(*told);  // travels in place of a result, for a future
  }

  data_lock lock(core_.mutex);
  measures_.ran(one, took);
  if (guest && !told) measures_.travelled(one.task, result.size());
  ++core_.stats.executed;
  group_state& group = groups_[one.group];
  if (told) fail(one.group, group, *told);
  if (guest) {
    ++group.counted[one.home];
    --group.open;
    tray_.results.put({one.home, one.group, one.number, told || reduced, std::move(result)});
    // Another group may have work that this one need not wait for.
    tray_.results_due |= group.open == 0;
    if (results_are_due()) core_.tell_progress();
  } else if (told || reduced || one.call->future != nullptr) {
    if (one.call->future != nullptr) fulfil(std::move(one.call), {}, false, told);
    --group.open;
    if (told || group.open == 0) core_.tell_progress();
  } else {
    group.done.push_back({std::move(one.call), {}, false, one.task});
    if (group.done.size() == 1 || ends_wait(group)) group.changed.notify_one();
  }
}

// Rank 0 sends one of a group's failures to all ranks when the group is over. So each rank sends
// rank 0 its first failure.
void rank_work::fail(std::uint32_t number, group_state& group, const task_failure& told) {
  if (group.told_failure) return;
  group.told_failure = true;
  if (core_.rank == 0) {
    if (!group.failure) group.failure = told;
  } else {
    ++group.counted[0];
    tray_.failures.emplace_back(number, told);
  }
}

void rank_work::fulfil(std::unique_ptr<cluster_call> call, message_bytes bytes, bool came,
                       const std::optional<task_failure>& failure) {
  const std::shared_ptr<call_future> future = std::move(call->future);
  future->call = std::move(call);
  future->bytes = std::move(bytes);
  future->came = came;
  if (failure) {
    future->failure =
        std::make_exception_ptr(remote_error(failure->task, failure->rank, failure->text));
  }
  future->ready = true;
  core_.changed.notify_all();
}

bool rank_work::results_are_due() const {
  if (tray_.results.empty()) return false;
  if (tray_.results_due || crew_.paused || crew_.closed || tray_.results.bytes() >= usual_message)
    return true;
  if (crew_.running == 0 && pool_.size() == 0) return true;
  const std::chrono::duration<double> waited = clock::now() - tray_.results.oldest();
  return waited.count() >= core_.options.result_seconds;
}

}  // namespace evencube::detail
