#include <algorithm>

#include <evencube/detail/group_core.hpp>
#include <evencube/detail/worker.hpp>
#include <evencube/error.hpp>
#include <evencube/fork_join.hpp>

#include "event_log.hpp"
#include "scheduler.hpp"

namespace evencube::detail {

namespace {

bool descends(const task& t, const node& from) noexcept {
  for (const node* n = &t; n != nullptr; n = n->parent_) {
    if (n == &from) return true;
  }
  return false;
}

/// What a wait waits for. `begin_sleep` leaves word that a sleeper is to be woken; false if it is
/// done already.
struct fork_wait {
  fork_task& forked;

  // Acquire: pairs with the release in `forked::run`.
  [[nodiscard]] bool done() const noexcept {
    return (forked.state_.load(std::memory_order_acquire) & fork_done) != 0;
  }
  [[nodiscard]] bool begin_sleep() const noexcept {
    return (forked.state_.fetch_or(fork_awaited, std::memory_order_acq_rel) & fork_done) == 0;
  }
  void end_sleep() const noexcept {}
};

}  // namespace

/// Writes down that a wait begins, and that it ends.
struct worker::recorded_wait {
  worker& by;
  const node* awaited;

  recorded_wait(worker& w, const node* what) : by(w), awaited(what) {
    note(event_kind::wait_began);
  }
  recorded_wait(const recorded_wait&) = delete;
  recorded_wait& operator=(const recorded_wait&) = delete;
  ~recorded_wait() { note(event_kind::wait_ended); }

  void note(event_kind kind) const noexcept {
    if (by.log_ != nullptr) by.log_->add(kind, awaited);
  }
};

/// A wait of the worker that is the group's home.
struct worker::home_wait {
  group_core& core;

  [[nodiscard]] bool done() const noexcept { return core.count_.done_at_home(); }
  [[nodiscard]] bool begin_sleep() const noexcept { return core.count_.begin_sleep(); }
  void end_sleep() const noexcept { core.count_.end_sleep(); }
};

/// A wait of a worker for a group made outside.
struct worker::guest_wait {
  group_core& core;

