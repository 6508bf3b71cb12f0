#include "held_checkpoint.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <evencube/error.hpp>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <evencube/cluster/detail/checkpoint_files.hpp>

namespace evencube::detail {
namespace {

// ------------------------------------------------------------------ what ranks must agree on

/// The registered tasks, by which a checkpoint of another program is refused.
std::string content_of(const task_types& types) {
  std::string text = "a held cluster with the tasks ";
  for (const cluster_task_type& type : types.all()) {
    if (&type != types.all().data()) text += ", ";
    text += '"' + type.name + "\" (" + type.signature + ")";
  }
  return text;
}

checkpoint_ranks ranks_for(const char* call, const rank_core& core, call_gatherings& gatherings) {
  return {core.rank, core.size, [&gatherings, call](message_bytes own) {
            return gatherings.gather(std::move(own), call);
          }};
}

/// The open groups of a rank, in the order in which they were made.
struct open_groups {
  std::uint32_t made = 0;
  std::vector<std::uint32_t> numbers;
  std::vector<std::shared_ptr<result_reducer>> reducers;
  std::string problem;  // of this rank, or of all ranks that differ; empty if there is none
};

/// Calls `check` for the groups of this rank, and compares them with those of the other ranks.
/// Collective.
template <typename Check>
open_groups agree_on_groups(const char* call, rank_core& core, rank_work& work,
                            const checkpoint_ranks& ranks, Check check) {
  open_groups found;
  found.problem = problem_of([&] {
    const data_lock lock(core.mutex);
    const group_table& groups = work.groups();
    found.made = groups.made();
    for (const auto& [number, group] : groups.all()) {
      found.numbers.push_back(number);
      found.reducers.push_back(group.reducer);
    }
    check(groups);
  });
  byte_writer own;
  own.put(found.made);
  for (const std::uint32_t number : found.numbers) own.put(number);
  const std::vector<message_bytes> all = ranks.gather(own.take());
  const auto other =
      std::ranges::find_if(all, [&](const message_bytes& each) { return each != all.front(); });
  if (found.problem.empty() && other != all.end()) {
    found.problem = std::string(call) + ": rank " + std::to_string(other - all.begin()) +
                    " and rank 0 have made or waited for different groups";
  }
  return found;
}

// ------------------------------------------------------------------------------------ save

void refuse_group(std::uint32_t number, const group_state& group, unsigned rank) {
  const std::string of =
      " of group " + std::to_string(number + 1) + " on rank " + std::to_string(rank);
  if (group.waiting()) {
    throw error("cluster_hold::save during a wait" + of +
                ": its takers may have received results, which would not be saved");
  }
  if (group.told_failure || group.failure) {
    throw error("cluster_hold::save: a task" + of +
                " has failed, so there is nothing to continue from");
  }
}

/// Takes the tasks and results of a held rank while they are written: functions of the program
/// write them, which must not be called with the mutex. Ends the program if there is no memory for
/// the tasks that other threads have spawned meanwhile.
class borrowed_work {
 public:
  struct group {
    std::map<std::uint64_t, away_call> away;
    std::deque<finished_call> done;
  };

  borrowed_work(rank_core& core, rank_work& work, const open_groups& open)
      : core_(core), work_(work) {
    const data_lock lock(core_.mutex);
    pool = work_.exchange_pool({});
    for (const std::uint32_t number : open.numbers) {
      group_state& state = work_.groups()[number];
      groups[number].away.swap(state.away);
      groups[number].done.swap(state.done);
    }
  }
  borrowed_work(const borrowed_work&) = delete;
  borrowed_work& operator=(const borrowed_work&) = delete;
  ~borrowed_work() {
    const data_lock lock(core_.mutex);
    job_pool later = work_.exchange_pool(std::move(pool));
    if (later.size() > 0) work_.add_to_pool(std::move(later));
    for (auto& [number, of] : groups) {
      group_state& state = work_.groups()[number];
      of.away.merge(state.away);  // of tasks that were spawned meanwhile
      state.away.swap(of.away);
      state.done.swap(of.done);
      state.changed.notify_all();  // a thread that has begun to wait meanwhile
    }
  }

