#include "future_tree.hpp"

#include <evencube/detail/future_core.hpp>
#include <mutex>

#include "engine.hpp"
#include "event_log.hpp"
#include "waiting_room.hpp"

namespace evencube::detail {

namespace {

constinit std::atomic<std::uint32_t> any_waits{0};
constinit std::atomic<std::uint64_t> any_changes{0};
constinit std::atomic<std::uint64_t> relink_count{0};
constexpr node any_change_node{nullptr};

}  // namespace

future_core::future_core(std::uint64_t runtime_id, stage at, std::uint32_t holders,
                         void (*execute)(task&, worker&) noexcept,
                         void (*destroy)(future_core&) noexcept, dependency* needs)
    : state_(static_cast<std::uint32_t>(at)),
      holders_(holders),
      destroy_(destroy),
      runtime_id_(runtime_id),
      fork_generation_(fork_generation()),
      needs_(needs) {
  parent_ = nullptr;
  execute_ = execute;
}

void future_core::close() noexcept { const std::lock_guard passed(lock_); }

void end_future(future_core& ended, bool threw, worker& by) noexcept {
  future_tree::end(ended, threw, by);
  static_cast<engine&>(by.scheduler().host()).tracker().finish(nullptr);
}

bool future_tree::attach(future_core& antecedent, future_core& consumer,
                         std::uint32_t position) noexcept {
  future_core* before = nullptr;
  {
    const std::lock_guard lock(antecedent.lock_);
    if (antecedent.done()) return false;
    before = std::exchange(antecedent.consumer_, &consumer);
    antecedent.position_ = position;
    // Release: pairs with the acquire in `relinks`.
    if (before != nullptr) relink_count.fetch_add(1, std::memory_order_release);
    // Release: who ends it reads the consumer, under the lock. Acquire: pairs with the release in
    // `settle`.
    if ((antecedent.state_.fetch_or(future_core::continued, std::memory_order_acq_rel) &
         (future_core::ended | future_core::continued)) == future_core::ended) {
      antecedent.consumer_ = nullptr;  // it ended just now, and nobody will look
      return false;
    }
  }
  // It was one of several of which any was needed, and that has ended.
  if (before != nullptr) before->drop();
  return true;
}

bool future_tree::has_arrived(future_core& consumer, std::uint32_t position) noexcept {
  dependency& needs = *consumer.needs_;
  // Release: what the antecedent wrote is there for whoever runs the consumer; acquire: the last
  // one passes on what the others released.
  switch (needs.what) {
    case dependency::kind::then:
      return true;
    case dependency::kind::all:
      return needs.missing.fetch_sub(1, std::memory_order_acq_rel) == 1;
    case dependency::kind::any:
      if (needs.missing.exchange(0, std::memory_order_acq_rel) == 0) return false;
      *needs.index = position;
      return true;
  }
  return false;
}

// Ends it, and what it was the last or the first for. Gives back the task that may run now, with
// the hold that its antecedent had; null if there is none.
future_core* future_tree::settle(future_core& ended, bool threw) noexcept {
  future_hold link;  // of those above the first one
  for (future_core* at = &ended;;) {
    // Release: pairs with the acquire in `done`; acquire: with those of `announce_waiter` and
    // `attach`. Seq_cst: before the look for waiters for any, invariant A.
    const std::uint32_t before = at->state_.fetch_or(
        future_core::ended | (threw ? future_core::failed : 0), std::memory_order_seq_cst);
    if ((before & future_core::awaited) != 0) ring_waiters(*at);
    if (at->needs_ != nullptr && at->needs_->what == dependency::kind::any) note_change();
    if ((before & future_core::continued) == 0) return nullptr;
    std::uint32_t position = 0;
    future_hold above;
    {
      // Who was on the way up has its hold, and who comes sees that this one has ended.
      const std::lock_guard lock(at->lock_);
      above = future_hold(std::exchange(at->consumer_, nullptr));
      position = at->position_;
    }
    if (!has_arrived(*above, position)) return nullptr;
    if (above->needs_->what == dependency::kind::then) return above.let_go();
    threw = false;
    link = std::move(above);
    at = link.get();
  }
}

void future_tree::arrive(future_core& consumer, std::uint32_t position) noexcept {
  const future_hold link(&consumer);
  if (has_arrived(consumer, position)) settle(consumer, false);
}

void future_tree::release(future_core& ready) noexcept {
  // Release: pairs with the acquire in `begin`. Seq_cst: before the look for waiters for any.
  ready.state_.fetch_or(future_core::released, std::memory_order_seq_cst);
}

void future_tree::end(future_core& ended, bool threw, worker& by) noexcept {
  future_core* const parent = ended.expected_;
  bool to_caller = false;
  if (parent != nullptr) {
    const std::lock_guard lock(ended.lock_);
    to_caller = ended.consumer_ == parent;
  }
  future_core* const ready = settle(ended, threw);
  if (ready == nullptr) return;
  group_core& tracker = static_cast<engine&>(by.scheduler().host()).tracker();
  tracker.add(nullptr);
  ready->parent_ = &tracker;
  release(*ready);
  if (to_caller) {
    ended.handed_ = ready;
    if (by.log() != nullptr) by.log()->add_spawn(event_kind::spawned, make_slot(ready, 1));
  } else {
    queue(*ready, by);
  }
  note_change();
}

// Never fails: where the queue finds no memory to grow the task waits in the mailbox.
void future_tree::queue(future_core& ready, worker& by) noexcept {
  const dependency& needs = *ready.needs_;
  if (by.log() != nullptr) by.log()->add_spawn(event_kind::spawned, make_slot(&ready, needs.cost));
  send(ready, by);
}

void future_tree::send(future_core& ready, worker& by) noexcept {
  const dependency& needs = *ready.needs_;
  message one;
  one.add_newest(make_slot(&ready, needs.cost) | future_bit);
  if (needs.home && *needs.home != by.index()) {
    if (by.log() != nullptr) by.log()->add(event_kind::homed, &ready, *needs.home);
    by.scheduler().send(*needs.home, one);
  } else {
    by.put(one);
  }
}

future_hold future_tree::hold(future_core& shared) noexcept {
  shared.holders_.fetch_add(1, std::memory_order_relaxed);
  return future_hold(&shared);
}

future_hold future_tree::consumer(future_core& below, std::uint32_t& position) noexcept {
  const std::lock_guard lock(below.lock_);
  if (below.done() || below.consumer_ == nullptr) return future_hold();
  position = below.position_;
  return hold(*below.consumer_);
}

future_hold future_tree::antecedent(future_core& above, std::uint32_t& position) noexcept {
  if (above.needs_ == nullptr) return future_hold();
  dependency& needs = *above.needs_;
  const std::lock_guard lock(above.lock_);
  if ((above.state_.load(std::memory_order_seq_cst) & (future_core::begun | future_core::ended)) !=
      0) {
    return future_hold();  // what it needed is taken out, or may be
  }
  while (needs.first < needs.count && needs.antecedents[needs.first]->done()) ++needs.first;
  if (position < needs.first) position = needs.first;
  for (; position < needs.count; ++position) {
    if (!needs.antecedents[position]->done()) return hold(*needs.antecedents[position]);
  }
  return future_hold();
}

std::uint64_t future_tree::relinks() noexcept {
  // Acquire: pairs with the release in `attach`, so that who looks at links afterwards sees those
  // that were counted. Who saw one that was not has passed the lock under which it is counted.
  return relink_count.load(std::memory_order_acquire);
}

bool future_tree::hangs_below(future_core& below, const future_core& root) noexcept {
  std::uint32_t ignored = 0;
  for (future_hold at = hold(below); at; at = consumer(*at, ignored)) {
    if (at.get() == &root) return true;
  }
  return false;
}

future_hold future_tree::run(worker& by, future_core& begun, const future_hold& parent) noexcept {
  begun.expected_ = parent.get();
  by.run_begun(begun);
  return future_hold(std::exchange(begun.handed_, nullptr));
}

// That it was released has been recorded already.
void future_tree::queue_released(future_hold released, worker& by) noexcept {
  send(*released.let_go(), by);
}

// -- Waits for any of several --------------------------------------------------------------------

void future_tree::note_change() noexcept {
  // Seq_cst, here and in `begin_any_wait`: who changes something looks for waiters afterwards, who
  // waits looks for changes after it has announced itself. At least one sees the other.
  if (any_waits.load(std::memory_order_seq_cst) == 0) return;
  any_changes.fetch_add(1, std::memory_order_seq_cst);
  ring_waiters(any_change_node);
}

std::uint64_t future_tree::changes() noexcept {
  return any_changes.load(std::memory_order_seq_cst);
}
void future_tree::begin_any_wait() noexcept { any_waits.fetch_add(1, std::memory_order_seq_cst); }
void future_tree::end_any_wait() noexcept { any_waits.fetch_sub(1, std::memory_order_relaxed); }
const node& future_tree::any_change() noexcept { return any_change_node; }

// -- Searching -----------------------------------------------------------------------------------

bool tree_search::run_next(worker& by) noexcept {
  while (!root_->done()) {
    if (at_.get() == root_ && position_ == 0 && root_->begin()) {
      future_tree::run(by, *root_, future_hold());
      return true;
    }
    if (future_hold below = future_tree::antecedent(*at_, position_)) {
      if (below->begin()) {
        run_upwards(by, std::move(below), std::move(at_), position_);
        return true;
      }
      if (below->needs() == nullptr) {
        ++position_;  // somebody runs it
      } else {
        at_ = std::move(below);
        position_ = 0;
      }
      continue;
    }
    if (at_.get() == root_) {
      position_ = 0;
      return false;
    }
    std::uint32_t place = 0;
    future_hold above = future_tree::consumer(*at_, place);
    go_on(std::move(above), place);
  }
  return false;
}

void tree_search::run_upwards(worker& by, future_hold begun, future_hold parent,
                              std::uint32_t position) noexcept {
  for (;;) {
    future_hold next = future_tree::run(by, *begun, parent);
    if (next && !still_within(*next)) {
      future_tree::queue_released(std::move(next), by);
      start_again();
      return;
    }
    // Another waiter may have begun it meanwhile.
    if (!next || !next->begin()) break;
    begun = std::move(next);
    parent = future_tree::consumer(*begun, position);
  }
  go_on(std::move(parent), position);
}

void tree_search::go_on(future_hold above, std::uint32_t position) noexcept {
  if (above && still_within(*above)) {
    at_ = std::move(above);
    position_ = position + 1;
  } else {
    start_again();  // what was below it has ended, or is of another tree now
  }
}

// Whoever relinks futures elsewhere costs a walk up from here, not the search from the root.
bool tree_search::still_within(future_core& reached) noexcept {
  const std::uint64_t now = future_tree::relinks();
  if (now == seen_) return true;
  if (!future_tree::hangs_below(reached, *root_)) return false;
  seen_ = now;
  return true;
}

}  // namespace evencube::detail
