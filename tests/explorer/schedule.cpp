// The decisions of a schedule: the thread that goes on at each step.

#include <algorithm>

#include "arena.hpp"
#include "names.hpp"
#include "session.hpp"

namespace evencube::explorer {

namespace {

/// The most rounds that a thread spins after the decision to spin on: spins that count their rounds
/// end by then.
constexpr unsigned patience = 32;

}  // namespace

unsigned session::choose(std::size_t ways, unsigned suggestion) {
  if (depth_ < trail_->size()) {
    decision& made = (*trail_)[depth_++];
    if (made.ways == 0) made.ways = static_cast<std::uint8_t>(ways);  // the trail comes from a text
    if (made.ways != ways || made.taken >= ways) fail("the scenario is not deterministic");
    return made.taken;
  }
  if (ends_plainly_) return 0;
  const arena_scope off(false);
  trail_->push_back({static_cast<std::uint8_t>(suggestion), static_cast<std::uint8_t>(ways)});
  ++depth_;
  return suggestion;
}

// The index of the way with the highest priority. `may_stay`: the running thread can go on, and is
// the first way.
unsigned session::suggest(bool may_stay) {
  if (guide_ == nullptr) return 0;
  unsigned best = 0;
  std::int64_t highest = may_stay ? guide_->priority(running_) : INT64_MIN;
  for (unsigned i = 0; i < ways_.size(); ++i) {
    const std::int64_t p =
        guide_->priority(ways_[i].thread + static_cast<unsigned>(ways_[i].what) * max_threads);
    if (p <= highest) continue;
    highest = p;
    best = i + (may_stay ? 1 : 0);
  }
  return best;
}

std::uint64_t session::state_hash() const noexcept {
  std::uint64_t hash = mix(memory_hash_, running_);
  hash = mix(hash + static_cast<std::uint64_t>(clock_), static_cast<std::uint64_t>(tick_));
  if (left_.old_values != 0) hash = mix(hash + left_.old_values, histories_hash_);
  hash += left_.failures * 0x51ed270b8f3a9d1dU;
  for (unsigned k = 1; k <= thread_count_; ++k) {
    const thread& t = threads_[k];
    const unsigned how = static_cast<unsigned>(t.state) + 8U * (t.yields ? 1U : 0U) +
                         16U * (t.timed_out ? 1U : 0U) + 32U * t.stubborn;
    hash = mix(hash, t.history + how);
    if (t.timed) hash = mix(hash, static_cast<std::uint64_t>(t.deadline));
    for (unsigned i = 0; i < t.buffered; ++i) {
      hash = mix(hash, t.buffer[i].value + t.buffer[i].where->id_ * 0x9e3779b97f4a7c15U);
    }
  }
  return hash;
}

// Whether everything that may follow has been or is being explored from another schedule, which
// came to the same state with as many preemptions left. `where` distinguishes the kinds of
// decisions.
bool session::known(std::uint64_t where) noexcept {
  if (depth_ < trail_->size() || keeps_history_ || guide_ != nullptr) return false;
  if (left_.preemptions > visited_states::most_left) return false;
  const arena_scope off(false);
  ends_plainly_ = visited_.meet(state_hash() + where * 0xd6e8feb86659fd93U, left_.preemptions);
  return ends_plainly_;
}

// Collects the next ways of all threads except `but`. A spinning thread waits until another thread
// has written.
void session::collect(unsigned but) {
  const arena_scope off(false);
  ways_.clear();
  for (unsigned k = 1; k <= thread_count_; ++k) {
    if (k != but && threads_[k].state == status::runnable && !threads_[k].yields) {
      ways_.push_back({static_cast<std::uint8_t>(k), way::step});
    }
  }
  for (unsigned k = 1; k <= thread_count_; ++k) {
    if (k != but && threads_[k].buffered != 0) {
      ways_.push_back({static_cast<std::uint8_t>(k), way::drain});
    }
  }
}

// Collects the sleeps that may end by themselves: all timed sleeps, or those with the earliest
// deadline.
void session::collect_time_outs(bool earliest) {
  const arena_scope off(false);
  std::int64_t first = INT64_MAX;
  for (unsigned k = 1; k <= thread_count_ && earliest; ++k) {
    if (threads_[k].timed) first = std::min(first, threads_[k].deadline);
  }
  for (unsigned k = 1; k <= thread_count_; ++k) {
    if (threads_[k].timed && threads_[k].deadline <= first) {
      ways_.push_back({static_cast<std::uint8_t>(k), way::time_out});
    }
  }
}

void session::end_time(thread& t) noexcept {
  wake_up(t);
  t.timed_out = true;
}

void session::advance_to(std::int64_t then) noexcept {
  clock_ = std::max(clock_, then);
  for (unsigned k = 1; k <= thread_count_; ++k) {
    if (threads_[k].timed && threads_[k].deadline <= clock_) end_time(threads_[k]);
  }
}

// A thread spins and no other thread can do anything: passes twice as much time as before, so that
// any deadline comes soon.
void session::pass_time() noexcept {
  tick_ = tick_ == 0 ? 1000 : std::min(tick_ * 2, std::int64_t{1} << 40);
  advance_to(clock_ + tick_);
}

// Memory has changed: spinning threads may find what they wait for.
void session::written() noexcept {
  tick_ = 0;
  if (yielding_ == 0) return;
  for (unsigned k = 1; k <= thread_count_; ++k) threads_[k].yields = false;
  yielding_ = 0;
}

void session::count_step() {
  thread& t = me();
  ++t.clock.at[running_];
  ++now_;
  if (++steps_ > step_limit_) {
    if (!ends_plainly_) fail("no end after " + std::to_string(step_limit_) + " steps");
    failure_ = "";
    t.stack.hand_over_to(main_);
  }
  if (guide_ != nullptr) guide_->reach(steps_, running_);
}

// Called before every step. The running thread goes on or is interrupted, which costs one
// preemption.
void session::point() {
  if (running_ == 0) return;
  count_step();
  thread& t = me();
  // A thread that was chosen to begin is not interrupted before its first step.
  const bool begins = t.last.line == 0;
  while (left_.preemptions > 0 && !ends_plainly_ && !begins) {
    collect(running_);
    collect_time_outs(false);
    if (ways_.empty() || known(0)) return;
    const unsigned taken = choose(ways_.size() + 1, suggest(true));
    if (taken == 0) return;
    --left_.preemptions;
    const way next = ways_[taken - 1];
    if (next.what == way::drain) {
      drain_oldest(threads_[next.thread]);
      continue;
    }
    // Chooses how many of its stores the other threads see meanwhile: all, or fewer.
    if (t.buffered != 0) {
      const unsigned stay =
          choose(t.buffered + 1, guide_ == nullptr ? 0 : guide_->any_of(t.buffered + 1));
      while (t.buffered > stay) drain_oldest(t);
    }
    take(next);
    return;
  }
}

// Every thread that could go on spins, and nothing has changed: time passes, and they check again.
bool session::someone_yields_on() {
  if (yielding_ == 0) return false;
  for (unsigned k = 1; k <= thread_count_; ++k) threads_[k].yields = false;
  yielding_ = 0;
  pass_time();
  return true;
}

// The running thread cannot go on: any other thread may, at no cost.
void session::leave() {
  for (;;) {
    collect(0);
    if (ways_.empty() && someone_yields_on()) continue;
    const std::size_t free = ways_.size();
    if (free == 0) {
      collect_time_outs(true);
    } else if (left_.preemptions > 0) {
      collect_time_outs(false);
    }
    if (ways_.empty()) break;
    const bool decides = ways_.size() > 1 && !ends_plainly_ && !known(1);
    const unsigned taken = decides ? choose(ways_.size(), suggest(false)) : 0;
    if (free != 0 && taken >= free) --left_.preemptions;
    const way next = ways_[taken];
    if (next.what != way::drain) {
      take(next);
      return;
    }
    drain_oldest(threads_[next.thread]);
  }
  const std::string asleep = who_sleeps();
  if (!asleep.empty()) fail("nobody can go on: " + asleep);
  go_to(0);
}

// Other threads go first at no cost, or this thread spins on, which costs one preemption once.
void session::pause(const site& at) {
  if (running_ == 0) return;
  count_step();
  thread& t = me();
  t.before = t.last;
  t.last = at;
  absorb(3);
  if (story_ != nullptr) note(action::pause, nullptr, at, std::memory_order_relaxed, "");
  if (t.stubborn > 1) {
    --t.stubborn;
    pass_time();
    return;
  }
  const bool may_insist = t.stubborn == 0;
  t.stubborn = 0;
  if (guide_ != nullptr) guide_->lower(running_);
  for (;;) {
    collect(running_);
    if (ways_.empty()) {
      if (!someone_yields_on()) pass_time();
      return;
    }
    const bool insists = may_insist && left_.preemptions > 0;
    const std::size_t all = ways_.size() + (insists ? 1 : 0);
    unsigned taken = 0;
    if (all > 1 && !ends_plainly_ && !known(2)) {
      taken = choose(all, insists && guide_ != nullptr && guide_->unlikely()
                              ? static_cast<unsigned>(all) - 1
                              : suggest(false));
    }
    if (taken == ways_.size()) {
      --left_.preemptions;
      t.stubborn = patience;
      pass_time();
      return;
    }
    const way next = ways_[taken];
    if (next.what == way::drain) {
      drain_oldest(threads_[next.thread]);
      continue;
    }
    t.yields = true;
    ++yielding_;
    take(next);
    return;
  }
}

void session::take(const way& next) {
  thread& t = threads_[next.thread];
  if (next.what == way::time_out) {
    if (story_ != nullptr) {
      const arena_scope off(false);
      *story_ += "  thread " + std::to_string(next.thread) + "   ... its time is over\n";
    }
    const std::int64_t deadline = t.deadline;
    end_time(t);
    advance_to(deadline);
  }
  go_to(next.thread);
}

void session::go_to(unsigned k) {
  thread& from = me();
  if (k != running_) from.stubborn = 0;
  running_ = k;
  if (&from != &threads_[k]) from.stack.hand_over_to(threads_[k].stack);
}

}  // namespace evencube::explorer
