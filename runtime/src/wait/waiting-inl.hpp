#pragma once

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <type_traits>
#include <utility>

#include "engine/workers.hpp"
#include "observe/event_log.hpp"
#include "observe/recorder.hpp"
#include "observe/text_line.hpp"
#include "platform/platform.hpp"
#include "search/staying_awake-inl.hpp"
#include "tasks/running-inl.hpp"
#include "wait/own_stack.hpp"
#include "wait/waiting.hpp"

// How a worker waits (runtime/src/wait/waiting.md).

namespace evencube::detail {

/// Writes which worker waits for which, and ends the program. The caller holds the lock of the
/// room.
template <typename Sleeper>
[[noreturn]] void end_in_circle(const Sleeper& first) noexcept {
  write_all(2, "evencube: a cycle of waits, none of which would ever end:\n");
  const Sleeper* s = &first;
  do {
    text_line line;
    line << "  worker " << s->sleeping->index << " waits for " << s->what << " ("
         << static_cast<const void*>(s->target) << "), and a task of it is under way on worker "
         << s->cycle.toward->sleeping->index << "\n";
    write_all(2, line.text());
    s = s->cycle.toward;
  } while (s != &first);
  std::abort();
}

/// The number of requests in a row that a wait leaves in vain. After that it leaves none until it
/// has run a task, because every request costs its receiver a wake-up.
inline constexpr std::uint32_t most_fruitless = 4;

/// Records that a wait begins and, in its destructor, that it ends.
template <typename Policy>
struct basic_worker<Policy>::recorded_wait {
  basic_worker& caller;
  const node* awaited;

  recorded_wait(basic_worker& w, const node* what) : caller(w), awaited(what) {
    note(event_kind::wait_began);
  }
  recorded_wait(const recorded_wait&) = delete;
  recorded_wait& operator=(const recorded_wait&) = delete;
  ~recorded_wait() { note(event_kind::wait_ended); }

