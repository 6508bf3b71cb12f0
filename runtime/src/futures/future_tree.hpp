#pragma once

#include <cstdint>
#include <utility>

#include <evencube/detail/group.hpp>
#include <evencube/detail/worker.hpp>

#include "futures/future_links.hpp"
#include "observe/event_log.hpp"
#include "tasks/task_profiles.hpp"

// How workers end futures that others need, and look through what a future needs
// (runtime/src/wait/waiting.md).

namespace evencube::detail {

/// What a recording calls a task that others released.
template <typename Policy>
task_label label_of(const basic_dependency<Policy>& needs) noexcept {
  return {needs.name != nullptr ? needs.name : "continuation"};
}

/// What is queued of it: with the cost that its maker said, or that was measured.
template <typename Policy>
slot_word slot_of_released(basic_future_core<Policy>& ready, bool measured) noexcept {
  const slot_word word = make_slot(&ready, ready.needs()->cost) | future_bit;
  return measured ? with_measured_cost(word, nullptr) : word;
}

/// Queues a released task; with it goes the hold that its antecedent had. Never fails: where the
/// queue finds no memory to grow the task waits in the mailbox.
template <typename Policy>
void queue_released(basic_future_core<Policy>& ready, basic_worker<Policy>& by) noexcept {
  const basic_dependency<Policy>& needs = *ready.needs();
  const slot_word word = slot_of_released(ready, by.measures_costs());
  const task_label label = label_of(needs);
  if (needs.priority != priority::normal) {
    by.spawn_with_priority(word, needs.priority, label);
    return;
  }
  message one;
  one.add_newest(word);
  if (needs.home && *needs.home != by.index()) {
    if (by.log() != nullptr) by.log()->add_homed(event_kind::spawned, word, *needs.home, label);
    by.workers().send(*needs.home, one);
  } else {
    if (by.log() != nullptr) by.log()->add_spawn(event_kind::spawned, word, label);
    by.put(one);
  }
}

/// The task has ended, run by `by`: wakes who waits, and releases who needed nothing else.
/// `tracker` counts the tasks of futures of the runtime.
template <typename Policy, typename News>
void end_task(basic_future_core<Policy>& ended, bool threw, basic_worker<Policy>& by,
              basic_group<Policy>& tracker, News& news) noexcept {
  bool to_waiter = false;
  basic_future_core<Policy>* const ready = ended.settle(threw, news, to_waiter);
  if (ready == nullptr) return;
  tracker.add(nullptr);
  ready->parent_ = &tracker;
  ready->set_hint(ready->needs()->cost);
  ready->release();
  if (to_waiter) {
    ended.hand(*ready);
    if (by.log() != nullptr) {
      by.log()->add_spawn(event_kind::spawned, make_slot(ready, 1), label_of(*ready->needs()));
    }
  } else {
    queue_released(*ready, by);
  }
  news.changed();
}

/// The same of a coroutine that ends where no worker of its runtime is: what it releases is sent
/// there. The coroutine must count for the tracker until this has returned, for who stops the
/// runtime looks for what was sent when nothing counts any more (shutdown.drained).
template <typename Policy, typename News>
void end_outside(basic_future_core<Policy>& ended, bool threw, basic_workers<Policy>& of,
                 basic_group<Policy>& tracker, News& news) noexcept {
  bool nobody = false;
  basic_future_core<Policy>* const ready = ended.settle(threw, news, nobody);
  if (ready == nullptr) return;
  tracker.add(nullptr);
  ready->parent_ = &tracker;
  ready->set_hint(ready->needs()->cost);
  ready->release();
  const basic_dependency<Policy>& needs = *ready->needs();
  const slot_word word = slot_of_released(*ready, of.settings().measures_costs);
  if (needs.priority != priority::normal) {
    of.enqueue(word, needs.priority);
  } else {
    message one;
    one.add_newest(word);
    of.send(needs.home.value_or(0), one);
  }
  news.changed();
}

/// Whether it is a started coroutine's: it begins as a task does, and what it needs changes.
template <typename Policy>
bool is_coroutine(const basic_future_core<Policy>& of) noexcept {
  return of.needs() != nullptr && of.needs()->what == basic_dependency<Policy>::kind::coroutine;
}

/// Looks through the tree below a future for what may run and nobody has begun, from left to right.
/// Goes on after what it found last. Needs no memory.
template <typename Policy>
class basic_tree_search {
 public:
  using core_type = basic_future_core<Policy>;
  using hold_type = basic_future_hold<Policy>;

