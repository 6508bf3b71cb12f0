#pragma once

#include <mutex>
#include <utility>

#include <evencube/detail/coroutine_loop.hpp>
#include <evencube/detail/future_core.hpp>
#include <evencube/detail/group.hpp>
#include <evencube/detail/sender_task.hpp>

#include "arenas/arena_core.hpp"
#include "engine/workers.hpp"

// How a worker takes, lends and returns permits of arenas (runtime/src/arenas/arenas.md).

namespace evencube::detail {

/// While it lives, the running task belongs to the given arena, or to none.
template <typename Policy>
struct basic_worker<Policy>::in_arena {
  basic_worker& caller;
  arena_record<Policy> record;

  in_arena(basic_worker& w, basic_arena<Policy>* arena, bool took) noexcept : caller(w) {
    caller.arenas_.push(record, arena, w.stack_.innermost(), took);
    if (took) arena->retain();  // the task's own reference may end with the task
  }
  in_arena(const in_arena&) = delete;
  in_arena& operator=(const in_arena&) = delete;
  ~in_arena() {
    caller.arenas_.pop();
    if (!record.took) return;
    caller.return_permit(*record.arena);
    record.arena->release();
  }
};

// The arena of a queued task, by the kind of its slot. The parent of a task that was spawned into a
// group is that group.
template <typename Policy>
basic_arena<Policy>* basic_worker<Policy>::arena_of(slot_word word) noexcept {
  const task& t = *task_of(word);
  if ((word & fork_bit) != 0) {
    return static_cast<basic_arena<Policy>*>(static_cast<const fork_task&>(t).arena_);
  }
  if ((word & future_bit) != 0) {
    return static_cast<const basic_future_core<Policy>&>(t).arena();
  }
  if constexpr (std::is_same_v<basic_worker, worker>) {
    if (t.execute_ == &resuming_task::run) return static_cast<const resuming_task&>(t).arena();
    if (t.execute_ == &sender_task::run) return static_cast<const sender_task&>(t).arena();
  }
  return t.parent_ != nullptr ? static_cast<const group_type&>(*t.parent_).arena() : nullptr;
}

// The arena of a loop: that of the task `parent` of which the loop is part.
template <typename Policy>
basic_arena<Policy>* basic_worker<Policy>::arena_below(const node* parent) const noexcept {
  if (arenas_.records() == nullptr) return nullptr;
  for (const frame* f = stack_.innermost(); f != nullptr; f = f->outer) {
    if (f->current == parent) return arenas_.at(stack_.innermost(), f);
  }
  return arenas_.innermost();
}

// Runs a queued task. If the task lacks a permit, it is parked in its arena instead.
template <typename Policy>
void basic_worker<Policy>::run_checked(slot_word word) noexcept {
  basic_arena<Policy>* const arena = arena_of(word);
  bool took = arenas_.take_reserved();
  if (arena != nullptr && !took && !holds(*arena)) {
    const bool tombstone = (word & future_bit) != 0 &&
                           static_cast<basic_future_core<Policy>*>(task_of(word))->has_begun();
    if (!tombstone) {
      if (!enter_or_park(*arena, word)) return;
      took = true;
    }
  }
  const in_arena here(*this, arena, took);
  run_plainly(word);
}

// True if the task that has ended was the outermost one of the worker's own loop.
template <typename Policy>
bool basic_worker<Policy>::looks_for_next() const noexcept {
  return stack_.at_loop();
}

// Takes a task that was parked in an arena, with its permit. A worker that gave back a permit
// leaves the task that waits for it to this check (arenas.found). One task of the worker's own
// comes after each, because tasks may be parked without end.
template <typename Policy>
slot_word basic_worker<Policy>::next_parked(others_turn& turn) noexcept {
  if (std::exchange(turn.parked, false) && Policy::checks("arenas.found: own")) return 0;
  if (!Policy::checks("arenas.found: loop")) return 0;
  basic_arena<Policy>* taken = nullptr;
  const slot_word word = workers_->arenas().take_parked(taken);
  if (word == 0) return 0;
  arenas_.reserve(taken);
  turn.parked = true;
  return word;
}

template <typename Policy>
void basic_worker<Policy>::run_begun(basic_future_core<Policy>& future) noexcept {
  ended_.tell();
  worker_counters::add(counters_.executed, std::uint64_t{1});
  if (!expects_arenas()) {
    execute(future, queue().head_index());
    return;
  }
  const bool took = arenas_.take_reserved();
  const in_arena here(*this, future.arena(), took);
  execute(future, queue().head_index());
}

template <typename Policy>
bool basic_worker<Policy>::enter_or_park(basic_arena<Policy>& arena, slot_word word) noexcept {
  if (arena.take()) return true;
  message begun;
  const bool took = workers_->arenas().take_or_park(arena, word, begun);
  while (!begun.empty()) {
    static_cast<basic_future_core<Policy>*>(task_of(begun.take_newest()))->drop();
  }
  return took;
}

template <typename Policy>
bool basic_worker<Policy>::begin_in_arena(basic_future_core<Policy>& future) noexcept {
  basic_arena<Policy>* const arena = future.arena();
  if (arena == nullptr || holds(*arena)) return future.begin();
  if (!future.may_begin()) return false;
  if (!arena->take() && !workers_->arenas().take_or_want(*arena)) {
    refuse(arena);
    return false;
  }
  if (future.begin()) {
    arenas_.reserve(arena);
    return true;
  }
  return_permit(*arena);
  return false;
}

template <typename Policy>
bool basic_worker<Policy>::lacks_permit_for(
    const basic_future_core<Policy>& future) const noexcept {
  return future.arena() != nullptr && !holds(*future.arena()) && future.may_begin();
}

template <typename Policy>
void basic_worker<Policy>::refuse(basic_arena<Policy>* lacked) noexcept {
  arenas_.refuse(lacked);
}

template <typename Policy>
template <typename Call>
bool basic_worker<Policy>::call_part(const node& part, basic_arena<Policy>* arena, Call&& call) {
  struct own_frame : frame {
    basic_task_stack<Policy>& stack;
    own_frame(const node& n, basic_worker& caller) noexcept
        : frame{&n, caller.queue().head_index(), caller.stack_.innermost()}, stack(caller.stack_) {
      stack.enter(*this);
    }
    own_frame(const own_frame&) = delete;
    own_frame& operator=(const own_frame&) = delete;
    ~own_frame() { stack.leave(*this); }
  };
  const auto call_in_frame = [&] {
    const own_frame mine(part, *this);
    call();
  };
  if (arena == nullptr) {
    call_in_frame();
    return true;
  }
  const bool held = holds(*arena);
  if (!held && !arena->take()) return false;
  const in_arena here(*this, arena, !held);
  call_in_frame();
  return true;
}

// If the worker's outermost task has ended, the worker begins the next parked task itself
// (`work_until_dry`). Otherwise an idle worker is notified, or a sleeper in a wait that needs one.
template <typename Policy>
void basic_worker<Policy>::return_permit(basic_arena<Policy>& arena) noexcept {
  const auto left = workers_->arenas().give_back(arena);
  if (left.wanted || (left.parked && !looks_for_next())) workers_->notify_of_permit(left.wanted);
}

// Takes a parked task below `target` for which this worker has a permit or can get one, or returns
// 0 if there is none. The caller must run it at once.
template <typename Policy>
slot_word basic_worker<Policy>::next_parked_below(const node& target) noexcept {
  basic_arena<Policy>* taken = nullptr;
  const slot_word word = workers_->arenas().take_below(
      target, [this](const basic_arena<Policy>& a) { return holds(a); }, taken);
  if (word != 0) arenas_.reserve(taken);
  return word;
}

template <typename Policy>
bool basic_worker<Policy>::lend_permits() noexcept {
  for (const arena_record<Policy>* r = arenas_.permits(); r != nullptr; r = r->outer_permit) {
    return_permit(*r->arena);
  }
  return arenas_.permits() != nullptr;
}

// In the order of the arenas' numbers, so workers that wait for permits never wait for each other
// in a cycle.
template <typename Policy>
void basic_worker<Policy>::retake_permits() noexcept {
  for (std::uint64_t before = 0;;) {
    basic_arena<Policy>* next = nullptr;
    for (const arena_record<Policy>* r = arenas_.permits(); r != nullptr; r = r->outer_permit) {
      const std::uint64_t number = r->arena->number();
      if (number > before && (next == nullptr || number < next->number())) next = r->arena;
    }
    if (next == nullptr) return;
    before = next->number();
    take_again(*next);
  }
}

// Takes back one permit of `arena`. Meanwhile everything in this worker's queue is open to others.
template <typename Policy>
void basic_worker<Policy>::take_again(basic_arena<Policy>& arena) noexcept {
  if (arena.take()) return;
  typename basic_arena<Policy>::waiter me{&bell()};
  if (workers_->arenas().take_or_wait(arena, me)) return;
  // Acquire: pairs with the release in `give_back`.
  const auto granted = [&me] { return me.granted.load(std::memory_order_acquire); };
  set_deserted(true);
  if (workers_->work_in_reach()) workers_->announce_work();
  while (!granted()) {
    if (bell().raised()) {
      answer_signals();
      // Tasks sent here are open to others: their sender saw this worker wake up for them.
      if (workers_->work_in_reach()) workers_->announce_work();
    }
    if (granted()) break;
    bell().sleep();
  }
  set_deserted(false);
}

}  // namespace evencube::detail
