#include "observe/recorder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>

#include <evencube/detail/worker.hpp>
#include <evencube/region.hpp>

#include "platform/platform.hpp"

namespace evencube::detail {

namespace {

constexpr std::size_t least_memory = std::size_t{1} << 20;
constexpr std::uint32_t none = recording::none;
/// A recording keeps only the beginning of a longer name, because names of types may have thousands
/// of letters.
constexpr std::size_t longest_name = 240;

/// Gives numbers to names, one to each distinct name.
class name_table {
 public:
  std::uint32_t number_of(const char* text) {
    const auto [at, fresh] = by_address_.try_emplace(text, 0);
    if (fresh) at->second = add(text);
    return at->second;
  }
  std::uint32_t number_of(const task_label& label) {
    if (label.given != nullptr) return number_of(label.given);
    return label.type != nullptr ? add(readable(*label.type)) : none;
  }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::uint32_t add(std::string text) {
    if (text.size() > longest_name) {
      text.resize(longest_name);
      // Does not cut in the middle of a letter of several bytes.
      while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) {
        text.pop_back();
      }
      if (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80U) != 0) text.pop_back();
      text += "...";
    }
    const auto [at, fresh] = numbers_.try_emplace(text, static_cast<std::uint32_t>(names_.size()));
    if (fresh) names_.push_back(std::move(text));
    return at->second;
  }

  std::map<std::string, std::uint32_t> numbers_;
  std::unordered_map<const char*, std::uint32_t> by_address_;
  std::vector<std::string> names_;
};

/// Turns addresses into numbers. Events come in the order of time, and those of one worker nest as
/// its tasks do. So an end needs no address, and an address means the task last spawned there.
class resolver {
 public:
  resolver(const std::vector<event_log>& logs, std::int64_t began)
      : began_(began), stacks_(logs.size()), labels_(logs.size()) {
    for (std::size_t k = 0; k < logs.size(); ++k) {
      labels_[k].push_back(none);
      for (const task_label& one : logs[k].labels()) labels_[k].push_back(names_.number_of(one));
    }
  }

  void see(const event& e, std::uint32_t log) {
    const auto time = static_cast<std::uint64_t>(std::max<std::int64_t>(e.time - began_, 0));
    std::vector<frame>& stack = stacks_[log];
    const std::uint32_t innermost = stack.empty() ? none : stack.back().task;
    switch (e.kind()) {
      case event_kind::root:
        spawn(e.address(),
              {none, log, log, ++groups_, time, log, time, 0, labels_[log][e.label()]});
        stack.push_back({at_[e.address()], {}, {}});
        break;
      case event_kind::spawned:
        // A fork does not belong to the group of a task that was at its address before.
        if (e.awaited() == e.address()) groups_at_.erase(e.awaited());
        spawn(e.address(),
              {innermost, log, log, group_at(e.awaited()), time, 0, 0, 0, labels_[log][e.label()]});
        break;
      case event_kind::injected:
        spawn(e.address(),
              {none, none, none, group_at(e.awaited()), time, 0, 0, 0, labels_[log][e.label()]});
        break;
      case event_kind::homed:
        if (task* const t = find(e.address())) {
          t->home = static_cast<std::uint32_t>(e.aux);
          if (t->spawned_by == none) t->spawned_by = t->home;
        }
        break;
      case event_kind::costly:
        if (task* const t = find(e.address())) t->cost = static_cast<std::uint32_t>(e.aux);
        break;
      case event_kind::in_priority_list:
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
          stack.push_back({at_[e.address()], {}, {}});
        } else {
          stack.push_back({none, {}, {}});
        }
        break;
      case event_kind::ended:
        if (stack.empty()) break;
        if (innermost != none) {
          tasks_[innermost].ended = time;
          tasks_[innermost].complete = true;
          while (!stack.back().regions.empty()) end_region(stack.back(), time);
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
        // Tasks spawned into the group from here on are for the next wait.
        groups_at_.erase(e.address());
        break;
      case event_kind::region_began:
        if (innermost != none) stack.back().regions.push_back({name_at(e), time});
        break;
      case event_kind::region_ended:
        // A region that began in another task, or before the recording, does not belong to this
        // task.
        if (innermost != none && !stack.back().regions.empty() &&
            stack.back().regions.back().name == name_at(e)) {
          end_region(stack.back(), time);
        }
        break;
      case event_kind::counted:
        made_.counts.push_back({log, name_at(e), time, std::bit_cast<double>(e.aux)});
        break;
    }
  }