  void note(event_kind kind) const noexcept {
    if (caller.log() != nullptr) caller.log()->add(kind, awaited);
  }
};

/// How far a wait has checked the priority lists and the tasks that were set aside.
template <typename Policy>
struct basic_worker<Policy>::lists_seen {
  typename basic_priority_list<Policy>::look high;
  typename basic_priority_list<Policy>::look low;
  typename basic_priority_list<Policy>::look aside;
};

template <typename Policy>
bool basic_worker<Policy>::settle(fork_task& forked) {
  if (log() != nullptr) return settle_recorded(forked);
  if (take_back(forked)) return true;
  fork_wait<Policy> wait{forked};
  wait_until(wait);
  return false;
}

// Returns true if the fork was still in this worker's queue, and removes it from there.
template <typename Policy>
bool basic_worker<Policy>::take_back(const fork_task& forked) {
  bool found = queue().remove(&forked);
  for (bool more = true; !found && more; found = queue().remove(&forked)) {
    // Half of the shared tasks come back at a time, because the forks around this one are joined
    // next.
    const std::uint32_t shared = queue().shared_length();
    more = shared != 0 && queue().reclaim(open() ? 1 : shared - shared / 2) != 0;
  }
  lower_bases();  // empty slots below the place of the task may be gone, too
  return found;
}

// A fork that no other worker took runs as a task. So its beginning and end are recorded, and its
// result is left as if another worker had run it.
template <typename Policy>
bool basic_worker<Policy>::settle_recorded(fork_task& forked) {
  share_all();  // a fork made before the recording began is published as a task
  const recorded_wait recorded(*this, &forked);
  if (take_back(forked)) {
    execute(forked, queue().head_index());
  } else {
    fork_wait<Policy> wait{forked};
    wait_until(wait);
  }
  return false;
}

/// Waits on worker `caller` until `wait` is done, or the deadline has passed.
template <typename Policy, typename Wait>
void wait_here(basic_worker<Policy>& caller, Wait& wait, std::int64_t deadline_ns) {
  if (deadline_ns == no_deadline) {
    caller.wait_until(wait);
  } else {
    limited_wait<Policy, Wait> limited{wait, deadline_ns};
    caller.wait_until(limited);
  }
}

template <typename Policy>
void basic_worker<Policy>::wait_for(group_type& group, std::int64_t deadline_ns) {
  const auto wait_as = [&](auto wait) {
    if (deadline_ns == no_deadline) {
      const recorded_wait recorded(*this, &group);
      wait_until(wait);
    } else {
      wait_here(*this, wait, deadline_ns);
      // In a recording, a wait ends with its target. So this one is recorded only if it did.
      if (wait.done()) {
        const recorded_wait recorded(*this, &group);
      }
    }
  };
  if (group.owner() == this) {
    wait_as(owner_wait<Policy>{group});
  } else {
    wait_as(external_wait<Policy>{group});
  }
}

template <typename Policy>
void basic_worker<Policy>::wait_for(basic_future_core<Policy>& future) {
  const recorded_wait recorded(*this, &future);
  future_wait<Policy> wait{future};
  wait_until(wait);
}

// Takes the newest task of this worker's queue if it is a descendant of `target`; otherwise returns
// 0.
template <typename Policy>
slot_word basic_worker<Policy>::next_own_below(const node& target) {
  keep_largest_first();
  slot_word word = queue().peek_private();
  if (word == 0) {
    const std::uint32_t shared = queue().shared_length();
    if (shared == 0) return 0;
    adapt_batch();
    if (queue().reclaim(std::min(stock_.pace().batch(), std::max(1U, shared / 2))) == 0) return 0;
    word = queue().peek_private();
  }
  // A lazy slot is a fork of an enclosing frame, so it is no descendant of the target of this wait.
  if (word == 0 || (word & lazy_bit) != 0 || !descends(task_of(word), target)) {
    lower_bases();  // empty slots may be gone from the end even so
    return 0;
  }
  queue().pop_private();
  lower_bases();
  if (lifeline().asked()) serve_requests();
  return word;
}

// Takes a descendant of `target` from a priority list that has news for this wait; otherwise
// returns 0.
template <typename Policy>
template <typename Look>
slot_word basic_worker<Policy>::next_below(basic_priority_list<Policy>& list, const node& target,
                                           Look& so_far) noexcept {
  if (!list.news(so_far, std::memory_order_relaxed)) return 0;
  const slot_word word = list.take_below(target, so_far);
  if (word != 0 && lifeline().asked()) serve_requests();
  return word;
}

// Moves the descendants in this worker's queue to its newest end. Returns true if there are any.
// Tasks that this worker queued for a wait of the innermost task have places above the base of that
// task's frame.
template <typename Policy>
bool basic_worker<Policy>::sift(const node& target, bool everywhere) noexcept {
  share_all();
  const std::uint32_t above = queue().head_index() - stack_.innermost()->base;
  queue().reclaim(everywhere || workers_->rounds().keeps_order() ||
                          static_cast<std::int32_t>(above) < 0
                      ? queue().shared_length()
                      : above);
  message others;
  message descendants;
  while (const slot_word word = queue().pop_private()) {
    (descends(task_of(word), target) ? descendants : others).add_oldest(word);
  }
  const bool any = !descendants.empty();
  // The tasks that come back are as many as were taken out, so there is room.
  if (!others.empty()) put(others, false);
  if (any) put(descendants, false);
  // The separated tasks must not be mixed again.
  stock_.order().leave_as_it_is(queue());
  lower_bases();
  return any;
}

// Takes descendants that were sent to other workers and that these have not received yet, because
// they run something else.
template <typename Policy>
bool basic_worker<Policy>::take_sent_descendants(const node& target) noexcept {
  message descendants;
  std::uint64_t taken = 0;
  const std::uint32_t everyone = workers_->everyone();
  for (std::uint32_t i = 0; i < everyone; ++i) {
    basic_worker& other = workers_->at((search_.place + i) % everyone);
    if (&other == this || !other.has_mail()) continue;
    message others;
    for (message sent = other.inbox().take_all(); !sent.empty();) {
      const slot_word word = sent.take_newest();
      const bool wanted = descends(task_of(word), target);
      if (wanted) {
        workers_->rounds().count_move(move_kind::pull, other.index_, index_, 1);
        ++taken;
        if (log() != nullptr) {
          log()->add(event_kind::moved, task_of(word),
                     make_move(move_kind::pull, other.index_, index_));
        }
      }
      (wanted ? descendants : others).add_oldest(word);
    }
    if (!others.empty()) workers_->send(other.index_, others);
  }
  if (descendants.empty()) return false;
  worker_counters::add(counters_.received, taken);
  put(descendants, false);
  return true;
}

// Requests a round, if it is worth it. Otherwise takes descendants from mailboxes. If there are
// none, pulls from neighbours or, under random stealing, steals one task from any worker. Tasks
// that are no descendants stay in this worker's queue, open to all.
template <typename Policy>
bool basic_worker<Policy>::help(const node& target) {
  const std::uint32_t everyone = workers_->everyone();
  if (everyone == 1) return false;
  round_service& rounds = workers_->rounds();
  const bool plans = rounds.way() == strategy_kind::planned && !rounds.only_rounds();
  if (plans && !spare()) {
    const auto mail_elsewhere = [&] {
      for (std::uint32_t k = 0; k < everyone; ++k) {
        if (k != index_ && workers_->at(k).has_mail()) return true;
      }
      return false;
    };
    // If tasks are short, a round takes longer than the tasks that it would bring, unless many of
    // them wait in a mailbox.
    if (stock_.pace().batch() == 1 || mail_elsewhere()) {
      const round_answer answer = rounds.request(index_);
      counters_.count_request(answer);
      const bool moved = answer == round_answer::moved || rounds.help(log());
      if (moved && collect_mail() && sift(target, false)) return true;
    }
  }
  if (workers_->raids() && take_sent_descendants(target)) return true;
  bool got = false;
  if (plans) {
    got = spare() ? take_from_anybody(&target) : pull_from_neighbours(target);
  }
  if (rounds.way() == strategy_kind::random_stealing) got = steal_at_random();
  return got && sift(target, false);
}

// Used by a wait that waits for other nodes, too. It exists for the parts of coroutines. These have
// no priority, so the priority lists are not checked.
template <typename Policy>
bool basic_worker<Policy>::run_below(const node& target) {
  slot_word word = next_own_below(target);
  if (word == 0 && (sift(target, true) || help(target))) word = next_own_below(target);
  if (word == 0) word = next_parked_below(target);
  if (word != 0) run(word);
  return word != 0;
}

template <typename Policy>
template <typename Wait>
void basic_worker<Policy>::wait_until(Wait& wait) {
  if (wait.done() || done_elsewhere<Policy>([&] { wait_until(wait); })) return;
  const node& target = wait.target();
  std::uint32_t fruitless = 0;
  bool look = true;
  lists_seen seen;
  const auto goes_on = [&] {
    // A group that has a task is not done.
    if constexpr (!requires { wait.group; }) {
      if (wait.done()) return false;
    }
    return !workers_->high().news(seen.high, std::memory_order_relaxed);
  };
  series_type following;
  // Tasks may follow one another without a check of `done` only in a wait for a group.
  series_type* series = nullptr;
  if constexpr (requires { wait.group; }) {
    following.high = workers_->high().word();
    series = &following;
  }
  // `done` may be false because of ends that this worker has not reported yet. The worker reports
  // them before it sleeps.
  while (!wait.done()) {
    if (bell().raised()) {
      // The bell of a stop was raised in a forked child. The tasks that this wait needs run in the
      // parent.
      if ((bell().bits() & signal_stop) != 0) workers_->host().check_alive();
      answer_signals();
      look = true;
    }
    if (look && wait.begin_here(*this)) {
      // It may have left tasks that are no descendants above tasks that are, so `look` stays.
      fruitless = 0;
      continue;
    }
    slot_word word = next_below(workers_->high(), target, seen.high);
    if (word == 0) {
      if (run_series(goes_on, [&](const task& t) { return t.parent_ == &target; }, series)) {
        fruitless = 0;
        look = true;
        continue;
      }
      word = next_own_below(target);
    }
    if (word == 0) {
      if (ended_.group() != nullptr) {
        ended_.tell_group();
        continue;
      }
      if (std::exchange(look, false) && sift(target, Wait::everywhere)) continue;
      if (help(target)) continue;
      word = next_below(workers_->low(), target, seen.low);
      if (word == 0) word = next_parked_below(target);
      // One that nobody needed when all workers slept.
      if (word == 0 && Policy::checks("waiting.match: aside")) {
        word = next_below(workers_->aside(), target, seen.aside);
      }
    }
    if (word != 0) {
      run(word);
      fruitless = 0;
      look = true;
      continue;
    }
    share_all();
    if (wait.done()) break;
    sleep_in_wait(wait, fruitless, seen);
    look = true;
  }
  ended_.tell();  // needed if the wait ended without the ends of tasks that it ran
}

// Called when there is nothing to run. The tasks that are left in the queue are open to others.
// Sleeps until something changes.
template <typename Policy>
template <typename Wait>
void basic_worker<Policy>::sleep_in_wait(Wait& wait, std::uint32_t& fruitless,
                                         const lists_seen& seen) {
  // In a forked child no thread would wake this worker: its wait began in the parent, or is for a
  // fork of the parent.
  workers_->host().check_alive();
  const std::int64_t began = Policy::now();
  counters_.begin_idle(began);
  memory_.flush();
  if (fruitless++ < most_fruitless) request_neighbours();
  const bool come = stay_awake(
      search_.wait_patience, began, [&] { return bell().raised() || wait.done(); },
      [&] {
        return workers_->high().news(seen.high, std::memory_order_relaxed) ||
               workers_->low().news(seen.low, std::memory_order_relaxed);
      });
  if (!come) {
    auto& room = workers_->room();
    const typename basic_waiting_room<Policy>::identity me{index_, &inbox(), stack_.innermost()};
    typename basic_waiting_room<Policy>::sleeper self{&wait.target(), &bell(), &me,
                                                      &workers_->sleepers()};
    self.also = rings_too(wait);
    self.others = runs_too(wait);
    const bool checked = workers_->settings().check_waits;
    if (checked) make_visible(self, wait);
    counters_.awaits.store(self.target, std::memory_order_relaxed);
    bool unfinished = true;
    bool told = false;
    const bool lent = lend_permits();
    park(
        bell(),
        [&] {
          set_deserted(true);
          {
            const std::lock_guard lock(room);
            room.enter(self);
            // After the sleeper has entered: the thread that ends the target finds the mark, and
            // then the sleeper.
            unfinished = wait.begin_sleep();
            if (checked && unfinished && room.closes_circle(self)) end_in_circle(self);
            if (unfinished && workers_->everybody_asleep() && Policy::checks("waiting.match")) {
              workers_->match(*this);
            }
          }
        },
        [&] {
          if (!unfinished) return true;
          // Descendants may have come to the priority lists. The thread that brought them saw no
          // sleeper.
          if (Policy::checks("priority.seen") &&
              (workers_->high().news(seen.high, std::memory_order_seq_cst) ||
               workers_->low().news(seen.low, std::memory_order_seq_cst))) {
            return true;
          }
          // A permit may have become free that this wait lacked to begin a future.
          if (arenas_.refused() != nullptr &&
              workers_->arenas().has_free_or_want(*arenas_.refused())) {
            return true;
          }
          if (workers_->arenas().offers([&](const task& t) { return self.needs(t); })) {
            return true;
          }
          // The tasks that are left here are open to all now. Besides, this passes on a call that
          // came to this worker.
          if (workers_->work_in_reach()) workers_->call_somebody();
          note_parking(told);
          return false;
        },
        [&] {
          {
            const std::lock_guard lock(room);
            room.leave(self);
          }
          if (unfinished) wait.end_sleep();
          set_deserted(false);
        },
        time_left(wait));
    counters_.awaits.store(nullptr, std::memory_order_relaxed);
    note_waking(told);
    if (arenas_.refused() != nullptr) arenas_.refuse(nullptr);
    if (lent) {
      counters_.end_idle(Policy::now());
      retake_permits();
      return;
    }
  }
  const std::int64_t now = Policy::now();
  search_.wait_patience.end(now, come || bell().raised() || wait.done());
  counters_.end_idle(now);
}

}  // namespace evencube::detail