  [[nodiscard]] bool done() const noexcept { return core.done_elsewhere(); }
  [[nodiscard]] bool begin_sleep() const noexcept { return core.count_.announce_waiter(); }
  void end_sleep() const noexcept {}
};

bool worker::settle(fork_task& forked) {
  if (log_ != nullptr) return settle_recorded(forked);
  if (take_back(forked)) return true;
  wait_until(forked, fork_wait{forked});
  return false;
}

// Whether the fork was still in the own queue; then it is no longer.
bool worker::take_back(const fork_task& forked) {
  for (;;) {
    if (queue_.remove(&forked)) return true;
    // Half of what is shared comes back at a time: the forks around it are joined next.
    const std::uint32_t shared = queue_.shared_length();
    if (shared == 0 || queue_.reclaim(open() ? 1 : shared - shared / 2) == 0) break;
  }
  return queue_.remove(&forked);
}

// A fork that nobody took runs as a task, so that it is seen to start and to end, and leaves its
// result as if another worker had run it.
bool worker::settle_recorded(fork_task& forked) {
  share_all();  // a fork made before the recording began is made ready to be run
  const recorded_wait wait(*this, &forked);
  if (!take_back(forked)) {
    wait_until(forked, fork_wait{forked});
    return false;
  }
  execute(make_slot(&forked, 1));
  return false;
}

void worker::wait_for(group_core& core) {
  const recorded_wait wait(*this, &core);
  if (core.home_ == this) {
    wait_until(core, home_wait{core});
  } else {
    wait_until(core, guest_wait{core});
  }
}

// The newest own task, if it is one that may run now.
bool worker::run_own_descendant(const node& target) {
  slot_word word = queue_.peek_private();
  if (word == 0) {
    const std::uint32_t shared = queue_.shared_length();
    if (shared == 0) return false;
    adapt_batch();
    if (queue_.reclaim(std::min(batch_, std::max(1U, shared / 2))) == 0) return false;
    word = queue_.peek_private();
  }
  // A lazy slot is a fork of an enclosing frame: not below what this frame waits for.
  if (word == 0 || (word & lazy_bit) != 0 || !descends(*task_of(word), target)) return false;
  queue_.pop_private();
  run(word);
  return true;
}

// Brings the descendants in the own queue to its new end. True if there are any.
bool worker::sift(const node& target) noexcept {
  share_all();
  queue_.reclaim(queue_.shared_length());
  std::vector<slot_word> others;
  std::vector<slot_word> descendants;
  while (const slot_word word = queue_.pop_private()) {
    (descends(*task_of(word), target) ? descendants : others).push_back(word);
  }
  const auto put_back = [&](const std::vector<slot_word>& words) {
    for (auto word = words.rbegin(); word != words.rend(); ++word) {
      if (queue_.needs_attention(queue_.push(*word))) queue_.make_room(open());
    }
  };
  put_back(others);
  share_all();
  put_back(descendants);
  return !descendants.empty();
}

// What a neighbour gives who pulls, or one task of anybody under random stealing: what is not a
// descendant stays in this queue, open to all.
bool worker::run_others_descendant(const node& target) {
  bool got = false;
  const policy way = cube_->rounds_.way();
  if (way == policy::planned && !cube_->rounds_.keeps_order()) got = pull_from_neighbours();
  if (way == policy::random_stealing) got = steal_at_random();
  return got && sift(target);
}

template <typename Wait>
void worker::wait_until(const node& target, const Wait& wait) {
  bool changed = true;
  // `done` may say no because of what this worker has not told yet: it does before it gives up.
  while (!wait.done()) {
    if (signals_.raised()) {
      answer_signals();
      changed = true;
    }
    if (lifeline_.asked()) serve_requests();
    if (run_own_descendant(target)) {
      changed = true;  // it may have left what is no descendant on top of what is
      continue;
    }
    if (ending_ != nullptr) {
      tell();
      continue;
    }
    // Work from outside is for workers that do not wait, as long as there are any.
    const bool took = cube_->injected() && cube_->everybody_else_waits() && take_injected();
    if ((changed || took) && sift(target)) continue;
    if (took) continue;
    changed = false;
    if (cube_->size() > 1 && run_others_descendant(target)) continue;
    share_all();
    if (wait.done()) return;
    sleep_in_wait(target, wait);
    changed = true;
  }
}

// Nothing to run: what is left in the queue is open to others. Sleeps until something changes.
template <typename Wait>
void worker::sleep_in_wait(const node& target, const Wait& wait) {
  const std::int64_t began = now_ns();
  counters_.idle_since.store(began, std::memory_order_relaxed);
  returns_.flush();
  request_neighbours();
  while (!signals_.raised() && !wait.done() && now_ns() - began < cube_->spin_ns_) {
  }
  if (!signals_.raised()) {
    sleep_waiting(wait, stranded_, cube_->blocked_, signals_, [&] {
      if (queue_.shared_length() > 0) cube_->wake_one_idle();
      if (rescue(target)) return true;
      worker_counters::add(counters_.parks, std::uint64_t{1});
      return false;
    });
  }
  counters_.end_idle(now_ns());
}

// If every worker sleeps in a wait then some queue holds a task that one of them may run (the
// argument is in runtime/docs/waiting.md). This one gathers all that is queued; if nothing of it is
// a descendant of what it waits for it passes the turn on.
bool worker::rescue(const node& target) {
  if (!cube_->everybody_waits()) return false;
  bool found = false;
  {
    const std::lock_guard one_at_a_time(cube_->rescue_);
    while (rescue_stranded(true)) {
    }
    found = sift(target);
    share_all();
  }
  if (found) {
    cube_->rescue_turns_.store(0, std::memory_order_relaxed);
  } else if (queue_.shared_length() > 0 &&
             cube_->rescue_turns_.fetch_add(1, std::memory_order_relaxed) < cube_->size()) {
    for (std::uint32_t i = 1; i < cube_->size(); ++i) {
      worker& next = cube_->at((index_ + i) % cube_->size());
      if (next.stranded_.load(std::memory_order_relaxed)) {
        next.notify(signal_work);
        break;
      }
    }
  }
  return found;
}

}  // namespace evencube::detail
