#pragma once

#include <algorithm>
#include <bit>
#include <evencube/balancers/largest_first.hpp>
#include <evencube/detail/future_core.hpp>
#include <evencube/detail/loop.hpp>
#include <evencube/task_group.hpp>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "engine/workers.hpp"
#include "observe/event_log.hpp"
#include "observe/text_line.hpp"
#include "tasks/running-inl.hpp"

// The loop of a worker and the path of its tasks. The other parts of a worker are in
// tasks/running-inl.hpp, search/searching-inl.hpp and wait/waiting-inl.hpp.

namespace evencube::detail {

template <typename Policy>
basic_worker<Policy>::basic_worker(workers_type& workers, std::uint32_t index)
    : stock_(workers.everyone() > 1),
      checks_(workers.settings().measures_costs, workers.settings().observes_tasks),
      workers_(&workers),
      runtime_id_(workers.sleepers().id),
      index_(index),
      search_(index) {}

// Called after a push that found the end of the buffer or a demand for attention.
template <typename Policy>
void basic_worker<Policy>::push_slow_path(task_label label) {
  if (log() != nullptr) log()->add_spawn(event_kind::spawned, queue().peek_private(), label);
  adapt_sharing();
  if (stock_.answers_later()) return;
  make_room();
  handle_requests();
}

// Answers the same demands between two iterations of a loop, without a push.
template <typename Policy>
void basic_worker<Policy>::poll() {
  adapt_sharing();
  stock_.grant_quiet();
  end_failed_loops();
  handle_requests();
}

template <typename Policy>
void basic_worker<Policy>::make_room() {
  stock_.make_room();
  end_failed_loops();
}

// Called after every exchange of the limit, so a failure that was announced before the exchange is
// seen here (invariant queue.requests). A deep recursion has many loops, and failures are rare.
template <typename Policy>
void basic_worker<Policy>::end_failed_loops() noexcept {
  if (!loops().failed_since(workers_->failures_told())) return;
  for (loop_frame* f = loops().innermost(); f != nullptr; f = f->outer_) {
    if (f->failure_->present()) f->last_ = f->next_;
  }
}

template <typename Policy>
void basic_worker<Policy>::keep_failure(first_failure& failure) noexcept {
  failure.keep();
  workers_->tell_failure();
}

template <typename Policy>
void basic_worker<Policy>::adapt_sharing() noexcept {
  if (!stock_.pace().window_is_full()) return;
  const round_service& rounds = workers_->rounds();
  stock_.pace().pushed_at(Policy::now(), rounds.only_rounds() || rounds.has_marks());
}

// The mark below which a worker calls is in tasks, and the one above which it calls is in quanta.
// Where tasks cost several quanta and are planned as one each, the call is early at most.
template <typename Policy>
bool basic_worker<Policy>::beyond_marks() const noexcept {
  const round_service& rounds = workers_->rounds();
  return load() > rounds.high_mark() || queue().length() < rounds.low_mark();
}

// Called before a task begins: asks for an activation when the load has crossed a mark of the
// strategy, and again while it stays there.
template <typename Policy>
void basic_worker<Policy>::compare_with_marks() noexcept {
  if (!beyond_marks()) {
    search_.marks.end();
  } else if (!spare() && search_.marks.due()) {
    const round_answer answer = workers_->rounds().call(index_);
    if (answer != round_answer::too_soon && answer != round_answer::under_way) {
      search_.marks.heard();
    }
  }
}

template <typename Policy>
void basic_worker<Policy>::handle_requests() {
  if (open()) {
    if (queue().length() == 0) promote();
    share_all();
    // An idle worker that leads rounds asks for one when it runs dry. Otherwise the balancer has to
    // be notified of long queues.
    round_service& rounds = workers_->rounds();
    if ((!workers_->settings().idle_leads || rounds.event_driven()) &&
        load() > rounds.high_mark()) {
      request_round();
    }
  }
  // Done after the exchange of the limit, so a request made before the exchange is seen here
  // (invariant queue.requests).
  serve_requests();
  // A program of forks may not come to another check of the bell for long.
  if (inbox().bell().raised() && inbox().bell().take(signal_hold) != 0) stand_still();
}

// Called between two tasks or within one. The running task does not count as load meanwhile.
template <typename Policy>
void basic_worker<Policy>::stand_still() noexcept {
  if (workers_->host().left_behind()) return;  // in a forked child no thread would open the gate
  const bool was_busy = counters_.busy.load(std::memory_order_relaxed);
  workers_->gate().stand_still([this] {
    put_in_order();
    counters_.busy.store(false, std::memory_order_relaxed);
  });
  counters_.busy.store(was_busy, std::memory_order_relaxed);
}

// Makes a task of the later half of what is left of the outermost loop. If the strategy keeps
// order, takes the innermost loop, because its later half comes before all queued tasks. Returns
// false if there is no such loop.
template <typename Policy>
bool basic_worker<Policy>::promote() noexcept {
  // The holder acts for workers that stand still, and makes no tasks.
  return loops().innermost() != nullptr && !workers_->gate().closed() && halve_a_loop();
}

// Called by the owner, which does not stand still. Returns false if no loop has iterations left, or
// if there is no memory.
template <typename Policy>
bool basic_worker<Policy>::halve_a_loop() noexcept {
  loop_frame* from = nullptr;
  for (loop_frame* f = loops().innermost(); f != nullptr; f = f->outer_) {
    if (f->next_ >= f->last_) continue;
    from = f;
    if (workers_->rounds().keeps_order()) break;
  }
  if (from == nullptr) return false;
  const std::size_t middle = from->next_ + (from->last_ - from->next_) / 2;
  try {
    loop_piece* const made = from->kind_->detach(*from, middle, from->last_);
    made->publish(from->parent_, arena_below(from->parent_), bell_of_forks());
    const slot_word word = make_slot(made, 1) | fork_bit;
    // The lazy bit is set for the log alone: it says that a wait for a piece waits for nothing
    // else. Once the piece has been pushed, another worker may have run it already.
    if (log() != nullptr) log()->add_spawn(event_kind::spawned, word | lazy_bit, {"loop"});
    try {
      if (stock_.push(word)) make_room();
    } catch (...) {
      from->kind_->discard(made);
      throw;
    }
    made->following_ = from->pieces_;
    from->pieces_ = made;
    from->last_ = std::min(from->last_, middle);  // the loop may have been ended just now
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

template <typename Policy>
void basic_worker<Policy>::share(std::uint32_t count) noexcept {
  queue().share(count, [this](slot_word word, std::uint32_t place) {
    // The parent is the task of the innermost frame that had begun when the fork was pushed.
    const frame* const f = stack_.at_place(place);
    static_cast<fork_task&>(*task_of(word))
        .publish(f->current, arenas_.at(stack_.innermost(), f), bell_of_forks());
  });
}

template <typename Policy>
void basic_worker<Policy>::serve_requests() noexcept {
  lifeline().serve(
      queue(), [this] { share_on_request(); }, [this](std::uint64_t requests) { grant(requests); });
}

template <typename Policy>
void basic_worker<Policy>::share_on_request() noexcept {
  const std::uint32_t hidden = queue().private_length();
  // The piece of a loop is the newest task and large. It is shared together with all other tasks.
  if (promote()) {
    share_all();
  } else {
    share(hidden - hidden / 2);
  }
}

// Called when work has been shared: wakes the workers that requested some.
template <typename Policy>
void basic_worker<Policy>::grant(std::uint64_t requests) noexcept {
  if (!open() && Policy::now() - lifeline().asked_at() > sharing_pace::late_ns) {
    stock_.pace().answered_late(Policy::now());
    queue().demand_attention();
  }
  // The workers that made the request cannot pull, and this queue may have grown unseen. So the
  // trigger of the sender is checked.
  round_service& rounds = workers_->rounds();
  if (rounds.only_rounds() && rounds.event_driven() && load() > rounds.high_mark()) {
    request_round();
  }
  const std::uint32_t size = workers_->size();
  for (unsigned dimension = 0; dimension < 32; ++dimension) {
    const std::uint32_t neighbour = index_ ^ (std::uint32_t{1} << dimension);
    if ((requests >> dimension & 1) != 0 && neighbour < size) {
      workers_->ring(neighbour);
    }
  }
  const std::uint32_t everyone = workers_->everyone();
  for (std::uint64_t rest = requests >> 32; rest != 0; rest &= rest - 1) {
    // Random thieves, and spare workers as victims or thieves, use the bit of their index modulo
    // 32.
    for (auto k = static_cast<std::uint32_t>(std::countr_zero(rest)); k < everyone; k += 32) {
      if (k != index_) workers_->ring(k);
    }
  }
}

// Queues a task that came from elsewhere. Without memory it waits in the mailbox until the queue
// has room, and the result is false.
template <typename Policy>
bool basic_worker<Policy>::put(slot_word word) noexcept {
  try {
    if (stock_.push_costly(word)) make_room();
    return true;
  } catch (const std::bad_alloc&) {
    message one;
    one.add_newest(word);
    inbox().send(one);
    return false;
  }
}

template <typename Policy>
void basic_worker<Policy>::put(message arrived, bool answer) noexcept {
  // The oldest task is pushed first.
  for (message oldest_first = turned(arrived); !oldest_first.empty();) {
    put(oldest_first.take_newest());
  }
  open_what_came(answer);
}

template <typename Policy>
bool basic_worker<Policy>::begins_oldest_first(const slot_word* arrived,
                                               std::uint32_t tasks) const noexcept {
  return !workers_->rounds().keeps_order() &&
         std::all_of(arrived, arrived + tasks, [&](slot_word word) {
           return (word & fork_bit) == 0 && cost_of(word) == cost_of(arrived[0]);
         });
}

// Tasks that came in bulk are long or many, so all of them are shared.
template <typename Policy>
void basic_worker<Policy>::open_what_came(bool answer) noexcept {
  share_all();
  if (answer) serve_requests();
}

template <typename Policy>
bool basic_worker<Policy>::collect_mail() noexcept {
  message arrived = inbox().take();
  const message older = inbox().take_beneath();
  if (arrived.empty() && older.empty()) return false;
  if (!older.empty()) {
    // All queued tasks come out, and go in again above the older ones.
    share_all();
    message above;
    slot_word taken[64];
    for (;;) {
      const auto got = queue().claim(64, taken);
      if (got.taken == 0) break;
      for (std::uint32_t i = 0; i < got.tasks; ++i) above.add_newest(taken[i]);
    }
    put(older);
    if (!above.empty()) put(above);
  }
  if (!arrived.empty()) put(begins_oldest_first(arrived) ? turned(arrived) : arrived);
  return true;
}

template <typename Policy>
bool basic_worker<Policy>::begins_oldest_first(const message& arrived) const noexcept {
  if (arrived.tasks < 2 || workers_->rounds().keeps_order()) return false;
  for (slot_word word = arrived.newest; word != 0; word = task_of(word)->next_) {
    if ((word & fork_bit) != 0 || cost_of(word) != cost_of(arrived.newest)) return false;
  }
  return true;
}

template <typename Policy>
void basic_worker<Policy>::spawn(slot_word word, std::optional<unsigned> preferred,
                                 task_label label) {
  if (preferred && *preferred != index_) {
    if (log() != nullptr) log()->add_homed(event_kind::spawned, word, *preferred, label);
    message one;
    one.add_newest(word);
    workers_->send(*preferred, one);
    return;
  }
  if (stock_.push_costly(word)) push_slow_path(label);
}

// The observer is code of the users. It is called after the worker has announced that it sleeps and
// before it parks. If the bell rings meanwhile, the worker does not sleep.
template <typename Policy>
void basic_worker<Policy>::note_parking(bool& told) noexcept {
  worker_counters::add(counters_.parks, std::uint64_t{1});
  told = workers_->settings().observes_workers;
  if (told) workers_->host().observe(observed::parks, index_);
}

template <typename Policy>
void basic_worker<Policy>::note_waking(bool told) noexcept {
  if (told) workers_->host().observe(observed::wakes, index_);
}

template <typename Policy>
void basic_worker<Policy>::keep_largest_first() noexcept {
  if (stock_.order().due(queue(), counters_.executed.load(std::memory_order_relaxed)))
      [[unlikely]] {
    arrange();
  }
}

// Only done while tasks are long, because the order of short tasks does not matter. Tasks below the
// base of the running task's frame keep their place.
template <typename Policy>
void basic_worker<Policy>::arrange() noexcept {
  stock_.order().begin(queue(), counters_.executed.load(std::memory_order_relaxed));
  if (!workers_->settings().largest_first || workers_->rounds().keeps_order() ||
      stock_.pace().batch() != 1 || !stock_.order().arrange(queue(), stack_.innermost()->base)) {
    return;
  }
  share_all();
  // A worker that made a request meanwhile found nothing. The oldest shared task is now one of the
  // largest.
  if (lifeline().asked()) serve_requests();
}

// Takes the newest task of this worker's queue. From the shared part it first takes back a batch of
// as many tasks as take a few microseconds, judging by the last batch.
template <typename Policy>
slot_word basic_worker<Policy>::next_own() noexcept {
  keep_largest_first();
  if (const slot_word word = queue().pop_private(); word != 0) return word;
  for (;;) {
    const std::uint32_t shared = queue().shared_length();
    if (shared == 0) return 0;
    adapt_batch();
    // While other workers have no work, no batch is hidden from them.
    const std::uint32_t batch = workers_->idle().none() ? stock_.pace().batch() : 1;
    if (queue().reclaim(std::min(batch, std::max(1U, shared / 2))) == 0) return 0;
    if (const slot_word word = queue().pop_private(); word != 0) return word;
  }
}

template <typename Policy>
void basic_worker<Policy>::adapt_batch() noexcept {
  if (!stock_.pace().batch_is_due()) return;
  const std::int64_t now = Policy::now();
  if (checks_.sampler().due(now)) sample_soon();
  // Where only rounds move tasks, no worker could pull a hidden task later, and a hidden task is
  // outside of the order that rounds keep.
  const round_service& rounds = workers_->rounds();
  stock_.pace().batch_at(now, rounds.only_rounds() || rounds.has_marks());
}

/// The condition of a worker that does not leave its loop before its queue is dry.
struct never {
  bool operator()() const noexcept { return false; }
};

template <typename Policy>
template <typename Leaves>
bool basic_worker<Policy>::work_until_dry(Leaves&& leaves) {
  others_turn turn;
  for (;;) {
    if (inbox().bell().raised()) {
      if ((inbox().bell().bits() & signal_stop) != 0) return false;
      answer_signals();
    }
    if (leaves()) return true;
    if (lifeline().asked()) serve_requests();
    slot_word word = next_of(workers_->high());
    // A worker without tasks of its own looks everywhere in any case, unless it finds parked tasks.
    if (word == 0 && workers_->high().called() && (queue().length() != 0 || expects_arenas())) {
      word = next_in_turn(turn);
    }
    if (word == 0 && expects_arenas()) word = next_parked(turn);
    if (word == 0) word = next_own();
    // A worker that was called searches everywhere and passes the call on. A worker that got mail
    // meanwhile, and has not searched, passes the call on here.
    if (word != 0 && search_.called && Policy::checks("parking.calls")) {
      search_.called = false;
      if (workers_->everyone() > 1 && workers_->work_in_reach()) workers_->call_somebody();
    }
    if (word == 0 && !search_.called) word = next_of_stream();
    if (word == 0) {
      ended_.tell();
      // A task that the search queues begins before any other is taken.
      turn = {};
      if (find_work(word) && word == 0) continue;
      if (word == 0) word = next_of(workers_->high());
      if (word == 0) word = next_of(workers_->low());
      if (word == 0) return true;
    }
    counters_.busy.store(true, std::memory_order_relaxed);
    run(word);
    series_type series;
    // A worker that may have to leave its loop checks that between any two tasks, so it runs no
    // series.
    if constexpr (std::is_same_v<std::decay_t<Leaves>, never>) {
      series.high = workers_->high().word();
    }
    run_series([&] { return workers_->high().quiet() && !leaves(); },
               [](const task&) { return true; }, series.high != nullptr ? &series : nullptr);
    counters_.busy.store(false, std::memory_order_relaxed);
  }
}

// Checks everything that `work_until_dry` checks before its next task, and takes the task that it
// would take next.
template <typename Policy>
task* basic_worker<Policy>::take_newest_of(const void* first, const void* last) noexcept {
  if (!checks_.none() || inbox().bell().raised() || lifeline().asked() ||
      !workers_->high().quiet()) {
    return nullptr;
  }
  const node* const here = running();
  if (here == nullptr) return nullptr;
  task* const newest = queue().pop_if([&](const task& t, std::uint32_t place) {
    const void* const at = &t;
    return !std::less<const void*>()(at, first) && std::less<const void*>()(at, last) &&
           static_cast<std::int32_t>(place - stack_.innermost()->base) >= 0 &&
           (t.parent_ == here || t.parent_ == here->parent_);
  });
  if (newest == nullptr) return nullptr;
  ended_.tell();
  worker_counters::add(counters_.executed, std::uint64_t{1});
  return newest;
}

template <typename Policy>
bool basic_worker<Policy>::work_until_dry() {
  return work_until_dry(never{});
}

template <typename Policy>
void basic_worker<Policy>::put_in_order() noexcept {
  ended_.tell();
  memory_.flush();
  share_all();
}

template <typename Policy>
bool basic_worker<Policy>::spare() const noexcept {
  return index_ >= workers_->size();
}

// The loops under way give away all iterations that have not begun, because no worker could request
// them from this one. This is done also while a holder waits for this worker to stand still,
// because this worker is not going to (blocking.outside).
template <typename Policy>
bool basic_worker<Policy>::leave_open() noexcept {
  while (workers_->everyone() > 1 && halve_a_loop()) {
  }
  put_in_order();
  counters_.begin_idle(Policy::now());
  const bool was_busy = counters_.busy.load(std::memory_order_relaxed);
  counters_.busy.store(false, std::memory_order_relaxed);
  set_deserted(true);
  return was_busy;
}

template <typename Policy>
void basic_worker<Policy>::come_back(bool was_busy) noexcept {
  set_deserted(false);
  counters_.busy.store(was_busy, std::memory_order_relaxed);
  counters_.end_idle(Policy::now());
}

template <typename Policy>
template <typename Give>
void basic_worker<Policy>::empty_into(Give&& give) noexcept {
  share_all();
  message queued;
  slot_word taken[64];
  for (;;) {
    const auto got = queue().claim(64, taken);
    if (got.taken == 0) break;
    for (std::uint32_t i = 0; i < got.tasks; ++i) queued.add_newest(taken[i]);
  }
  if (!queued.empty()) give(queued);
  const message sent = inbox().take_all();
  if (!sent.empty()) give(sent);
}

template <typename Policy>
std::uint64_t basic_worker<Policy>::load() const noexcept {
  return queue().quanta() + contact_.inbox().quanta() +
         (counters_.busy.load(std::memory_order_relaxed) ? 1 : 0);
}

template <typename Policy>
void basic_worker<Policy>::describe(text_line& to) const noexcept {
  to << (spare() ? "spare worker " : "worker ") << index_ << ": busy "
     << counters_.busy.load(std::memory_order_relaxed) << ", open to all " << deserted()
     << ", queued " << queue().length() << " (shared " << queue().shared_length() << "), mail "
     << has_mail() << ", requests " << contact_.lifeline().bits() << ", signals "
     << contact_.inbox().bell().bits() << ", executed "
     << counters_.executed.load(std::memory_order_relaxed) << ", parks "
     << counters_.parks.load(std::memory_order_relaxed);
  if (const node* const target = counters_.awaits.load(std::memory_order_relaxed)) {
    to << ", asleep in a wait for " << static_cast<const void*>(target);
  }
  to << "\n";
}

}  // namespace evencube::detail
