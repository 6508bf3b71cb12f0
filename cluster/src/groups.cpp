#include <algorithm>
#include <exception>
#include <utility>

#include <evencube/this_task.hpp>

#include "cluster_engine.hpp"
#include "rank_tree.hpp"

namespace evencube::detail {
namespace {

/// Results that come within this time are taken together. A thread that is woken for each of many
/// results would take a worker its turn.
constexpr std::chrono::milliseconds collected_for{1};

std::string name_of_wait(std::uint32_t group) {
  return "the wait for group " + std::to_string(group + 1);
}

}  // namespace

// The first group compares the registrations of the ranks. If they differ, no group can be made.
std::uint32_t cluster_engine::make_group() {
  bool first = false;
  {
    const checked_lock lock(mutex_);
    first = !std::exchange(sealed_, true);
  }
  if (first) {
    try {
      check_registration();
    } catch (...) {
      const checked_lock lock(mutex_);
      unequal_ = std::current_exception();
      throw;
    }
  }
  const checked_lock lock(mutex_);
  if (unequal_) std::rethrow_exception(unequal_);
  const std::uint32_t number = next_group_++;
  groups_[number];
  return number;
}

// True if some rank, maybe this one, takes no part in this collective call, or if this rank no
// longer communicates.
bool cluster_engine::cannot_end(std::uint64_t call) const {
  if (broken_ || call > calls_taken_part_) return true;
  for (const auto& [rank, calls] : left_) {
    if (calls < call) return true;
  }
  return false;
}

void cluster_engine::throw_why(std::uint64_t call, const char* what) {
  if (broken_) std::rethrow_exception(broken_);
  if (call > calls_taken_part_) {
    throw error("cluster: rank " + std::to_string(rank_) + " waits " + what +
                (left_group_ ? ", and has left a group without a wait for it"
                             : ", and its runtime has been stopped"));
  }
  for (const auto& [rank, calls] : left_) {
    if (calls < call) {
      leavers_matter_ = true;
      tell_progress();
      throw error(std::string("cluster: rank ") + std::to_string(rank_) + " waits " + what +
                  ", in which rank " + std::to_string(rank) +
                  " takes no part: its cluster is being destroyed. All ranks make the same groups "
                  "and collective calls, in the same order");
    }
  }
  throw error("cluster: a wait ended for nothing");
}

// A rank whose runtime is stopped takes no part in this call or in later ones. The others learn
// that when it leaves.
void cluster_engine::give_up(std::uint64_t call, const char* what) {
  calls_taken_part_ = std::min(calls_taken_part_, call - 1);
  throw_why(call, what);
}

// As after an exception between the group and its wait. This rank may have spawned a part of its
// tasks alone, so the others must not take what they have for the whole.
void cluster_engine::leave_group(std::uint32_t group) {
  const checked_lock lock(mutex_);
  left_group_ = true;
  // The others name the call that they are in.
  const std::uint64_t call = begin_call(name_of_wait(group));
  calls_taken_part_ = std::min(calls_taken_part_, call - 1);
  leavers_matter_ = true;
}

// `name` is that of the collective call that this rank begins.
std::uint64_t cluster_engine::begin_call(std::string name) {
  names_of_calls_.push_back(std::move(name));
  if (names_of_calls_.size() > most_names) names_of_calls_.pop_front();
  ++calls_;
  const auto said = expected_calls_.find(calls_);
  if (said == expected_calls_.end()) return calls_;
  compare_calls(calls_, said->second.first, said->second.second);
  expected_calls_.erase(said);
  return calls_;
}

// The thread that has the turn throws what is found here, so that all ranks hear of it.
void cluster_engine::compare_calls(std::uint64_t call, unsigned from, const std::string& there) {
  const std::uint64_t back = calls_ - call;
  if (back >= names_of_calls_.size()) return;
  const std::string& here = names_of_calls_[names_of_calls_.size() - 1 - back];
  if (here == there || mismatch_) return;
  mismatch_ = "collective call " + std::to_string(call) + " is " + here + " on rank " +
              std::to_string(rank_) + " and " + there + " on rank " + std::to_string(from) +
              ". All ranks make the same collective calls, in the same order";
  tell_progress();
}

// Another rank says which call it is in.
void cluster_engine::hear_of_call(unsigned from, byte_reader& in) {
  const auto call = in.get<std::uint64_t>();
  std::string name = in.text();
  const checked_lock lock(mutex_);
  if (call <= calls_) {
    compare_calls(call, from, name);
    throw_mismatch();
  } else {
    expected_calls_.try_emplace(call, from, std::move(name));
  }
}

// For a message that belongs to this call.
void cluster_engine::post_call(unsigned to, std::uint64_t call) {
  byte_writer out;
  {
    const checked_lock lock(mutex_);
    const std::uint64_t back = calls_ - call;
    if (back >= names_of_calls_.size()) return;
    out.put(wire::call);
    out.put(call);
    out.put(names_of_calls_[names_of_calls_.size() - 1 - back]);
  }
  post(to, out);
}

void cluster_engine::throw_mismatch() const {
  if (mismatch_) throw error("cluster: " + *mismatch_);
}

// True if the results that are here must not wait for others, because nothing else of the group is
// here, or because workers may soon need the tasks that takers spawn.
bool cluster_engine::ends_wait(const group_state& group) const {
  return group.open == group.done.size() || pool_.size() < runtime_.workers();
}

// A taker that can never be called is a mistake in its types.
void cluster_engine::check_takers(std::span<const result_taker> takers) const {
  for (std::size_t k = 0; k < takers.size(); ++k) {
    const bool takes = std::ranges::any_of(types_, [&](const cluster_task_type& type) {
      return type.argument == takers[k].argument && type.result == takers[k].result;
    });
    if (takes) continue;
    throw error("cluster_group::wait: no registered task has the types of taker " +
                std::to_string(k + 1) + ": " + takers[k].argument.name() + " -> " +
                takers[k].result.name());
  }
}

void cluster_engine::wait(std::uint32_t group, std::span<const result_taker> takers) {
  if (this_task::runtime() == &runtime_) {
    throw error("cluster_group::wait within a task of the cluster, which is outside of waits");
  }
  std::exception_ptr thrown;
  checked_lock lock(mutex_);
  check_takers(takers);
  group_state& state = groups_[group];
  const std::uint64_t call = begin_call(name_of_wait(group));
  state.call = call;
  state.waiting = true;
  state.waiter = std::this_thread::get_id();
  look_for_stop();
  tell_progress();
  while (!state.over) {
    const auto is_last = [&]() EVENCUBE_REQUIRES(mutex_) {
      return state.over || stopped_ || cannot_end(call);
    };
    lock.wait(state.changed,
              [&]() EVENCUBE_REQUIRES(mutex_) { return !state.done.empty() || is_last(); });
    if (state.done.empty()) {
      if (state.over) continue;
      if (cannot_end(call)) throw_why(call, "for its group's tasks to end");
      give_up(call, "for its group's tasks to end");
    }
    lock.wait_for(state.changed, collected_for,
                  [&]() EVENCUBE_REQUIRES(mutex_) { return ends_wait(state) || is_last(); });
    std::deque<finished> done;
    done.swap(state.done);
    const std::size_t count = done.size();
    lock.unlock();
    if (!thrown) thrown = deliver(done, takers);
    done.clear();
    lock.lock();
    // Not before now, because takers may spawn (P).
    state.open -= count;
    if (state.open == 0) tell_progress();
  }
  const std::optional<task_failure> failure = std::move(state.failure);
  const bool lost = !state.away.empty();
  groups_.erase(group);
  lock.unlock();
  if (lost) throw error("cluster: a group is over, and not all results have come");
  if (thrown) std::rethrow_exception(thrown);
  if (failure) throw remote_error(failure->task, failure->rank, failure->text);
}

// Returns the exception that a taker throws, or the error if a result cannot be read.
std::exception_ptr cluster_engine::deliver(std::deque<finished>& done,
                                           std::span<const result_taker> takers) const {
  try {
    for (finished& one : done) {
      if (takers.empty()) return nullptr;
      if (one.came) {
        byte_reader in(one.result);
        one.call->read_result(in);
      }
      for (const result_taker& taker : takers) {
        if (one.call->give(taker)) break;
      }
    }
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

// P. A rank that waits for results of its own tasks is not passive here: the results come, and end
// more than a count before them would tell. A wait that was called after the runtime had been
// stopped never takes part, even while tasks of other ranks still run here.
bool cluster_engine::is_passive(const group_state& group) const {
  return group.waiting && !group.over && group.open == 0 && group.away.empty() &&
         !runtime_.stopped();
}

bool cluster_engine::advance_groups() { return say_what_is_counted(&termination::passive); }

// The counts of a rank go with a message to its parent, so that no rank need ask for them.
void cluster_engine::count_with_messages() {
  if (rank_ == 0 || !outbox_.goes_to(detail::tree_parent(rank_))) return;
  say_what_is_counted(&termination::passive_with_a_message);
}

// Sends the counts of all groups for which the rank is passive. Returns true if anything was sent,
// or a group is over.
bool cluster_engine::say_what_is_counted(said_of_counts say) {
  std::vector<std::pair<std::uint32_t, std::vector<termination::outgoing>>> out;
  {
    const checked_lock lock(mutex_);
    for (const auto& [number, group] : groups_) {
      if (!is_passive(group)) continue;
      termination& found = terminations_.try_emplace(number, rank_, size_).first->second;
      std::vector<termination::outgoing> said;
      (found.*say)(group.counted, said);
      if (!said.empty() || found.over()) out.emplace_back(number, std::move(said));
    }
  }
  for (const auto& [number, said] : out) {
    send_termination(number, said);
    if (terminations_.at(number).over()) end_group(number);
  }
  return !out.empty();
}

// The waiting thread removes a group when it is over.
bool cluster_engine::is_over(std::uint32_t group) {
  const checked_lock lock(mutex_);
  const auto found = groups_.find(group);
  return found == groups_.end() ? group < next_group_ : found->second.over;
}

void cluster_engine::handle_termination(unsigned from, byte_reader& in, bool over) {
  const auto group = in.get<std::uint32_t>();
  termination_message message;
  if (over) {
    message.what = termination_message::kind::over;
    if (in.get<bool>()) {
      task_failure failure = task_failure::read(in);
      const checked_lock lock(mutex_);
      groups_[group].failure = std::move(failure);
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
  termination& found = terminations_.try_emplace(group, rank_, size_).first->second;
  std::vector<termination::outgoing> out;
  found.receive(from, message, out);
  const bool ended = found.over();
  send_termination(group, out);
  if (ended) end_group(group);
}

void cluster_engine::send_termination(std::uint32_t group,
                                      const std::vector<termination::outgoing>& what) {
  std::uint64_t call = 0;
  {
    const checked_lock lock(mutex_);
    call = groups_[group].call;
  }
  for (const auto& [to, message] : what) {
    byte_writer out;
    if (message.what == termination_message::kind::over) {
      out.put(wire::over);
      out.put(group);
      const checked_lock lock(mutex_);
      const std::optional<task_failure>& failure = groups_[group].failure;
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
    post(to, out);
    if (message.what != termination_message::kind::over) post_call(to, call);
  }
}

void cluster_engine::end_group(std::uint32_t group) {
  terminations_.erase(group);
  const checked_lock lock(mutex_);
  group_state& state = groups_[group];
  state.over = true;
  state.changed.notify_all();
}

}  // namespace evencube::detail