  job_pool pool;
  std::map<std::uint32_t, group> groups;

 private:
  rank_core& core_;
  rank_work& work_;
};

/// Writes tasks or results one after another, and their number in front of them.
class counted_writer {
 public:
  void add(std::uint32_t task) {
    ++count_;
    out_.put(task);
  }
  byte_writer& out() noexcept { return out_; }
  void write(byte_writer& into) {
    into.put(count_);
    const message_bytes all = out_.take();
    into.raw(all.data(), all.size());
  }

 private:
  byte_writer out_;
  std::uint64_t count_ = 0;
};

template <typename Write>
void put_value(byte_writer& out, const std::string& name, const char* what, Write write) {
  byte_writer value;
  try {
    write(value);
  } catch (const std::exception& problem) {
    throw error("cluster_hold::save: " + std::string(what) + " of task \"" + name +
                "\" cannot be written: " + problem.what());
  }
  const message_bytes bytes = value.take();
  out.block(bytes.data(), bytes.size());
}

/// The part of a rank: the tasks that it has spawned, wherever they are now, and the results that
/// have come to it.
class part_writer {
 public:
  explicit part_writer(const task_types& types) : types_(types) {}

  void put_group(std::uint32_t number, const borrowed_work& from, result_reducer* reducer) {
    out_.put(reducer_name(reducer));
    byte_writer value;
    if (reducer != nullptr) reducer->write(value);
    const message_bytes bytes = value.take();
    out_.block(bytes.data(), bytes.size());
    const borrowed_work::group& group = from.groups.at(number);
    counted_writer tasks;
    from.pool.for_each([&](const job& one) {
      if (one.group != number || one.call == nullptr) return;
      put_task(tasks, {one.task, nullptr, one.cost, one.measured, one.stays, one.home}, *one.call);
    });
    for (const auto& [place, away] : group.away) put_task(tasks, away, *away.call);
    tasks.write(out_);
    counted_writer results;
    for (const finished_call& one : group.done) put_result(results, one);
    results.write(out_);
  }
  void put_states() {
    for (const cluster_task_type& type : types_.all()) {
      if (type.saving.state == nullptr) continue;
      byte_writer state;
      type.saving.state->write(state);
      const message_bytes bytes = state.take();
      out_.block(bytes.data(), bytes.size());
    }
  }
  [[nodiscard]] message_bytes take() { return out_.take(); }
  byte_writer& out() noexcept { return out_; }

  static std::string reducer_name(const result_reducer* reducer) {
    return reducer == nullptr ? std::string() : reducer->type().name();
  }

 private:
  void put_task(counted_writer& into, const away_call& how, const cluster_call& call) const {
    const cluster_task_type& type = types_[how.task];
    if (type.saving.dropped) return;
    if (call.future != nullptr) {
      throw error("cluster_hold::save: a cluster_future waits for a task \"" + type.name +
                  "\", and no checkpoint can have it");
    }
    into.add(how.task);
    into.out().put(how.cost);
    into.out().put(how.measured);
    into.out().put(how.stays);
    into.out().put(how.to);
    put_value(into.out(), type.name, "an argument",
              [&](byte_writer& out) { call.write_argument(out); });
  }
  void put_result(counted_writer& into, const finished_call& one) const {
    const cluster_task_type& type = types_[one.task];
    if (type.saving.dropped) return;
    into.add(one.task);
    put_value(into.out(), type.name, "an argument",
              [&](byte_writer& out) { one.call->write_argument(out); });
    if (one.came) {
      into.out().block(one.result.data(), one.result.size());
    } else {
      put_value(into.out(), type.name, "a result",
                [&](byte_writer& out) { one.call->write_result(out); });
    }
  }

