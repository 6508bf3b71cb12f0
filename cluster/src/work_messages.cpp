#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "outbox.hpp"
#include "wire.hpp"
#include "work.hpp"

namespace evencube::detail {

void rank_work::handle_tasks(byte_reader& in) {
  static_cast<void>(in.get<std::uint32_t>());  // the round, the phase, and whether this is the last
  static_cast<void>(in.get<std::uint32_t>());  // message of its transfer, which balancing reads
  static_cast<void>(in.get<bool>());
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
    if (came.home != core_.rank) came.argument.assign(argument.begin(), argument.end());
  }
  const data_lock lock(core_.mutex);
  for (job& came : all) {
    if (came.task >= types_.size()) throw error("cluster: a message of another program");
    group_state& group = groups_[came.group];
    if (came.home == core_.rank) {  // it is back and has not run
      const auto away = group.away.find(came.number);
      if (away == group.away.end()) throw error("cluster: a task has come twice");
      came.call = std::move(away->second.call);
      group.away.erase(away);
    }
    --group.counted[core_.rank];
    ++group.open;
    pool_.put(std::move(came));
  }
  core_.stats.tasks_received += count;
  begin_runners();
}

void rank_work::handle_results(byte_reader& in) {
  // Copied before the mutex is taken, and what is not needed is freed after that, because arguments
  // and results may be long.
  std::vector<outgoing_result> all(in.get<std::uint32_t>());
  for (outgoing_result& came : all) {
    came.group = in.get<std::uint32_t>();
    came.number = in.get<std::uint64_t>();
    came.missing = in.get<bool>();
    const auto result = in.block();
    came.result.assign(result.begin(), result.end());
  }
  std::vector<std::unique_ptr<cluster_call>> dropped;
  const data_lock lock(core_.mutex);
  for (outgoing_result& came : all) {
    group_state& group = groups_[came.group];
    const auto away = group.away.find(came.number);
    if (away == group.away.end()) throw error("cluster: a result has come twice");
    --group.counted[core_.rank];
    if (away->second.call->future != nullptr) {
      std::optional<task_failure> failure;
      if (came.missing) {
        byte_reader told(came.result);
        failure = task_failure::read(told);
      }
      fulfil(std::move(away->second.call), std::move(came.result), true, failure);
    } else if (came.missing) {
      dropped.push_back(std::move(away->second.call));
    } else {
      ++group.open;
      measures_.travelled(away->second.task, came.result.size());
      group.done.push_back(
          {std::move(away->second.call), std::move(came.result), true, away->second.task});
      group.changed.notify_one();
    }
    group.away.erase(away);
  }
}

void rank_work::send_results(unsigned to, std::vector<outgoing_result> results) {
  for (std::size_t i = 0; i < results.size();) {
    std::size_t size = framing;
    std::size_t end = i;
    for (; end < results.size(); ++end) {
      const std::size_t more = results[end].result.size() + framing;
      if (end > i && size + more > std::min(usual_message, core_.most_bytes)) break;
      size += more;
    }
    byte_writer out;
    out.put(wire::results);
    out.put(static_cast<std::uint32_t>(end - i));
    for (; i < end; ++i) {
      out.put(results[i].group);
      out.put(results[i].number);
      out.put(results[i].missing);
      out.block(results[i].result.data(), results[i].result.size());
    }
    mail_.post(to, out);
  }
}

