#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/workers.hpp"
#include "observe/event_log.hpp"
#include "observe/recorder.hpp"
#include "search/staying_awake-inl.hpp"

// How a worker without work finds some.

namespace evencube::detail {

/// The length of a sleep of a worker that may only wait for the next round.
inline constexpr std::int64_t look_again_ns = 50'000;

// Takes one task from outside at a time, so these tasks begin in the order in which they came. If
// there are more, calls another worker. Where there are always more, a task that was left at a
// place without a worker comes in between, and one of the ring between those that were set aside
// (invariant injector.turns).
template <typename Policy>
slot_word basic_worker<Policy>::next_injected() noexcept {
  const unsigned turn = ++search_.from_outside % Policy::turn;
  slot_word word = 0;
  if (turn == 0 && Policy::checks("injector.turns: between")) word = rescue_one();
  const bool ring_first = turn == 1 && Policy::checks("injector.turns: ring");
  if (word == 0) word = workers_->take_injected(ring_first);
  if (word != 0 && workers_->everyone() > 1 && workers_->injected()) {
    workers_->call_somebody();
  }
  return word;
}

// Takes the next task from outside. Mostly such tasks come one after another and are of one group,
// so the next one runs at once, before the end of the last one is reported. A worker that is faster
// than the spawning thread gives this thread a moment, and another moment while many tasks come.
// Otherwise the two would fetch each other's cache lines for every task. If the workers fill the
// machine, the spawning thread has no processor of its own, so the worker yields its processor. The
// worker waits only after a few tasks from outside in a row: a worker that yielded to a busy
// process would be late for a task that comes rarely.
template <typename Policy>
slot_word basic_worker<Policy>::next_of_stream() noexcept {
  constexpr unsigned stream = 4;
  constexpr std::size_t plenty = 256;
  slot_word word = next_injected();
  if (word == 0 && search_.streak >= stream) {
    for (std::size_t before = 0, length = 0;; before = length) {
      if (workers_->settings().fill_machine) Policy::give_way();
      Policy::linger();
      length = workers_->injected_length();
      if (length <= before || length >= plenty) break;
    }
    word = next_of(workers_->high());
    if (word == 0) word = next_injected();
  }
  // While the worker runs such tasks, the clock is read at no other place.
  if (word != 0 && ++search_.streak % 32 == 0 && checks_.sampler().enabled()) sample_soon();
  return word;
}

// Returns the oldest task of a priority list, or 0 if there is none.
template <typename Policy>
slot_word basic_worker<Policy>::next_of(basic_priority_list<Policy>& list) noexcept {
  return list.empty() ? 0 : take_of(list);
}

// Takes the oldest task of a priority list that has some, and passes the call on as `next_injected`
// and `find_work` do.
template <typename Policy>
slot_word basic_worker<Policy>::take_of(basic_priority_list<Policy>& list) noexcept {
  const slot_word word = list.take_oldest();
  if (word == 0 || workers_->everyone() == 1) return word;
  const bool called = std::exchange(search_.called, false);
  if (called ? workers_->work_in_reach() : list.occupied()) workers_->call_somebody();
  return word;
}

// Without this, a worker that never runs dry would never take tasks that no other worker takes
// (invariant injector.turns).
template <typename Policy>
slot_word basic_worker<Policy>::next_in_turn(others_turn& turn) noexcept {
  constexpr std::int64_t longest_ns = 1'000'000;
  constexpr unsigned between_looks = 8;
  const unsigned ran = turn.tasks++;
  if (ran == 0) turn.began = Policy::now();
  if (ran < Policy::turn && (ran % between_looks != 0 || Policy::now() - turn.began < longest_ns)) {
    return 0;
  }
  turn = {};
  slot_word word = next_injected();
  if (word == 0) word = rescue_one();
  if (word == 0) workers_->end_call();
  return word;
}

// Takes half of the mail of another worker, which runs something else or is away.
template <typename Policy>
bool basic_worker<Policy>::raid_mailboxes() noexcept {
  const std::uint32_t everyone = workers_->everyone();
  for (std::uint32_t i = 0; i < everyone; ++i) {
    basic_worker& other = workers_->at((search_.place + i) % everyone);
    if (&other == this || !other.has_mail()) continue;
    const move_kind reason = other.deserted() ? move_kind::rescue : move_kind::pull;
    message sent = other.inbox().take_all();
    if (sent.empty()) continue;
    message mine;
    for (std::uint32_t n = (sent.tasks + 1) / 2; n != 0; --n) mine.add_oldest(sent.take_newest());
    note_taken(reason, other, mine.tasks, [&](std::uint64_t move) {
      for (slot_word word = mine.newest; word != 0; word = task_of(word)->next_) {
        log()->add(event_kind::moved, task_of(word), move);
      }
    });
    // The receiver may have checked its mailbox meanwhile, and so may others, so the rest is sent
    // again.
    if (!sent.empty()) workers_->send(other.index_, sent);
    put(mine);
    return true;
  }
  return false;
}

// Takes one task of a deserted mailbox or queue, which the caller runs at once. Several would lie
// in this worker's queue, which is not deserted, perhaps beneath a task that spawns successors of
// itself (invariant injector.turns).
template <typename Policy>
slot_word basic_worker<Policy>::rescue_one() noexcept {
  const std::uint32_t everyone = workers_->everyone();
  for (std::uint32_t i = 0; i < everyone; ++i) {
    basic_worker& other = workers_->at((search_.rescue_from + i) % everyone);
    if (&other == this || !other.deserted()) continue;
    slot_word word = 0;
    // The queue comes first, because to a mailbox tasks may come without end.
    while (word == 0 && Policy::checks("injector.turns: queue")) {
      const auto claimed = other.queue().claim(1, &word);
      if (claimed.taken == 0) break;
      if (claimed.tasks == 0) word = 0;
    }
    if (word == 0 && other.has_mail()) {
      bool left = false;
      word = other.inbox().take_one(left);
      // The receiver may have checked its mailbox meanwhile, and so may others.
      if (left) workers_->tell_of_mail(other.index_, other.bell().raise(signal_mail));
    }
    if (word == 0) continue;
    if (Policy::checks("injector.turns: places")) search_.rescue_from = other.index_ + 1;
    note_taken(move_kind::rescue, other, 1,
               [&](std::uint64_t move) { log()->add(event_kind::moved, task_of(word), move); });
    return word;
  }
  return 0;
}

// Counts tasks that this worker took from another one, and calls log(move) to record each.
template <typename Policy>
template <typename Log>
void basic_worker<Policy>::note_taken(move_kind reason, const basic_worker& from,
                                      std::uint32_t tasks, Log&& log) noexcept {
  worker_counters::add(counters_.received, std::uint64_t{tasks});
  workers_->rounds().count_move(reason, from.index_, index_, tasks);
  if (this->log() != nullptr) log(make_move(reason, from.index_, index_));
}

// Claims the oldest tasks of another queue and queues them here. Takes a single task if the first
// is a fork, because a fork is as much work as all tasks that were made after it. Takes a single
// task, too, if `wanted` is given and the first is no descendant of it. The memory of the tasks is
// in the cache of the other worker and is not touched. Each task is fetched when it is about to
// run.
template <typename Policy>
std::uint32_t basic_worker<Policy>::take_from(basic_worker& victim, std::uint32_t count,
                                              const node* wanted, move_kind reason) noexcept {
  constexpr std::uint32_t at_once = 64;
  // The first task, and those of one more claim.
  slot_word taken[at_once + 1];
  std::uint32_t held = 0;
  std::uint32_t all = 0;
  // Returns false if there was no memory for all of them.
  const auto put_held = [&] {
    bool room = true;
    for (std::uint32_t i = 0; i < held; ++i) room = put(taken[i]) && room;
    held = 0;
    return room;
  };
  while (count > all) {
    const bool first = all == 0;
    slot_word* const here = taken + held;
    const auto claimed = victim.queue().claim(first ? 1 : std::min(count - all, at_once), here);
    if (claimed.taken == 0) break;
    if (claimed.tasks == 0) continue;
    all += claimed.tasks;
    held += claimed.tasks;
    const bool alone = first && ((taken[0] & fork_bit) != 0 ||
                                 (wanted != nullptr && !descends(task_of(taken[0]), *wanted)));
    note_taken(reason, victim, claimed.tasks, [&](std::uint64_t move) {
      for (std::uint32_t i = 0; i < claimed.tasks; ++i) {
        log()->add(event_kind::moved, task_of(here[i]), move);
      }
    });
    if (alone) break;
    if (first) continue;
    if (begins_oldest_first(taken, held)) std::reverse(taken, taken + held);
    if (!put_held()) break;
  }
  if (all == 0) return 0;
  put_held();
  open_what_came(wanted == nullptr);
  return all;
}

// The number of tasks that a worker without load takes from another one. It is the amount that the
// pair rule of the odd-even dimension exchange gives (Rim et al. 2003, Section 4), as a number of
// tasks of mean cost. If tasks are long, the worker takes one: with several, it would keep all but
// one of them waiting, which matters when they are the last. The task that the other worker runs is
// part of its load, but cannot move.
template <typename Policy>
std::uint32_t basic_worker<Policy>::share_of(const basic_worker& other) const noexcept {
  const std::uint64_t open = other.queue().shared_length();
  const std::uint64_t sum = other.load();
  std::uint64_t share = sum / 2;
  if (sum % 2 != 0 && (share % 2 != 0) == (index_ > other.index_)) ++share;
  if (share == 0 || open == 0) return 0;
  if (stock_.pace().batch() == 1) return 1;
  const auto each = static_cast<std::uint64_t>(other.queue().mean_cost());
  return static_cast<std::uint32_t>(std::min(std::max<std::uint64_t>(share / each, 1), open));
}

// Used by a wait: one odd-even dimension exchange on its own, which tries each neighbour in the
// order of dimensions.
template <typename Policy>
bool basic_worker<Policy>::pull_from_neighbours(const node& wanted) noexcept {
  const std::uint32_t size = workers_->size();
  for (unsigned dimension = 0; (std::uint32_t{1} << dimension) < size; ++dimension) {
    const std::uint32_t k = index_ ^ (std::uint32_t{1} << dimension);
    if (k >= size) continue;
    basic_worker& neighbour = workers_->at(k);
    const std::uint32_t n = share_of(neighbour);
    if (n != 0 && take_from(neighbour, n, &wanted, move_kind::pull) != 0) return true;
  }
  return false;
}

// Used by a worker without work: pulls from the worker with the largest load. If several have the
// largest load, pulls from the nearest, because low dimensions of the cube connect workers that are
// close to each other. Does nothing if that load is above `at_most`. O(workers).
template <typename Policy>
bool basic_worker<Policy>::pull_from_heaviest(std::uint64_t at_most) noexcept {
  const std::uint32_t size = workers_->size();
  basic_worker* heaviest = nullptr;
  std::uint64_t most = 0;
  for (std::uint32_t way = 1; way < std::bit_ceil(size); ++way) {
    const std::uint32_t k = index_ ^ way;
    if (k >= size) continue;
    basic_worker& other = workers_->at(k);
    if (other.queue().shared_length() == 0) continue;
    const std::uint64_t load = other.load();
    if (load <= most) continue;
    heaviest = &other;
    most = load;
  }
  if (heaviest == nullptr || most > at_most) return false;
  const std::uint32_t n = share_of(*heaviest);
  return n != 0 && take_from(*heaviest, n, nullptr, move_kind::pull) != 0;
}

template <typename Policy>
bool basic_worker<Policy>::steal_at_random() noexcept {
  const std::uint32_t size = workers_->size();
  for (std::uint32_t attempt = 0; attempt < 2 * size; ++attempt) {
    const auto k = static_cast<std::uint32_t>(search_.draw() % size);
    if (k != index_ && take_from(workers_->at(k), 1, nullptr, move_kind::pull) != 0) return true;
  }
  return false;
}

// Takes half of any queue, because a worker that is no neighbour may be the only one with work.
// `wanted` is as in `take_from`.
template <typename Policy>
bool basic_worker<Policy>::take_from_anybody(const node* wanted) noexcept {
  const std::uint32_t everyone = workers_->everyone();
  for (std::uint32_t i = 0; i < everyone; ++i) {
    basic_worker& other = workers_->at((search_.place + i) % everyone);
    if (&other == this) continue;
    const std::uint32_t open = other.queue().shared_length();
    const move_kind reason = other.deserted() ? move_kind::rescue : move_kind::pull;
    if (open != 0 && take_from(other, open - open / 2, wanted, reason) != 0) return true;
  }
  return false;
}

// True if tasks were found: one in `found`, which the caller runs at once, or else some in the
// queue. A worker that was called may find other work than the work for which it was called. So it
// passes the call on if there is more.
template <typename Policy>
bool basic_worker<Policy>::find_work(slot_word& found) {
  const bool called = std::exchange(search_.called, false);
  if (!look_for_work(called, found)) return false;
  // Such a task passes through no queue, whose batches measure others.
  if (found != 0 && checks_.sampler().enabled() && checks_.sampler().due(Policy::now())) {
    sample_soon();
  }
  if (called && workers_->everyone() > 1 && workers_->work_in_reach(this)) {
    workers_->call_somebody();
  }
  return true;
}

template <typename Policy>
bool basic_worker<Policy>::look_for_work(bool woken, slot_word& found) {
  if (collect_mail()) return true;
  // A task that no queue held goes into none: mail that comes before it begins would lie above it
  // (injector.turns).
  found = next_injected();
  if (found != 0) return true;
  if (workers_->everyone() == 1) return false;
  // This worker has no other worker to plan with, or is a spare worker, which is in no plan.
  const auto take_anywhere = [&] {
    if (workers_->raids()) return raid_mailboxes() || take_from_anybody();
    // The search may have taken the time of a round: what comes first is checked again.
    if (bell().raised() || !workers_->high().empty()) return true;
    found = rescue_one();
    return found != 0;
  };
  if (workers_->size() == 1 || spare()) return take_anywhere();
  round_service& rounds = workers_->rounds();
  switch (rounds.way()) {
    case strategy_kind::planned: {
      const bool pulls = !rounds.only_rounds();
      // A pull is faster than a round. A worker that was woken is late already, and of few tasks,
      // as those of a short loop, there is little to plan.
      const std::uint64_t few = 2 * std::uint64_t{workers_->size()};
      if (pulls && pull_from_heaviest(woken ? ~std::uint64_t{0} : few)) {
        counters_.count_request(round_answer::not_asked);
        return true;
      }
      const round_answer answer = rounds.request(index_);
      counters_.count_request(answer);
      // The leader of the round under way may need help, in any mode. Without a round this is a
      // single load.
      const bool moved = answer == round_answer::moved || rounds.help(log());
      if (moved && collect_mail()) return true;
      // A worker that may not pull waits for the next round to bring it tasks.
      search_.look_again =
          !pulls && (answer == round_answer::too_soon || answer == round_answer::under_way);
      if (pulls && pull_from_heaviest()) return true;
      break;
    }
    case strategy_kind::random_stealing:
      if (steal_at_random()) return true;
      break;
    case strategy_kind::none:
      break;
  }
  return take_anywhere();
}

// Asks for a round that evens long queues. The queue of a spare worker is in no plan.
template <typename Policy>
void basic_worker<Policy>::request_round() noexcept {
  if (!spare()) workers_->rounds().call(index_);
}

template <typename Policy>
void basic_worker<Policy>::request_neighbours(bool again) noexcept {
  const strategy_kind way = workers_->rounds().way();
  if (way == strategy_kind::none) return;
  const std::uint32_t size = workers_->size();
  const std::uint64_t by_index = std::uint64_t{1} << (32 + index_ % 32);
  const auto ask = [&](std::uint32_t k, std::uint64_t bit) {
    basic_worker& other = workers_->at(k);
    if (again || (other.lifeline().bits() & bit) == 0) {
      other.lifeline().ask(bit, Policy::now(), other.queue());
    }
  };
  for (std::uint32_t k = size; k < workers_->everyone(); ++k) {
    if (k != index_ && workers_->spare_workers().active(k)) ask(k, by_index);
  }
  if (way == strategy_kind::random_stealing || spare()) {
    for (std::uint32_t k = 0; k < size; ++k) {
      if (k != index_) ask(k, by_index);
    }
    return;
  }
  for (unsigned dimension = 0; (std::uint32_t{1} << dimension) < size; ++dimension) {
    const std::uint32_t k = index_ ^ (std::uint32_t{1} << dimension);
    if (k < size) ask(k, std::uint64_t{1} << dimension);
  }
}

// Called when nothing was found: leaves requests, stays awake for a limited time, and then parks.
template <typename Policy>
void basic_worker<Policy>::idle() {
  const std::int64_t began = Policy::now();
  counters_.begin_idle(began);
  memory_.flush();
  request_neighbours();
  // A thread that queues a task rings only parked workers, so a worker that stays awake has to
  // check.
  const bool come = stay_awake(
      search_.idle_patience, began, [this] { return bell().raised(); },
      [this] { return workers_->work_in_reach(); });
  if (!come) {
    const std::uint32_t idle_place = spare() ? index_ + 1 : index_;
    bool told = false;
    park(
        bell(),
        [this, idle_place] {
          workers_->idle().announce(idle_place);
          search_.called = true;
        },
        [this, &told] {
          if (workers_->work_in_reach()) return true;
          note_parking(told);
          search_.streak = 0;
          return false;
        },
        [this, idle_place] { workers_->idle().retract(idle_place); },
        search_.look_again ? look_again_ns : 0);
    note_waking(told);
  }
  const std::int64_t now = Policy::now();
  search_.idle_patience.end(now, come || bell().raised());
  counters_.end_idle(now);
}

template <typename Policy>
void basic_worker<Policy>::answer_signals() noexcept {
  const std::uint32_t bits = bell().take(~std::uint32_t{signal_stop});
  if ((bits & signal_hold) != 0) stand_still();
  if ((bits & signal_mail) != 0) collect_mail();
}

}  // namespace evencube::detail
