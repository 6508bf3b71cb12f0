#pragma once

#include <cstdint>
#include <utility>

#include <evencube/detail/group.hpp>
#include <evencube/detail/worker.hpp>

#include "futures/future_links.hpp"
#include "observe/event_log.hpp"
#include "tasks/task_profiles.hpp"

// How workers end futures that others need, and search through the futures that a future needs
// (runtime/src/wait/waiting.md).

namespace evencube::detail {

/// The label in a recording of a task that was released by other tasks.
template <typename Policy>
task_label label_of(const basic_dependency<Policy>& needs) noexcept {
  return {needs.name != nullptr ? needs.name : "continuation"};
}

/// The slot of a released task, with the cost that was given or measured.
template <typename Policy>
slot_word slot_of_released(basic_future_core<Policy>& ready, bool measured) noexcept {
  const slot_word word = make_slot(&ready, ready.needs()->cost) | future_bit;
  return measured ? with_measured_cost(word, nullptr) : word;
}

/// Records the spawn of a task that is about to be released. Afterwards a waiter may find it in the
/// tree of futures and run it at once, wherever it is queued.
template <typename Policy>
void note_release(basic_future_core<Policy>& ready, slot_word word, bool to_waiter,
                  basic_worker<Policy>& caller) noexcept {
  if (caller.log() == nullptr) return;
  const basic_dependency<Policy>& needs = *ready.needs();
  const task_label label = label_of(needs);
  if (to_waiter) {
    caller.log()->add_spawn(event_kind::spawned, make_slot(&ready, 1), label);
  } else if (needs.priority != priority::normal) {
    caller.log()->add_with_priority(word, label);
  } else if (needs.home && *needs.home != caller.index()) {
    caller.log()->add_homed(event_kind::spawned, word, *needs.home, label);
  } else {
    caller.log()->add_spawn(event_kind::spawned, word, label);
  }
}

/// Queues a released task, together with the hold that its antecedent had. Never fails: if the
/// queue finds no memory to grow, the task waits in the mailbox.
template <typename Policy>
void queue_released(const basic_dependency<Policy>& needs, slot_word word,
                    basic_worker<Policy>& caller) noexcept {
  if (needs.priority != priority::normal) {
    caller.workers().enqueue(word, needs.priority);
    return;
  }
  message one;
  one.add_newest(word);
  if (needs.home && *needs.home != caller.index()) {
    caller.workers().send(*needs.home, one);
  } else {
    caller.put(one);
  }
}

/// The end of a future's task that worker `caller` ran: wakes the waiters, and releases the futures
/// that needed nothing else. `tracker` counts the tasks of futures of the runtime.
template <typename Policy, typename News>
void end_task(basic_future_core<Policy>& ended, bool threw, basic_worker<Policy>& caller,
              basic_group<Policy>& tracker, News& news) noexcept {
  bool to_waiter = false;
  basic_future_core<Policy>* const ready = ended.settle(threw, news, to_waiter);
  if (ready == nullptr) return;
  tracker.add(nullptr);
  ready->parent_ = &tracker;
  ready->set_hint(ready->needs()->cost);
  const slot_word word = slot_of_released(*ready, caller.measures_costs());
  note_release(*ready, word, to_waiter, caller);
  ready->release();
  if (to_waiter) {
    ended.hand(*ready);
  } else {
    queue_released(*ready->needs(), word, caller);
  }
  news.changed();
}

/// Like `end_task`, for a coroutine that ends on a thread that is no worker of its runtime; the
/// task that it releases is sent to the runtime. The coroutine must count for the tracker until
/// this has returned: the thread that stops the runtime looks for sent tasks when nothing counts
/// any more (shutdown.drained).
template <typename Policy, typename News>
void end_outside(basic_future_core<Policy>& ended, bool threw, basic_workers<Policy>& workers,
                 basic_group<Policy>& tracker, News& news) noexcept {
  bool nobody = false;
  basic_future_core<Policy>* const ready = ended.settle(threw, news, nobody);
  if (ready == nullptr) return;
  tracker.add(nullptr);
  ready->parent_ = &tracker;
  ready->set_hint(ready->needs()->cost);
  const basic_dependency<Policy>& needs = *ready->needs();
  const slot_word word = slot_of_released(*ready, workers.settings().measures_costs);
  const bool listed = needs.priority != priority::normal;
  // As in `note_release`.
  workers.host().note_sent(word, listed ? std::nullopt : needs.home, label_of(needs));
  ready->release();
  if (listed) {
    workers.enqueue(word, needs.priority);
  } else {
    message one;
    one.add_newest(word);
    workers.send(needs.home.value_or(0), one);
  }
  news.changed();
}

/// True if the future is that of a started coroutine: it begins as a task does, and its needs
/// change.
template <typename Policy>
bool is_coroutine(const basic_future_core<Policy>& future) noexcept {
  return future.needs() != nullptr &&
         future.needs()->what == basic_dependency<Policy>::kind::coroutine;
}

/// A search through the tree below a future, from left to right, for futures that are released and
/// have not been begun. It continues where it found the last one. It needs no memory.
template <typename Policy>
class basic_tree_search {
 public:
  using core_type = basic_future_core<Policy>;
  using hold_type = basic_future_hold<Policy>;

  explicit basic_tree_search(core_type& root) : root_(&root), at_(root.hold()) {}

  /// Begins the next future and runs it, and then the futures that this releases within the tree.
  /// False at the end of a pass; the next call begins another pass.
  bool run_next(basic_worker<Policy>& caller) noexcept;