  explicit basic_tree_search(core_type& root) : root_(&root), at_(root.hold()) {}

  /// Begins the next one and runs it, with what it releases within the tree. False at the end of a
  /// pass; the next call begins another one.
  bool run_next(basic_worker<Policy>& by) noexcept;

  /// Calls `f` for every coroutine of the tree that has not ended. False if the tree changed
  /// meanwhile, so that some may have been left out.
  template <typename F>
  bool for_each_coroutine(const F& f) const;

 private:
  hold_type above(core_type& below, std::uint32_t& position) const noexcept;
  void run_below(basic_worker<Policy>& by, hold_type begun, hold_type parent,
                 std::uint32_t position) noexcept;
  hold_type run_upwards(basic_worker<Policy>& by, hold_type begun, hold_type parent,
                        std::uint32_t& position) const noexcept;
  void start_again() noexcept {
    at_ = root_->hold();
    position_ = 0;
  }

  core_type* root_;
  hold_type at_;                // looking at its antecedents ...
  std::uint32_t position_ = 0;  // ... from this one on
};

// The consumer, and the place there, if that stands in this tree. A link that was made anew may
// lead to another one, out of which the root is not to be found.
template <typename Policy>
basic_future_hold<Policy> basic_tree_search<Policy>::above(core_type& below,
                                                           std::uint32_t& position) const noexcept {
  bool anew = false;
  hold_type consumer = below.consumer(position, anew);
  if (!consumer || !anew || !Policy::checks("own tree")) return consumer;
  hold_type at = consumer->hold();
  while (at && at.get() != root_) {
    std::uint32_t place = 0;
    at = at->consumer(place, anew);
  }
  return at ? std::move(consumer) : hold_type();
}

// Runs `begun`, which the caller has begun, and then one after another the consumers that need
// nothing more, up to the root of the tree; `parent` is the first of them or null. Gives back the
// one where that ended, as its caller goes on from there, and the place below it.
template <typename Policy>
basic_future_hold<Policy> basic_tree_search<Policy>::run_upwards(
    basic_worker<Policy>& by, hold_type begun, hold_type parent,
    std::uint32_t& position) const noexcept {
  for (;;) {
    // A coroutine may end later, and elsewhere: nobody would be there to be handed anything.
    if (!is_coroutine(*begun)) begun->expect(parent.get());
    by.run_begun(*begun);
    hold_type next(begun->take_handed());
    // Another waiter may have begun it meanwhile. Where it lacks a place it goes where all go that
    // nobody waits for.
    if (!next) return parent;
    if (!by.begin(*next)) {
      if (by.lacks_permit_for(*next)) queue_released(*next.let_go(), by);
      return parent;
    }
    begun = std::move(next);
    parent = above(*begun, position);
  }
}

// Runs `begun`, which the caller has begun, and goes on above: `parent` needs it, at that place.
// A coroutine may need something else now: then it goes on there. If it has ended, nothing leads up
// from it any more.
template <typename Policy>
void basic_tree_search<Policy>::run_below(basic_worker<Policy>& by, hold_type begun,
                                          hold_type parent, std::uint32_t position) noexcept {
  const core_type* const coroutine =
      parent && is_coroutine(*parent) && parent.get() != root_ ? parent.get() : nullptr;
  std::uint32_t place = 0;
  hold_type next = coroutine != nullptr ? above(*parent, place) : hold_type();
  hold_type below = is_coroutine(*begun) ? begun->hold() : hold_type();
  hold_type last = run_upwards(by, std::move(begun), std::move(parent), position);
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
bool basic_tree_search<Policy>::run_next(basic_worker<Policy>& by) noexcept {
  while (!root_->done()) {
    if (at_.get() == root_ && position_ == 0 && by.begin(*root_)) {
      std::uint32_t none = 0;
      run_upwards(by, root_->hold(), hold_type(), none);
      return true;
    }
    if (hold_type below = at_->antecedent(position_)) {
      if (by.begin(*below)) {
        run_below(by, std::move(below), std::move(at_), position_);
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
    hold_type consumer = above(*at_, place);
    if (by.begin(*at_)) {
      // Released while this search was below it.
      run_below(by, std::move(at_), std::move(consumer), place);
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