  const task_types& types_;
  byte_writer out_;
};

// ------------------------------------------------------------------------------------ load

/// What ranks have saved of a group, as far as this rank has read it.
struct saved_group {
  message_bytes reduced;
  std::vector<away_call> tasks;
  std::vector<finished_call> results;
};

class part_reader {
 public:
  part_reader(const std::string& path, const task_types& types, byte_reader in)
      : path_(path), types_(types), in_(in) {}

  /// Reads a group and adds it to `into`.
  void take_group(const result_reducer* reducer, std::vector<saved_group>& into) {
    if (in_.text() != part_writer::reducer_name(reducer)) {
      refuse("open group " + std::to_string(into.size() + 1) + " combines other results");
    }
    saved_group& made = into.emplace_back();
    const auto reduced = in_.block();
    made.reduced.assign(reduced.begin(), reduced.end());
    for (auto count = in_.get<std::uint64_t>(); count > 0; --count) made.tasks.push_back(task());
    for (auto count = in_.get<std::uint64_t>(); count > 0; --count) {
      made.results.push_back(result());
    }
  }
  void take_states(bool own) {
    for (const cluster_task_type& type : types_.all()) {
      if (type.saving.state == nullptr) continue;
      byte_reader state(in_.block());
      type.saving.state->read(state, own);
    }
  }
  byte_reader& in() noexcept { return in_; }
  [[noreturn]] void refuse(const std::string& why) const {
    throw error("a checkpoint: " + path_ + ": " + why);
  }

 private:
  std::uint32_t known_task() {
    const auto task = in_.get<std::uint32_t>();
    if (task >= types_.size()) refuse("it has a task that this program does not have");
    return task;
  }
  std::unique_ptr<cluster_call> call_of(std::uint32_t task) {
    byte_reader argument(in_.block());
    return types_[task].read(argument);
  }
  away_call task() {
    away_call made{.task = known_task(), .call = nullptr};
    made.cost = in_.get<std::uint32_t>();
    made.measured = in_.get<bool>();
    made.stays = in_.get<bool>();
    made.to = in_.get<std::uint32_t>();
    made.call = call_of(made.task);
    return made;
  }
  finished_call result() {
    finished_call made{.call = nullptr, .result = {}, .came = true, .task = known_task()};
    made.call = call_of(made.task);
    const auto result = in_.block();
    made.result.assign(result.begin(), result.end());
    return made;
  }