  /// Calls `f` for every coroutine of the tree that has not ended. False if the tree changed
  /// meanwhile, so that some may have been missed.
  template <typename F>
  bool for_each_coroutine(const F& f) const;

 private:
  hold_type above(core_type& below, std::uint32_t& position) const noexcept;
  void run_below(basic_worker<Policy>& caller, hold_type begun, hold_type parent,
                 std::uint32_t position) noexcept;
  hold_type run_upwards(basic_worker<Policy>& caller, hold_type begun, hold_type parent,
                        std::uint32_t& position) const noexcept;
  void start_again() noexcept {
    at_ = root_->hold();
    position_ = 0;
  }

  core_type* root_;
  hold_type at_;                // searching its antecedents ...
  std::uint32_t position_ = 0;  // ... from this position on
};

// The consumer of `below`, and the place there, if the consumer is in this tree. A link that was
// made again may lead to another tree, from which the root cannot be reached.
template <typename Policy>
basic_future_hold<Policy> basic_tree_search<Policy>::above(core_type& below,
                                                           std::uint32_t& position) const noexcept {
  bool anew = false;
  hold_type consumer = below.consumer(position, anew);
  if (!consumer || !anew || !Policy::checks("waiting.one-tree")) return consumer;
  hold_type at = consumer->hold();
  while (at && at.get() != root_) {
    std::uint32_t place = 0;
    at = at->consumer(place, anew);
  }
  return at ? std::move(consumer) : hold_type();
}

// Runs `begun`, which the caller has begun, and then, one after another, the consumers that need
// nothing more, up to the root of the tree. `parent` is the first of them, or null. Returns the
// consumer at which this ended, from which the caller continues, and in `position` the place below
// it.
template <typename Policy>
basic_future_hold<Policy> basic_tree_search<Policy>::run_upwards(
    basic_worker<Policy>& caller, hold_type begun, hold_type parent,
    std::uint32_t& position) const noexcept {
  for (;;) {
    // A coroutine may end later and elsewhere, when no waiter is there to be handed a task.
    if (!is_coroutine(*begun)) begun->expect(parent.get());
    caller.run_begun(*begun);
    hold_type next(begun->take_handed());
    // Another waiter may have begun it meanwhile. If it lacks a permit, it is queued like a
    // released task for which no thread waits.
    if (!next) return parent;
    if (!caller.begin(*next)) {
      if (caller.lacks_permit_for(*next)) {
        core_type& queued = *next.let_go();
        queue_released(*queued.needs(), slot_of_released(queued, caller.measures_costs()), caller);
      }
      return parent;
    }
    begun = std::move(next);
    parent = above(*begun, position);
  }
}

// Runs `begun`, which the caller has begun, and continues above: `parent` needs it, at `position`.
// If `begun` is a coroutine and needs something else now, the search continues there. If it has
// ended, no link leads up from it.
template <typename Policy>
void basic_tree_search<Policy>::run_below(basic_worker<Policy>& caller, hold_type begun,
                                          hold_type parent, std::uint32_t position) noexcept {
  const core_type* const coroutine =
      parent && is_coroutine(*parent) && parent.get() != root_ ? parent.get() : nullptr;
  std::uint32_t place = 0;
  hold_type next = coroutine != nullptr ? above(*parent, place) : hold_type();
  hold_type below = is_coroutine(*begun) ? begun->hold() : hold_type();
  hold_type last = run_upwards(caller, std::move(begun), std::move(parent), position);
  if (below && !below->done()) {
    at_ = std::move(below);
    position_ = 0;
  } else if (last && next && last.get() == coroutine && last->done()) {
    at_ = std::move(next);
    position_ = place + 1;
  } else if (last) {
    position_ = is_coroutine(*last) ? position : position + 1;
    at_ = std::move(last);
  } else {
    start_again();
  }
}

template <typename Policy>
template <typename F>
bool basic_tree_search<Policy>::for_each_coroutine(const F& f) const {
  hold_type at = root_->hold();
  for (std::uint32_t position = 0; !root_->done();) {
    if (hold_type below = at->antecedent(position)) {
      if (below->needs() == nullptr) {
        ++position;
        continue;
      }
      if (is_coroutine(*below)) f(below->hold());
      at = std::move(below);
      position = 0;
      continue;
    }
    if (at.get() == root_) return true;
    std::uint32_t place = 0;
    hold_type consumer = above(*at, place);
    if (!consumer) return false;
    at = std::move(consumer);
    position = place + 1;
  }
  return true;
}

template <typename Policy>
bool basic_tree_search<Policy>::run_next(basic_worker<Policy>& caller) noexcept {
  while (!root_->done()) {
    if (at_.get() == root_ && position_ == 0 && caller.begin(*root_)) {
      std::uint32_t none = 0;
      run_upwards(caller, root_->hold(), hold_type(), none);
      return true;
    }
    if (hold_type below = at_->antecedent(position_)) {
      if (caller.begin(*below)) {
        run_below(caller, std::move(below), std::move(at_), position_);
        return true;
      }
      if (below->needs() == nullptr) {
        ++position_;  // another thread runs it
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
    hold_type consumer = above(*at_, place);
    if (caller.begin(*at_)) {
      // It was released while this search was below it.
      run_below(caller, std::move(at_), std::move(consumer), place);
      return true;
    }
    if (consumer) {
      at_ = std::move(consumer);
      position_ = place + 1;
    } else {
      start_again();  // it has ended meanwhile, or was given away
    }
  }
  return false;
}

}  // namespace evencube::detail
