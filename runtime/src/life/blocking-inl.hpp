#pragma once

#include "engine/workers.hpp"
#include "observe/event_log.hpp"
#include "observe/recorder.hpp"

// Blocking scopes, and the spare workers that hold the places of workers in them
// (runtime/src/life/blocking.md).

namespace evencube::detail {

template <typename Policy>
bool basic_workers<Policy>::begin_blocking(worker_type& caller) noexcept {
  const bool was_busy = caller.leave_open();
  caller.lend_permits();
  const std::uint32_t spare =
      spare_workers_.lend(caller.index(), [this](std::uint32_t k) { return at(k).deserted(); });
  // From here on the holder may act for this worker, or it waits for the spare one.
  gate_.tell_holder();
  if (spare != basic_spare_workers<Policy>::none) {
    at(spare).bell().raise(signal_work);
  } else if (nobody_works() && Policy::checks("injector.room")) {
    // Seq_cst: done after this worker was counted in `lend`; pairs with the check of producers
    // (invariant injector.room).
    entrance_.injector().wake_producers();
  }
  // As when a thread leaves the caller's seat: a thread that sent something earlier saw this worker
  // here and woke no other, and a thread that sends from now on sees that it is absent.
  if (Policy::checks("blocking.nothing-lost") && work_in_reach()) announce_work();
  return was_busy;
}

template <typename Policy>
void basic_workers<Policy>::end_blocking(worker_type& caller, bool was_busy) noexcept {
  spare_workers_.give_back(caller.index(),
                           [this](std::uint32_t k) { at(k).bell().raise(signal_work); });
  // The holder may have counted the workers without this thread.
  if (Policy::checks("blocking.counted")) gate_.stand_still([] {});
  caller.come_back(was_busy);
  caller.retake_permits();
}

template <typename Policy>
void basic_workers<Policy>::serve_spare(std::uint32_t k) {
  worker_type& self = at(k);
  for (;;) {
    if ((self.bell().take() & signal_stop) != 0) return;
    if (spare_workers_.active(k)) {
      if (!serve_places(self)) return;
      if (size() == 1) serve_lone_queue();
    }
    park(self.bell(), [] {}, [&] { return spare_workers_.active(k); }, [] {});
  }
}

// Works at one place after another until no place is lent to this worker. Returns false if the
// worker is to stop.
template <typename Policy>
bool basic_workers<Policy>::serve_places(worker_type& self) {
  const std::uint32_t k = self.index();
  // A holder counted either the worker that lent the place or this one, and may act for both until
  // it opens the gate.
  self.stand_still();
  self.counters().end_idle(Policy::now());
  do {
    self.set_deserted(false);
    const std::uint32_t place = spare_workers_.place_of(k);
    self.sit_at(place);
    host_.bind_spare(place);
    const auto leaves = [this, k, place] { return !spare_workers_.lent_at(k, place); };
    while (!leaves()) {
      if (!self.work_until_dry(leaves)) {
        self.put_in_order();
        return false;
      }
      if (!leaves()) self.idle();
    }
  } while (!retire(self));
  return true;
}

// Called between two tasks. Tasks that are left go to the owner of the place. Tasks that are sent
// here from now on are open to all, and their sender sees that this worker is absent.
template <typename Policy>
bool basic_workers<Policy>::retire(worker_type& self) noexcept {
  self.put_in_order();
  hand_over(self);
  self.set_deserted(true);
  self.counters().begin_idle(Policy::now());
  if (!spare_workers_.retire(self.index())) {
    self.counters().end_idle(Policy::now());
    return false;
  }
  // As when a thread leaves the caller's seat. This also passes on a call that came to this worker.
  if (work_in_reach()) announce_work();
  if (arenas_.offers()) notify_of_permit(false);
  gate_.tell_holder();
  return true;
}

// Called by the thread of this worker, or by the holder while it stands still.
template <typename Policy>
void basic_workers<Policy>::hand_over(worker_type& from) noexcept {
  const std::uint32_t to = spare_workers_.place_of(from.index());
  from.empty_into([&](const message& left) {
    at(to).counters().arrived.fetch_add(left.tasks, std::memory_order_relaxed);
    if (from.log() != nullptr) {
      for (slot_word word = left.newest; word != 0; word = task_of(word)->next_) {
        from.log()->add(event_kind::moved, task_of(word),
                        make_move(move_kind::rescue, from.index(), to));
      }
    }
    send(to, left);
  });
}

// The caller of `run` was the only worker. It may have left the seat when there was no work yet.
template <typename Policy>
void basic_workers<Policy>::serve_lone_queue() noexcept {
  if (!seat_.vacant() || !work_in_reach()) return;
  try {
    ensure_standby();
    announce_work();
  } catch (...) {  // a thread that waits for these tasks tries again, and throws the error
  }
}

}  // namespace evencube::detail