  const std::string& path_;
  const task_types& types_;
  byte_reader in_;
};

/// Throws if this rank has anything that could be taken for a part of the checkpoint.
void require_empty(const rank_core& core, const group_table& groups, const task_types& types) {
  for (const auto& [number, group] : groups.all()) {
    if (group.open == 0 && group.away.empty() && !group.waiting()) continue;
    throw error("a checkpoint cannot be loaded: group " + std::to_string(number + 1) +
                " has tasks or is waited for on rank " + std::to_string(core.rank));
  }
  for (const cluster_task_type& type : types.all()) {
    if (type.saving.state != nullptr) type.saving.state->require_empty();
  }
}

/// All ranks learn what of the states is on which rank.
void share_states(const task_types& types, const checkpoint_ranks& ranks) {
  byte_writer own;
  for (const cluster_task_type& type : types.all()) {
    if (type.saving.state == nullptr) continue;
    const message_bytes bytes = type.saving.state->shared();
    own.block(bytes.data(), bytes.size());
  }
  const std::vector<message_bytes> all = ranks.gather(own.take());
  std::vector<byte_reader> readers(all.begin(), all.end());
  for (const cluster_task_type& type : types.all()) {
    if (type.saving.state == nullptr) continue;
    std::vector<message_bytes> of_ranks;
    for (byte_reader& each : readers) {
      const auto block = each.block();
      of_ranks.emplace_back(block.begin(), block.end());
    }
    type.saving.state->learn(of_ranks);
  }
}

void spawn_again(rank_work& work, std::uint32_t number, away_call one) {
  const task_saving& saving = work.types()[one.task].saving;
  cluster_spawn_options how{.stays = one.stays};
  if (!one.measured) how.cost = one.cost;
  if (one.stays) how.rank = saving.lives_on ? saving.lives_on(*one.call) : one.to;
  work.spawn(number, one.task, std::move(one.call), how, false);
}

void put_results(rank_core& core, rank_work& work, std::uint32_t number,
                 std::vector<finished_call> results) {
  const data_lock lock(core.mutex);
  group_state& group = work.groups()[number];
  group.open += results.size();
  std::ranges::move(results, std::back_inserter(group.done));
  group.changed.notify_all();
}

}  // namespace

void save_held(rank_core& core, rank_work& work, call_gatherings& gatherings,
               const std::string& path) {
  constexpr const char* name = "cluster_hold::save";
  const checkpoint_ranks ranks = ranks_for(name, core, gatherings);
  const open_groups open = agree_on_groups(name, core, work, ranks, [&](const group_table& groups) {
    for (const auto& [number, group] : groups.all()) refuse_group(number, group, core.rank);
  });
  save_parts(path, content_of(work.types()), open.problem, ranks, [&] {
    const borrowed_work from(core, work, open);
    part_writer part(work.types());
    part.out().put(static_cast<std::uint32_t>(open.numbers.size()));
    for (std::size_t i = 0; i < open.numbers.size(); ++i) {
      part.put_group(open.numbers[i], from, open.reducers[i].get());
    }
    part.put_states();
    return part.take();
  });
}

bool load_held(rank_core& core, rank_work& work, call_gatherings& gatherings,
               const std::string& path) {
  constexpr const char* name = "cluster_hold::load";
  const checkpoint_ranks ranks = ranks_for(name, core, gatherings);
  const task_types& types = work.types();
  const open_groups open = agree_on_groups(name, core, work, ranks, [&](const group_table& groups) {
    require_empty(core, groups, types);
  });
  std::vector<std::vector<saved_group>> parts;
  const auto read = [&](std::size_t part, std::size_t count, const message_bytes& bytes) {
    part_reader from(path, types, byte_reader(bytes));
    if (const auto saved = from.in().get<std::uint32_t>(); saved != open.numbers.size()) {
      from.refuse("it has " + std::to_string(saved) + " open groups, and this program has " +
                  std::to_string(open.numbers.size()));
    }
    std::vector<saved_group>& groups = parts.emplace_back();
    for (const auto& reducer : open.reducers) from.take_group(reducer.get(), groups);
    from.take_states(part == core.rank);
    for (const saved_group& group : groups) {
      for (const away_call& one : group.tasks) {
        const cluster_task_type& type = types[one.task];
        if (!one.stays || type.saving.lives_on != nullptr || count == core.size) continue;
        from.refuse("task \"" + type.name + "\" stays on rank " + std::to_string(one.to) + " of " +
                    std::to_string(count) + ", and there are " + std::to_string(core.size) +
                    " ranks now");
      }
    }
  };
  const loaded_parts done = load_parts(path, content_of(types), open.problem, ranks, read);
  for (const cluster_task_type& type : types.all()) {
    if (type.saving.state != nullptr) type.saving.state->settle(done.problem.empty());
  }
  if (!done.problem.empty()) throw error(done.problem);
  if (!done.found) return false;
  share_states(types, ranks);
  const std::string own_problem = problem_of([&] {
    for (std::vector<saved_group>& groups : parts) {
      for (std::size_t i = 0; i < open.numbers.size(); ++i) {
        const std::uint32_t number = open.numbers[i];
        if (open.reducers[i] != nullptr) {
          byte_reader reduced(groups[i].reduced);
          open.reducers[i]->add_written(reduced);
        }
        put_results(core, work, number, std::move(groups[i].results));
        for (away_call& one : groups[i].tasks) spawn_again(work, number, std::move(one));
      }
    }
  });
  const std::string problem = first_problem(own_problem, ranks);
  if (!problem.empty()) throw error(problem);
  return true;
}

}  // namespace evencube::detail