  recording finish() {
    // A task that did not end, or began before the recording, gets no number.
    std::vector<std::uint32_t> number(tasks_.size(), none);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (tasks_[i].complete) number[i] = next++;
    }
    const auto number_of = [&](std::uint32_t i) { return i == none ? none : number[i]; };
    // Groups are numbered in the same way, in the order of their first tasks.
    std::vector<std::uint32_t> group_number(groups_ + 1, none);
    std::uint32_t next_group = 0;
    made_.tasks.reserve(next);
    for (task& t : tasks_) {
      if (!t.complete) continue;
      t.parent = number_of(t.parent);
      std::uint32_t& group = group_number[t.group];
      if (group == none) group = next_group++;
      t.group = group;
      made_.tasks.push_back(t);
    }
    std::erase_if(made_.waits,
                  [&](recording::wait& w) { return (w.group = group_number[w.group]) == none; });
    std::erase_if(made_.waits,
                  [&](recording::wait& w) { return (w.waiting = number_of(w.waiting)) == none; });
    std::erase_if(made_.migrations,
                  [&](recording::migration& m) { return (m.moved = number_of(m.moved)) == none; });
    std::erase_if(made_.regions,
                  [&](recording::region& r) { return (r.within = number_of(r.within)) == none; });
    made_.names = names_.take();
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
  struct open_region {
    std::uint32_t name;
    std::uint64_t began;
  };
  struct frame {
    std::uint32_t task;
    std::vector<open_wait> waits;
    std::vector<open_region> regions;
  };

  std::uint32_t name_at(const event& e) {
    return names_.number_of(reinterpret_cast<const char*>(e.address()));
  }
  void end_region(frame& ended, std::uint64_t time) {
    const open_region r = ended.regions.back();
    ended.regions.pop_back();
    made_.regions.push_back({ended.task, r.name, r.began, time});
  }

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
  /// The group of a wait; `none` if nothing was spawned into it since the last wait.
  std::uint32_t group_of_wait(std::uint64_t address) const {
    const auto found = groups_at_.find(address);
    return found == groups_at_.end() ? none : found->second;
  }

  std::int64_t began_;
  std::vector<std::vector<frame>> stacks_;
  name_table names_;
  std::vector<std::vector<std::uint32_t>> labels_;  // for each log, the names of its labels
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

std::uint16_t event_log::look_up(const task_label& label, const void* key) noexcept {
  if (key == nullptr) return 0;
  try {
    const auto [at, fresh] = numbers_.try_emplace(key, std::uint16_t{0});
    if (fresh && labels_.size() < UINT16_MAX) {
      labels_.push_back(label);
      at->second = static_cast<std::uint16_t>(labels_.size());
    }
    return at->second;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

constinit std::atomic<std::uint32_t> recordings{0};

void note_region(const char* name, bool begins) noexcept {
  worker* const here = current_worker;
  if (name == nullptr || here == nullptr || here->log() == nullptr) return;
  here->log()->add(begins ? event_kind::region_began : event_kind::region_ended, name);
}

void note_count(const char* name, double value) noexcept {
  worker* const here = current_worker;
  if (name == nullptr || here == nullptr || here->log() == nullptr || !std::isfinite(value)) return;
  here->log()->add(event_kind::counted, name, std::bit_cast<std::uint64_t>(value));
}

recorder::recorder(std::uint32_t workers, const recording_options& options) {
  if (options.memory < least_memory) {
    throw std::invalid_argument("memory: " + std::to_string(options.memory) +
                                " is not allowed; at least " + std::to_string(least_memory));
  }
  budget_.chunks = static_cast<std::int64_t>(options.memory / event_log::chunk_bytes);
  for (std::uint32_t k = 0; k < workers + 2; ++k) logs_.emplace_back(budget_);
  began_ = now_ns();
  recordings.fetch_add(1, std::memory_order_relaxed);
}

recorder::~recorder() { recordings.fetch_sub(1, std::memory_order_relaxed); }

void recorder::spawned_outside(slot_word word, std::optional<unsigned> home,
                               const task_label& label) noexcept {
  event_log& log = logs_.back();
  if (home) {
    log.add_homed(event_kind::injected, word, *home, label);
  } else {
    log.add_spawn(event_kind::injected, word, label);
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
  // Stable: events that one thread saw within one tick stay in order.
  std::stable_sort(all.begin(), all.end(),
                   [](const placed& a, const placed& b) { return a.what.time < b.what.time; });
  resolver numbers(logs_, began_);
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
