#include "recorder.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace evencube::detail {

namespace {

constexpr std::size_t least_memory = std::size_t{1} << 20;
constexpr std::uint32_t none = recording::none;
/// Makes numbers of addresses. Events come in the order of time; those of one worker nest as its
/// tasks do, so that an end needs no address, and an address is that of the task last spawned
/// there.
class resolver {
 public:
  resolver(std::size_t logs, std::int64_t began) : began_(began), stacks_(logs) {}

  void see(const event& e, std::uint32_t log) {
    const auto time = static_cast<std::uint64_t>(std::max<std::int64_t>(e.time - began_, 0));
    std::vector<frame>& stack = stacks_[log];
    const std::uint32_t innermost = stack.empty() ? none : stack.back().task;
    switch (e.kind()) {
      case event_kind::root:
        spawn(e.address(), {none, log, log, ++groups_, time, log, time, 0});
        stack.push_back({at_[e.address()], {}});
        break;
      case event_kind::spawned:
        // A fork is not of the group of one that was at its address before.
        if (e.aux == e.address()) groups_at_.erase(e.aux);
        spawn(e.address(), {innermost, log, log, group_at(e.aux), time, 0, 0, 0});
        break;
      case event_kind::injected:
        spawn(e.address(), {none, none, none, group_at(e.aux), time, 0, 0, 0});
        break;
      case event_kind::homed:
        if (task* const t = find(e.address())) {
          t->home = static_cast<std::uint32_t>(e.aux);
          if (t->spawned_by == none) t->spawned_by = t->home;
        }
        break;
      case event_kind::in_lane:
        if (task* const t = find(e.address())) t->home = none;
        break;
      case event_kind::moved:
        if (task* const t = find(e.address())) {
          const auto from = static_cast<std::uint32_t>(e.aux >> 16 & 0xffff);
          settle_home(*t, from);
          made_.migrations.push_back({at_[e.address()], time, from,
                                      static_cast<std::uint32_t>(e.aux & 0xffff),
                                      static_cast<std::uint32_t>(e.aux >> 32)});
        }
        break;
      case event_kind::started:
        if (task* const t = find(e.address()); t != nullptr && !t->ran) {
          settle_home(*t, log);
          t->ran = true;
          t->worker = log;
          t->started = std::max(time, t->spawned);
          stack.push_back({at_[e.address()], {}});
        } else {
          stack.push_back({none, {}});
        }
        break;
      case event_kind::ended:
        if (stack.empty()) break;
        if (innermost != none) {
          tasks_[innermost].ended = time;
          tasks_[innermost].complete = true;
        }
        stack.pop_back();
        break;
      case event_kind::wait_began:
        if (!stack.empty()) stack.back().waits.push_back({group_of_wait(e.address()), time});
        break;
      case event_kind::wait_ended:
        if (!stack.empty() && !stack.back().waits.empty()) {
          const open_wait w = stack.back().waits.back();
          stack.back().waits.pop_back();
          if (w.group != none && innermost != none) {
            made_.waits.push_back({innermost, w.group, w.began, time});
          }
        }
        // What is spawned into the group from here on is for the next wait.
        groups_at_.erase(e.address());
        break;
    }
  }

  recording finish() {
    // What did not end, or began before the recording, has no number.
    std::vector<std::uint32_t> number(tasks_.size(), none);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (tasks_[i].complete) number[i] = next++;
    }
    const auto of = [&](std::uint32_t i) { return i == none ? none : number[i]; };
    // Groups likewise, in the order of their first tasks.
    std::vector<std::uint32_t> group_number(groups_ + 1, none);
    std::uint32_t next_group = 0;
    made_.tasks.reserve(next);
    for (task& t : tasks_) {
      if (!t.complete) continue;
      t.parent = of(t.parent);
      std::uint32_t& group = group_number[t.group];
      if (group == none) group = next_group++;
      t.group = group;
      made_.tasks.push_back(t);
    }
    std::erase_if(made_.waits,
                  [&](recording::wait& w) { return (w.group = group_number[w.group]) == none; });
    std::erase_if(made_.waits,
                  [&](recording::wait& w) { return (w.waiting = of(w.waiting)) == none; });
    std::erase_if(made_.migrations,
                  [&](recording::migration& m) { return (m.moved = of(m.moved)) == none; });
    return std::move(made_);
  }

