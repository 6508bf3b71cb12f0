#pragma once

#include <algorithm>
#include <mutex>

#include <evencube/detail/future_core.hpp>

#include "engine/workers.hpp"
#include "observe/event_log.hpp"
#include "observe/recorder.hpp"
#include "observe/text_line.hpp"

namespace evencube::detail {

/// Drops the slot of a future that another thread has begun.
template <typename Policy>
void drop_slot(slot_word word) noexcept {
  static_cast<basic_future_core<Policy>*>(task_of(word))->drop();
}

template <typename Policy>
basic_workers<Policy>::basic_workers(const workers_settings& settings, workers_host& host,
                                     round_service& rounds, room_type& room)
    : settings_(settings),
      host_(host),
      rounds_(rounds),
      crowd_(room),
      idle_(settings.workers + 1 + settings.spare_workers),
      entrance_(settings.injection_capacity),
      spare_workers_(settings.workers, settings.spare_workers) {
  for (std::uint32_t k = 0; k < everyone(); ++k) {
    all_.push_back(std::make_unique<worker_type>(*this, k));
  }
  for (std::uint32_t k = size(); k < everyone(); ++k) {
    at(k).set_deserted(true);
    at(k).counters().begin_idle(Policy::now());
  }
  at(0).set_deserted(true);
  at(0).counters().begin_idle(Policy::now());
}

// A future that its waiter ran in place still has a slot in some queue or list, and the slot holds
// the future.
template <typename Policy>
basic_workers<Policy>::~basic_workers() {
  const auto drop = [](slot_word word) {
    if ((word & future_bit) != 0) drop_slot<Policy>(word);
  };
  for (const auto& w : all_) {
    w->collect_mail();
    w->queue().for_each_shared(drop);
    w->refuse(nullptr);
  }
  while (const slot_word word = take_injected()) drop(word);
  arenas_.empty_into(drop);
  for (auto* const list : {&high(), &low()}) {
    while (const slot_word word = list->take_oldest()) drop(word);
  }
  const std::lock_guard lock(room());
  room().forget(crowd_);
}

// -- Work from outside ---------------------------------------------------------------------------

template <typename Policy>
void basic_workers<Policy>::inject(slot_word word, std::optional<unsigned> preferred) {
  ensure_standby();
  if (preferred) {
    unless_stopping([&] {
      message one;
      one.add_newest(word);
      send(*preferred, one);
    });
    return;
  }
  for (;;) {
    if (everybody_asleep()) {
      // Only a worker that needs the task may run it now. A worker that comes to need it later
      // finds it in the injector.
      const std::lock_guard lock(room());
      if (everybody_asleep()) {
        if (auto* const needing = room().who_needs(*task_of(word), crowd_)) {
          message one;
          one.add_newest(word);
          needing->sleeping->inbox->send(one);
          return;
        }
        if (entrance_.injector().push(word)) {
          // Each sleeper may go on with tasks of its own.
          if (Policy::checks("injector.turns: to sleepers")) high().call();
          return;
        }
      }
    }
    if (entrance_.injector().push(word)) {
      tell_of_injected();
      return;
    }
    if (entrance_.injector().closed()) host_.refuse_stopped();
    host_.check_not_holder("spawn()");
    host_.check_not_own("spawn()");
    // The other workers may be waiting for a thread in a blocking scope. If all workers are in
    // scopes, no worker makes room. In both cases the task is set aside, in a list without a bound.
    if (host_.blocks_here() || nobody_works()) {
      unless_stopping([&] {
        message begun = entrance_.aside().line_up(word);
        tell_of_injected();
        while (!begun.empty()) drop_slot<Policy>(begun.take_newest());
      });
      return;
    }
    entrance_.injector().await_room(
        [this] {
          // If all workers wait, one of them is rung, and takes all words of the ring.
          if (Policy::checks("injector.room: full")) announce_work();
        },
        [this] { return nobody_works(); });
  }
}

// All steps are seq_cst: a worker that parks after this check finds the task itself.
template <typename Policy>
void basic_workers<Policy>::tell_of_injected() noexcept {
  if (wake_one_idle()) return;
  if (Policy::checks("injector.turns: from outside")) high().call();
  if (everybody_asleep() && Policy::checks("waiting.match: from outside")) announce_work();
}

template <typename Policy>
void basic_workers<Policy>::inject_with_priority(slot_word word, priority level) {
  ensure_standby();
  unless_stopping([&] { enqueue(word, level); });
}

// If no worker is idle, a worker that sleeps in a wait for the task is rung, because the workers
// that are awake may take long.
template <typename Policy>
void basic_workers<Policy>::enqueue(slot_word word, priority level, event_log* log,
                                    task_label label) noexcept {
  if (log != nullptr) log->add_with_priority(word, label);
  basic_priority_list<Policy>& list = entrance_.of(level);
  message begun;
  if (crowd_.asleep.load(std::memory_order_seq_cst) != 0) {
    const std::lock_guard lock(room());
    // Looked up before the task is added, because afterwards the task may be gone at any time.
    auto* const needing = room().who_needs(*task_of(word), crowd_);
    begun = list.line_up(word);
    if (!wake_one_idle() && needing != nullptr && Policy::checks("priority.notified: one")) {
      needing->bell->raise(signal_work);
    }
  } else {
    begun = list.line_up(word);
    // A worker that parks after this check finds the task itself. All workers that have parked
    // meanwhile are rung, and each checks whether it needs the task: the task may be gone by now,
    // so this thread can no longer look up its waiter.
    if (!wake_one_idle() && crowd_.asleep.load(std::memory_order_seq_cst) != 0 &&
        Policy::checks("priority.notified: all")) {
      const std::lock_guard lock(room());
      room().ring_all(crowd_);
    }
  }
  while (!begun.empty()) drop_slot<Policy>(begun.take_newest());
}

template <typename Policy>
void basic_workers<Policy>::send(std::uint32_t k, const message& sent) noexcept {
  tell_of_mail(k, at(k).inbox().send(sent));
}

template <typename Policy>
void basic_workers<Policy>::tell_of_mail(std::uint32_t k, bool woken) noexcept {
  // The worker of this mailbox runs something else, or has no thread, or is in a blocking scope.
  // Then an idle worker may take the task.
  if (spare_workers_.absent(k) || (k == 0 && seat_.vacant())) {
    announce_work();
  } else if (!woken && raids()) {
    wake_one_idle();
  }
}

// -- Sleep ---------------------------------------------------------------------------------------

template <typename Policy>
bool basic_workers<Policy>::wake_one_idle() noexcept {
  return idle_.wake_one(
      [this](std::uint32_t place) { return place != size() || seat_.vacant(); },
      [this](std::uint32_t place) {
        (place == size() ? seat_.standby_bell() : at(place < size() ? place : place - 1).bell())
            .raise(signal_work);
      });
}

template <typename Policy>
void basic_workers<Policy>::ring(std::uint32_t k) noexcept {
  at(k).bell().raise(signal_work);
  // A thread that leaves the seat later looks for work afterwards (seat.vacancy).
  if (k == 0 && seat_.vacant() && Policy::checks("seat.requests: standby")) {
    seat_.standby_bell().raise(signal_work);
  }
}

template <typename Policy>
void basic_workers<Policy>::announce_work() noexcept {
  if (call_somebody() || !everybody_asleep()) return;
  const std::lock_guard lock(room());
  room().ring_one(crowd_);
}

template <typename Policy>
bool basic_workers<Policy>::call_somebody() noexcept {
  if (wake_one_idle()) return true;
  if (left_to_others() && Policy::checks("injector.turns: left")) high().call();
  return false;
}

template <typename Policy>
void basic_workers<Policy>::end_call() noexcept {
  high().end_call();
  // Both are seq_cst: a thread that queues something after this check calls again.
  if (left_to_others() && Policy::checks("injector.turns: again")) high().call();
}

template <typename Policy>
bool basic_workers<Policy>::left_to_others() noexcept {
  return injected() || std::any_of(all_.begin(), all_.end(), [](const auto& w) {
           return w->deserted() && (w->queue().shared_length() != 0 || w->has_mail());
         });
}

template <typename Policy>
void basic_workers<Policy>::notify_of_permit(bool wanted) noexcept {
  // Seq_cst: a worker that parks after this check finds the permit itself.
  const bool woken = wake_one_idle();
  if ((woken && !wanted) || crowd_.asleep.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard lock(room());
  if (wanted) {
    room().ring_all(crowd_);
    return;
  }
  arenas_.offers([this](const task& waiting) {
    auto* const needing = room().who_needs(waiting, crowd_);
    if (needing != nullptr) needing->bell->raise(signal_work);
    return needing != nullptr;
  });
}

template <typename Policy>
bool basic_workers<Policy>::everybody_asleep() const noexcept {
  // The caller's seat without any thread counts as asleep, because no thread works there.
  const std::int64_t absent = seat_.vacant() && !seat_.has_standby() ? 1 : 0;
  return crowd_.asleep.load(std::memory_order_seq_cst) + absent >=
         size() + spare_workers_.surplus();
}

template <typename Policy>
bool basic_workers<Policy>::nobody_works() const noexcept {
  return size() + spare_workers_.surplus() <= 0;
}

template <typename Policy>
bool basic_workers<Policy>::work_in_reach(const worker_type* busy) noexcept {
  if (injected() || high().occupied() || low().occupied() || arenas_.offers()) return true;
  if (everyone() == 1) {
    const worker_type& lone = at(0);
    return lone.queue().shared_length() > (&lone == busy ? 1U : 0U) || lone.has_mail();
  }
  const bool all = raids();
  return std::any_of(all_.begin(), all_.end(), [&](const auto& w) {
    const std::uint32_t own = w.get() == busy ? 1 : 0;
    return (all || w->deserted()) && (w->queue().shared_length() > own || w->has_mail());
  });
}

template <typename Policy>
void basic_workers<Policy>::match(worker_type& last) noexcept {
  message unneeded;
  message own;  // of `last` itself
  const auto give = [&](slot_word word, std::uint32_t from, message& rest) {
    auto* const needing = room().who_needs(*task_of(word), crowd_);
    if (needing == nullptr) return rest.add_newest(word);
    const std::uint32_t to = needing->sleeping->index;
    if (from != to) {
      rounds_.count_move(move_kind::rescue, from, to, 1);
      at(to).counters().arrived.fetch_add(1, std::memory_order_relaxed);
      if (last.log() != nullptr) {
        last.log()->add(event_kind::moved, task_of(word), make_move(move_kind::rescue, from, to));
      }
    }
    message one;
    one.add_newest(word);
    needing->sleeping->inbox->send(one);
  };
  const auto rest_of = [&](const worker_type& w) -> message& {
    return &w == &last || !Policy::checks("injector.turns: aside") ? own : unneeded;
  };
  for (const auto& w : all_) {
    constexpr std::uint32_t at_once = 64;
    slot_word taken[at_once];
    for (;;) {
      const auto got = w->queue().claim(at_once, taken);
      if (got.taken == 0) break;
      for (std::uint32_t i = 0; i < got.tasks; ++i) give(taken[i], w->index(), rest_of(*w));
    }
  }
  // Mailboxes are emptied after the queues. Mail that `give` has sent meanwhile has raised the bell
  // of its receiver, so it is not taken out again.
  for (const auto& w : all_) {
    const bool absent = (w->index() == 0 && seat_.vacant()) || spare_workers_.absent(w->index());
    if (!absent && w->bell().raised()) continue;  // this worker will take its mail itself
    for (message sent = w->inbox().take_all(); !sent.empty();) {
      give(sent.take_newest(), w->index(), rest_of(*w));
    }
  }
  while (const slot_word word = take_injected()) give(word, last.index(), unneeded);
  // Workers that sleep hold no permits, so all permits are free.
  arenas_.empty_into([&](slot_word word) { give(word, last.index(), unneeded); });
  // In the queue of `last`, these might lie for ever beneath the tasks that it spawns.
  if (!unneeded.empty()) {
    for (message oldest_first = turned(unneeded); !oldest_first.empty();) {
      entrance_.aside().add(oldest_first.take_newest());
    }
    high().call();
  }
  if (!own.empty()) last.put(own, false);
  // Tasks in a priority list stay there; a worker that needs one is rung and finds it.
  for (auto* const list : {&high(), &low()}) {
    if (list->occupied()) {
      list->for_each([&](const task& t) {
        if (auto* const needing = room().who_needs(t, crowd_)) needing->bell->raise(signal_work);
      });
    }
  }
}

// -- The caller's seat ----------------------------------------------------------------------------

template <typename Policy>
bool basic_workers<Policy>::take_seat(occupant taker, const void* function) noexcept {
  worker_type& self = at(0);
  if (gate_.closed() || !seat_.take(taker)) return false;
  // The holder may have counted the workers without this thread, and may act for worker 0 already.
  // Or the thread that stops the runtime may have seen the seat vacant.
  if (gate_.closed() || (taker == occupant::caller && stopping())) {
    vacate_seat();
    return false;
  }
  set_seat_deserted(self, false);
  worker_counters& counters = self.counters();
  if (seat_.runs().begin(function)) {
    counters.busy.store(true, std::memory_order_relaxed);
  } else {
    const std::int64_t now = Policy::now();
    counters.end_idle(now,
                      seat_.runs().timed(now, counters.idle_since.load(std::memory_order_relaxed)));
  }
  return true;
}

// A call that is not timed leaves another time behind than it found, for `nothing_left` and
// `at_rest`. If it slept meanwhile, there is no time.
template <typename Policy>
void basic_workers<Policy>::end_call_at_seat() noexcept {
  worker_counters& counters = at(0).counters();
  const std::int64_t since = counters.idle_since.load(std::memory_order_relaxed);
  const bool timed = seat_.runs().is_timed();
  const std::int64_t now = timed || since == 0 ? Policy::now() : since + 1;
  if (timed) seat_.runs().ended(now);
  counters.begin_idle(now);
}

template <typename Policy>
bool basic_workers<Policy>::leave_seat() noexcept {
  worker_type& self = at(0);
  self.put_in_order();
  set_seat_deserted(self, true);
  return vacate_seat();
}

template <typename Policy>
void basic_workers<Policy>::set_seat_deserted(worker_type& self, bool value) noexcept {
  if (everyone() > 1) {
    self.set_deserted(value);
  } else {
    self.set_deserted_alone(value);
  }
}

template <typename Policy>
bool basic_workers<Policy>::vacate_seat() noexcept {
  // Without a standby thread, only the leaving thread itself can have left work to a lone worker,
  // and it knows that before it leaves (seat.alone).
  const bool alone = everyone() == 1;
  const bool left_here = alone && work_in_reach();
  seat_.leave();
  // A thread that sent something earlier saw this thread in the seat and woke no other; a thread
  // that sends from now on sees the vacancy (invariant parking.last-look). A waiter may also need a
  // task that was left in the queue.
  const bool others_send = !alone || seat_.has_standby();
  const bool left = left_here || (others_send && Policy::checks("seat.vacancy") && work_in_reach());
  if (left) announce_work();
  // Worker 0 asks others for work while the standby thread sleeps, too (seat.requests).
  if (!alone && seat_.has_standby() && Policy::checks("seat.requests")) {
    at(0).request_neighbours(false);
  }
  gate_.tell_holder();  // (seat.gate)
  return left;
}

template <typename Policy>
void basic_workers<Policy>::serve_standby() {
  basic_signal_word<Policy>& bell = seat_.standby_bell();
  for (;;) {
    if ((bell.take() & signal_stop) != 0) return;
    if (take_seat(occupant::standby)) {
      const bool observes = settings_.observes_workers;
      if (observes) host_.observe(observed::started, 0);
      const bool go_on = at(0).work_until_dry();
      if (observes) host_.observe(observed::stopped, 0);
      at(0).counters().begin_idle(Policy::now());
      leave_seat();
      if (!go_on) return;
    }
    // Asks, too, if this thread left the seat before its maker noted that there is such a thread.
    if (everyone() > 1 && Policy::checks("seat.requests")) at(0).request_neighbours(false);
    park(
        bell, [this] { idle_.announce(size()); },
        [this] { return seat_.vacant() && !gate_.closed() && work_in_reach(); },
        [this] { idle_.retract(size()); });
  }
}

template <typename Policy>
void basic_workers<Policy>::ensure_standby() {
  if (seat_.has_standby()) return;
  seat_.make_standby([this] { host_.start_standby(); });
}

template <typename Policy>
void basic_workers<Policy>::tell_failure() noexcept {
  // Release: pairs with the acquire in `failures_told`. Done before attention is demanded, because
  // each worker that answers reads the number.
  failures_told_.fetch_add(1, std::memory_order_release);
  for (const auto& w : all_) w->queue().demand_attention();
}

// -- Holding and ending --------------------------------------------------------------------------

template <typename Policy>
void basic_workers<Policy>::close_gate() noexcept {
  gate_.close();
  for (const auto& w : all_) {
    w->bell().raise(signal_hold);
    w->queue().demand_attention();
  }
  // The thread that was in the caller's seat may have left it instead of standing still.
  gate_.await([this] { return size() - (seat_.vacant() ? 1 : 0) + spare_workers_.surplus(); });
}

template <typename Policy>
void basic_workers<Policy>::open_gate() noexcept {
  gate_.open();
  if (work_in_reach()) announce_work();
}

template <typename Policy>
void basic_workers<Policy>::settle() noexcept {
  for (std::uint32_t k = size(); k < everyone(); ++k) hand_over(at(k));
  for (std::uint32_t k = 0; k < size(); ++k) {
    at(k).collect_mail();
    at(k).share_all();
  }
}

template <typename Policy>
void basic_workers<Policy>::close() noexcept {
  entrance_.close();
}

// The sum of the times since when each worker has been asleep without work, or 0 if one is not.
template <typename Policy>
std::int64_t basic_workers<Policy>::all_idle_since() noexcept {
  if (crowd_.asleep.load(std::memory_order_seq_cst) != 0) return 0;
  if (seat_.has_standby() && !seat_.standby_bell().asleep()) return 0;
  // Only a worker that runs a task could lend its place to a spare worker.
  if (spare_workers_.any_active()) return 0;
  std::int64_t sum = 0;
  for (std::uint32_t k = 0; k < size(); ++k) {
    if (k == 0 ? !seat_.vacant() : !at(k).bell().asleep()) return 0;
    // Relaxed: the worker wrote the time before it parked or left the caller's seat, and this
    // thread has just seen that it did.
    const std::int64_t since = at(k).counters().idle_since.load(std::memory_order_relaxed);
    if (since == 0) return 0;
    sum += since;
  }
  return sum;
}

// The times only grow. So equal sums before and after the check mean that all workers slept during
// it. What counts is checked in between: before, a worker may make a promise and then go to sleep;
// afterwards, a coroutine may end elsewhere and send what continues it.
template <typename Policy>
bool basic_workers<Policy>::nothing_left(basic_group<Policy>& tracker) noexcept {
  const std::int64_t since = all_idle_since();
  // A promise from outside is counted before the thread that makes it stops sending.
  if (since == 0 || (Policy::checks("shutdown.drained: senders") && entrance_.sending()))
    return false;
  if (!tracker.count().done_for_others() || !entrance_.empty() || arenas_.waiting()) return false;
  for (const auto& w : all_) {
    if (w->queue().length() != 0 || w->has_mail()) return false;
  }
  return all_idle_since() == since;
}

template <typename Policy>
bool basic_workers<Policy>::anybody_busy() const noexcept {
  return std::any_of(all_.begin(), all_.end(), [](const auto& w) {
    return w->counters().busy.load(std::memory_order_relaxed);
  });
}

// The sum of the times since when each worker has been without work, asleep or awake, or 0 if one
// has work or looks for it. Relaxed: a worker clears its time before it takes a task, and this
// thread sees that the task was taken.
template <typename Policy>
std::int64_t basic_workers<Policy>::all_out_of_work_since() const noexcept {
  std::int64_t sum = 0;
  for (const auto& w : all_) {
    const std::int64_t since = w->counters().idle_since.load(std::memory_order_relaxed);
    // A worker that runs a task has a time, too, while the task waits.
    if (since == 0 || w->counters().busy.load(std::memory_order_relaxed)) return 0;
    sum += since;
  }
  return sum;
}

template <typename Policy>
bool basic_workers<Policy>::at_rest() noexcept {
  const std::int64_t since = all_out_of_work_since();
  if (since == 0 || entrance_.sending()) return false;
  // A lone worker without a thread leaves the slots of futures that their waiters have run.
  if ((size() > 1 || seat_.has_standby()) && work_in_reach()) return false;
  return all_out_of_work_since() == since;
}

template <typename Policy>
void basic_workers<Policy>::stop() noexcept {
  seat_.make_no_standby();
  for (const auto& w : all_) w->bell().raise(signal_stop);
  seat_.standby_bell().raise(signal_stop);
}

template <typename Policy>
void basic_workers<Policy>::describe(text_line& to) const noexcept {
  to << "caller's seat: vacant " << seat_.vacant() << ", thread of its own " << seat_.has_standby()
     << "; asleep in waits " << crowd_.asleep.load(std::memory_order_relaxed)
     << "; in blocking scopes " << spare_workers_.in_scopes() << "; from outside " << injected()
     << "; of high priority " << entrance_.high().length() << ", of low "
     << entrance_.low().length() << "; held " << gate_.closed() << "\n";
}

}  // namespace evencube::detail