// The tasks that are taken count as open here until they are sent (P).
std::uint64_t rank_work::send_jobs(unsigned to, load_type quanta, std::uint32_t round,
                                   unsigned phase) {
  std::vector<job> taken;
  {
    const data_lock lock(core_.mutex);
    taken = pool_.take_oldest(quanta);
  }
  std::vector<bool> fits(taken.size(), true);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (taken[i].call == nullptr) continue;
    try {
      byte_writer argument(core_.most_bytes - framing);
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
    data_lock lock(core_.mutex);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      job& one = taken[i];
      if (!fits[i] || !measures_.worth_its_way(one, core_.rank, to, taken.size(), core_.options)) {
        if (one.call != nullptr) dropped.push_back(std::exchange(one.argument, {}));
        pool_.put_to_stay(std::move(one));
        ++core_.stats.tasks_too_large_to_move;
        continue;
      }
      group_state& group = groups_[one.group];
      if (one.call != nullptr) {
        one.number = tray_.next_number++;
        group.away.emplace(one.number,
                           away_call{one.task, std::move(one.call), one.cost, one.measured});
      }
      ++group.counted[to];
      --group.open;
      going.push_back(std::move(one));
    }
    core_.stats.tasks_sent += going.size();
    begin_runners();
  }
  const std::uint64_t count = going.size();
  if (count == 0 && round == stolen) return 0;
  send_tasks(to, std::move(going), round, phase, true);
  return count;
}

// `last` is true if the last of these messages completes the transfer of a round, or an answer.
void rank_work::send_tasks(unsigned to, std::vector<job> jobs, std::uint32_t round, unsigned phase,
                           bool last) {
  std::size_t i = 0;
  do {
    std::size_t size = framing;
    std::size_t end = i;
    for (; end < jobs.size(); ++end) {
      const std::size_t more = jobs[end].argument.size() + framing;
      if (end > i && size + more > std::min(usual_message, core_.most_bytes)) break;
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
    mail_.post(to, out);
  } while (i < jobs.size());
}

bool rank_work::flush() {
  std::map<unsigned, std::vector<outgoing_result>> results;
  std::vector<outgoing_task> tasks;
  std::map<unsigned, std::uint64_t> receipts;
  std::vector<std::pair<std::uint32_t, task_failure>> failures;
  {
    const data_lock lock(core_.mutex);
    if (results_are_due()) results = tray_.results.take_all();
    tray_.results_due = false;
    tasks.swap(tray_.tasks);
    for (const outgoing_task& one : tasks) {
      if (const std::uint64_t bytes = tray_.window.ask(one.to)) receipts.emplace(one.to, bytes);
    }
    failures.swap(tray_.failures);
  }
  const bool any = !results.empty() || !tasks.empty() || !failures.empty();
  for (auto& [to, all] : results) send_results(to, std::move(all));
  // Stable, so that the messages of one rank to another keep their order.
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const auto& a, const auto& b) { return a.to < b.to; });
  for (std::size_t i = 0; i < tasks.size();) {
    const std::uint32_t to = tasks[i].to;
    std::vector<job> together;
    for (; i < tasks.size() && tasks[i].to == to; ++i) together.push_back(std::move(tasks[i].what));
    send_tasks(to, std::move(together), 0, 0, false);
  }
  // After the tasks, so that the receipt says that they have come.
  for (const auto& [to, bytes] : receipts) {
    byte_writer out;
    out.put(wire::receipt);
    out.put(bytes);
    mail_.post(to, out);
  }
  for (const auto& [group, failure] : failures) {
    byte_writer out;
    out.put(wire::failure);
    out.put(group);
    failure.write(out);
    mail_.post(0, out);
  }
  return any;
}

void rank_work::let_results_ride() {
  for (const unsigned to : mail_.ranks()) {
    std::vector<outgoing_result> riding;
    {
      const data_lock lock(core_.mutex);
      riding = tray_.results.take(to);
    }
    send_results(to, std::move(riding));
  }
}

void rank_work::handle_receipt(unsigned from, byte_reader& in) {
  byte_writer out;
  out.put(wire::taken);
  out.put(in.get<std::uint64_t>());
  mail_.post(from, out);
}

void rank_work::handle_taken(unsigned from, byte_reader& in) {
  const data_lock lock(core_.mutex);
  tray_.window.taken(from, in.get<std::uint64_t>());
  tray_.room.notify_all();
}

void rank_work::handle_failure(byte_reader& in) {
  const auto group = in.get<std::uint32_t>();
  const data_lock lock(core_.mutex);
  group_state& state = groups_[group];
  --state.counted[core_.rank];
  task_failure told = task_failure::read(in);
  if (!state.failure) state.failure = std::move(told);
}

}  // namespace evencube::detail
