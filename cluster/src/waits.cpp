#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include <evencube/this_task.hpp>

#include "rank_tree.hpp"
#include "waits.hpp"
#include "wire.hpp"

namespace evencube::detail {
namespace {

/// Results that come within this time are taken together. A thread that is woken for each of many
/// results would take a worker its turn.
constexpr std::chrono::milliseconds collected_for{1};

std::string name_of_wait(std::uint32_t group) {
  return "the wait for group " + std::to_string(group + 1);
}

// Returns the exception that a taker throws, or the error if a result cannot be read. A result that
// the reducer takes was not reduced where its task ran, because that rank had not made the group.
std::exception_ptr deliver(std::deque<finished_call>& done, result_reducer* reducer,
                           std::span<const result_taker> takers) {
  try {
    for (finished_call& one : done) {
      if (takers.empty() && reducer == nullptr) return nullptr;
      if (one.came) {
        byte_reader in(one.result);
        one.call->read_result(in);
      }
      if (reducer != nullptr && one.call->reduce(*reducer)) continue;
      for (const result_taker& taker : takers) {
        if (one.call->give(taker)) break;
      }
    }
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

std::uint32_t group_waits::make(std::shared_ptr<result_reducer> reducer) {
  const data_lock lock(core_.mutex);
  return work_.groups().make(std::move(reducer));
}

// As after an exception between the group and its wait. This rank may have spawned a part of its
// tasks alone, so the others must not take what they have for the whole.
void group_waits::leave(std::uint32_t group) {
  const data_lock lock(core_.mutex);
  calls_.leave(name_of_wait(group));
}

void group_waits::wait(std::uint32_t group, std::span<const result_taker> takers) {
  if (this_task::runtime() == &core_.runtime) {
    throw error("cluster_group::wait within a task of the cluster, which is outside of waits");
  }
  std::exception_ptr thrown;
  data_lock lock(core_.mutex);
  work_.types().check(takers);
  group_state& state = work_.groups()[group];
  const std::uint64_t call = calls_.begin(name_of_wait(group));
  state.call = call;
  state.waiter = std::this_thread::get_id();
  const std::shared_ptr<result_reducer> reducer = state.reducer;
  work_.look_for_stop();
  core_.tell_progress();
  while (!state.over) {
    const auto is_last = [&]() EVENCUBE_REQUIRES(shared_data) {
      return state.over || work_.crew().stopped || calls_.cannot_end(call);
    };
    lock.wait(state.changed,
              [&]() EVENCUBE_REQUIRES(shared_data) { return !state.done.empty() || is_last(); });
    if (state.done.empty()) {
      if (state.over) continue;
      if (calls_.cannot_end(call)) calls_.throw_why(call, "for its group's tasks to end");
      calls_.give_up(call, "for its group's tasks to end");
    }
    lock.wait_for(state.changed, collected_for, [&]() EVENCUBE_REQUIRES(shared_data) {
      return work_.ends_wait(state) || is_last();
    });
    std::deque<finished_call> done;
    done.swap(state.done);
    const std::size_t count = done.size();
    lock.unlock();
    if (!thrown) thrown = deliver(done, reducer.get(), takers);
    done.clear();
    lock.lock();
    // Not before now, because takers may spawn (P).
    state.open -= count;
    if (state.open == 0) core_.tell_progress();
  }
  const std::optional<task_failure> failure = std::move(state.failure);
  const bool lost = !state.away.empty();
  work_.groups().erase(group);
  lock.unlock();
  if (lost) throw error("cluster: a group is over, and not all results have come");
  if (thrown) std::rethrow_exception(thrown);
  if (failure) throw remote_error(failure->task, failure->rank, failure->text);
}

// The rank on which the task is cannot be told, because tasks move. But no rank leaves before all
// groups are over, unless it waits for none of them.
void group_waits::wait_for_result(const call_future& result) {
  data_lock lock(core_.mutex);
  if (!result.ready && this_task::runtime() == &core_.runtime) {
    throw error("cluster_future::get within a task of the cluster, before the result has come");
  }
  work_.look_for_stop();
  lock.wait(core_.changed, [&]() EVENCUBE_REQUIRES(shared_data) {
    return result.ready || work_.crew().stopped || core_.broken || calls_.any_has_left();
  });
  if (result.ready) return;
  if (core_.broken) std::rethrow_exception(core_.broken);
  throw error("cluster: rank " + std::to_string(core_.rank) + " waits for the result of a task, " +
              (work_.crew().stopped ? "and its runtime has been stopped"
                                    : "and the cluster of another rank is being destroyed"));
}

// P. A rank that waits for results of its own tasks is not passive here: the results come, and end
// more than a count before them would tell. A wait that was called after the runtime had been
// stopped never takes part, even while tasks of other ranks still run here.
bool group_waits::is_passive(const group_state& group) const {
  return group.waiting() && !group.over && group.open == 0 && group.away.empty() &&
         !core_.runtime.stopped();
}

bool group_waits::advance() { return say_what_is_counted(&termination::passive); }

// The counts of a rank go with a message to its parent, so that no rank need ask for them.
void group_waits::count_with_messages() {
  if (core_.rank == 0 || !mail_.goes_to(detail::tree_parent(core_.rank))) return;
  say_what_is_counted(&termination::passive_with_a_message);
}

// Sends the counts of all groups for which the rank is passive. Returns true if anything was sent,
// or a group is over.
bool group_waits::say_what_is_counted(said_of_counts say) {
  std::vector<std::pair<std::uint32_t, std::vector<termination::outgoing>>> out;
  {
    const data_lock lock(core_.mutex);
    for (const auto& [number, group] : work_.groups().all()) {
      if (!is_passive(group)) continue;
      termination& found = terminations_.try_emplace(number, core_.rank, core_.size).first->second;
      std::vector<termination::outgoing> said;
      (found.*say)(group.counted, said);
      if (!said.empty() || found.over()) out.emplace_back(number, std::move(said));
    }
  }
  for (const auto& [number, said] : out) {
    send(number, said);
    if (terminations_.at(number).over()) end(number);
  }
  return !out.empty();
}

// The waiting thread removes a group when it is over.
bool group_waits::is_over(std::uint32_t group) {
  const data_lock lock(core_.mutex);
  return work_.groups().is_over(group);
}

void group_waits::handle(unsigned from, byte_reader& in, bool over) {
  const auto group = in.get<std::uint32_t>();
  termination_message message;
  if (over) {
    message.what = termination_message::kind::over;
    if (in.get<bool>()) {
      task_failure failure = task_failure::read(in);
      const data_lock lock(core_.mutex);
      work_.groups()[group].failure = std::move(failure);
    }
  } else {
    message.what = in.get<termination_message::kind>();
    for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
      const auto rank = in.get<std::uint32_t>();
      message.counted[rank] = in.get<std::int64_t>();
    }
  }
  // An answer to a question that crossed the end comes after it, and is dropped.
  if (is_over(group)) return;
  termination& found = terminations_.try_emplace(group, core_.rank, core_.size).first->second;
  std::vector<termination::outgoing> out;
  found.receive(from, message, out);
  const bool ended = found.over();
  send(group, out);
  if (ended) end(group);
}

void group_waits::send(std::uint32_t group, const std::vector<termination::outgoing>& what) {
  std::uint64_t call = 0;
  {
    const data_lock lock(core_.mutex);
    call = work_.groups()[group].call;
  }
  for (const auto& [to, message] : what) {
    byte_writer out;
    if (message.what == termination_message::kind::over) {
      out.put(wire::over);
      out.put(group);
      const data_lock lock(core_.mutex);
      const std::optional<task_failure>& failure = work_.groups()[group].failure;
      out.put(failure.has_value());
      if (failure) failure->write(out);
    } else {
      out.put(wire::termination);
      out.put(group);
      out.put(message.what);
      out.put(static_cast<std::uint32_t>(message.counted.size()));
      for (const auto& [rank, count] : message.counted) {
        out.put(rank);
        out.put(count);
      }
    }
    mail_.post(to, out);
    if (message.what != termination_message::kind::over) calls_.post_name(to, call);
  }
}

void group_waits::end(std::uint32_t group) {
  terminations_.erase(group);
  const data_lock lock(core_.mutex);
  group_state& state = work_.groups()[group];
  state.over = true;
  state.changed.notify_all();
}

}  // namespace evencube::detail