 private:
  struct task : recording::task {
    bool ran = false;
    bool complete = false;
  };
  struct open_wait {
    std::uint32_t group;
    std::uint64_t began;
  };
  struct frame {
    std::uint32_t task;
    std::vector<open_wait> waits;
  };

  void spawn(std::uint64_t address, const recording::task& t) {
    at_[address] = static_cast<std::uint32_t>(tasks_.size());
    tasks_.push_back({t});
  }
  task* find(std::uint64_t address) {
    const auto found = at_.find(address);
    return found == at_.end() ? nullptr : &tasks_[found->second];
  }
  static void settle_home(task& t, std::uint32_t where) {
    if (t.home == none) t.home = where;
    if (t.spawned_by == none) t.spawned_by = where;
  }
  std::uint32_t group_at(std::uint64_t address) {
    const auto [at, fresh] = groups_at_.try_emplace(address, groups_ + 1);
    if (fresh) ++groups_;
    return at->second;
  }
  /// none: nothing was spawned into it since the last wait.
  std::uint32_t group_of_wait(std::uint64_t address) const {
    const auto found = groups_at_.find(address);
    return found == groups_at_.end() ? none : found->second;
  }

  std::int64_t began_;
  std::vector<std::vector<frame>> stacks_;
  std::vector<task> tasks_;
  std::unordered_map<std::uint64_t, std::uint32_t> at_;
  std::unordered_map<std::uint64_t, std::uint32_t> groups_at_;
  std::uint32_t groups_ = 0;
  recording made_;
};

}  // namespace

bool event_log::grow(std::int64_t time) noexcept {
  if (budget_->chunks.fetch_sub(1, std::memory_order_relaxed) > 0) {
    try {
      chunks_.push_back(std::unique_ptr<event[]>(new event[chunk_events]));
      next_ = chunks_.back().get();
      end_ = next_ + chunk_events;
      return true;
    } catch (const std::bad_alloc&) {
    }
  }
  budget_->fill(time);
  return false;
}

recorder::recorder(std::uint32_t workers, const recording_options& options) {
  if (options.memory < least_memory) {
    throw std::invalid_argument("memory: " + std::to_string(options.memory) +
                                " is not allowed; at least " + std::to_string(least_memory));
  }
  budget_.chunks = static_cast<std::int64_t>(options.memory / event_log::chunk_bytes);
  for (std::uint32_t k = 0; k < workers + 2; ++k) logs_.emplace_back(budget_);
  began_ = now_ns();
}

void recorder::spawned_outside(slot_word word, std::optional<unsigned> home) noexcept {
  event_log& log = logs_.back();
  if (home) {
    log.add_homed(event_kind::injected, word, *home);
  } else {
    log.add_spawn(event_kind::injected, word);
  }
}

void recorder::planned(const balancing_round& made, std::optional<std::uint32_t> leader) noexcept {
  const std::int64_t time = now_ns();
  if (time >= budget_.full_at.load(std::memory_order_relaxed)) return;
  try {
    rounds_.push_back({made, static_cast<std::uint64_t>(time - began_), leader});
    round_ = static_cast<std::uint32_t>(rounds_.size() - 1);
  } catch (const std::bad_alloc&) {
    budget_.fill(time);
  }
}

recording recorder::take() {
  struct placed {
    event what;
    std::uint32_t log;
  };
  const std::int64_t full_at = budget_.full_at.load(std::memory_order_relaxed);
  const std::int64_t end = std::min(full_at, ended_);
  std::vector<placed> all;
  for (std::uint32_t k = 0; k < logs_.size(); ++k) {
    logs_[k].for_each([&](const event& e) {
      if (e.time < full_at) all.push_back({e, k});
    });
  }
  // Stable: what one thread saw within one tick stays in order.
  std::stable_sort(all.begin(), all.end(),
                   [](const placed& a, const placed& b) { return a.what.time < b.what.time; });
  resolver numbers(logs_.size(), began_);
  for (const placed& p : all) numbers.see(p.what, p.log);
  recording made = numbers.finish();
  const auto last = static_cast<std::uint64_t>(end - began_);
  while (!rounds_.empty() && rounds_.back().time >= last) rounds_.pop_back();
  std::erase_if(made.migrations, [&](const recording::migration& m) {
    return m.round < recording::rescued && m.round >= rounds_.size();
  });
  made.rounds = std::move(rounds_);
  made.duration = last;
  made.bytes = all.size() * sizeof(event);
  made.cut = full_at != event_budget::never;
  return made;
}

}  // namespace evencube::detail
