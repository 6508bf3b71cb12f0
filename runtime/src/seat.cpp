#include <evencube/task_group.hpp>
#include <utility>

#include "scheduler.hpp"

namespace evencube::detail {

namespace {

/// The workers that this thread is, the latest first: its own, and those in whose seats it sits.
thread_local constinit role* roles = nullptr;

/// While it lives the calling thread, which runs a task of another runtime, acts as its worker
/// `as` of this one.
struct acting {
  worker*& current;
  worker* before;

  acting(worker*& slot, worker& as) : current(slot), before(std::exchange(slot, &as)) {}
  acting(const acting&) = delete;
  acting& operator=(const acting&) = delete;
  ~acting() { current = before; }
};

}  // namespace

worker* scheduler::role_of_caller() const noexcept {
  for (const role* r = roles; r != nullptr; r = r->outer) {
    if (&r->is->cube() == this) return r->is;
  }
  return nullptr;
}

void scheduler::begin(role& own) noexcept { own.outer = std::exchange(roles, &own); }

// The calling thread becomes worker 0, if nobody is.
bool scheduler::try_take_seat() {
  {
    const std::lock_guard lock(seat_mutex_);
    if (seat_taken_.load(std::memory_order_relaxed) || holding_.load(std::memory_order_relaxed)) {
      return false;
    }
    seat_taken_.store(true, std::memory_order_seq_cst);
  }
  worker& seat = at(0);
  if (options_.pin) {
    seat_affinity_ = std::make_unique<affinity_guard>();
    pin_current_thread(machine_.units[placement_[0]].os_index);
  }
  seat_outer_ = worker::current_;
  worker::current_ = &seat;
  seat_role_.is = &seat;
  begin(seat_role_);
  seat.stranded_.store(false, std::memory_order_relaxed);
  seat.counters_.end_idle(now_ns());
  seat.busy_.store(true, std::memory_order_relaxed);
  return true;
}

void scheduler::leave_seat() noexcept {
  worker& seat = at(0);
  seat.busy_.store(false, std::memory_order_relaxed);
  seat.counters_.idle_since.store(now_ns(), std::memory_order_relaxed);
  seat.returns_.flush();
  seat.share_all();
  worker::current_ = seat_outer_;
  roles = seat_role_.outer;  // seats are left in the opposite order
  seat_affinity_.reset();
  {
    const std::lock_guard lock(seat_mutex_);
    empty_seat();
    seat_taken_.store(false, std::memory_order_seq_cst);
  }
  if (seat.queue_.shared_length() > 0) wake_one_idle();
  seat_changed_.notify_all();
  // A holder may be waiting for this thread to stand still.
  { const std::lock_guard lock(still_mutex_); }
  still_changed_.notify_all();
}

// What came for worker 0 goes into its queue, which is open to all while nobody sits there.
// Precondition: seat_mutex_ is held and the seat is, or is becoming, vacant.
void scheduler::empty_seat() noexcept {
  worker& seat = at(0);
  seat.collect_mail();
  seat.share_all();
  seat.stranded_.store(true, std::memory_order_seq_cst);
}

// Something was sent to worker 0. Seq_cst: pairs with the store in leave_seat: either the leaver
// finds it or we see the vacancy. While all stand still the holder looks after everything.
void scheduler::look_after_seat() {
  if (seat_taken_.load(std::memory_order_seq_cst)) return;
  const std::lock_guard lock(seat_mutex_);
  if (seat_taken_.load(std::memory_order_relaxed) || holding_.load(std::memory_order_relaxed)) {
    return;
  }
  empty_seat();
  if (at(0).queue_.shared_length() > 0) wake_one_idle();
}

namespace {

struct seated {
  scheduler& cube;
  explicit seated(scheduler& of) : cube(of) {}
  seated(const seated&) = delete;
  seated& operator=(const seated&) = delete;
  ~seated() { cube.leave_seat(); }
};

}  // namespace

/// The function given to `run`, as a task of the recording.
struct scheduler::recorded_root {
  worker& by;

  recorded_root(worker& w, const void* function) : by(w) {
    if (by.log_ != nullptr) by.log_->add(event_kind::root, function);
  }
  recorded_root(const recorded_root&) = delete;
  recorded_root& operator=(const recorded_root&) = delete;
  ~recorded_root() {
    if (by.log_ != nullptr) by.log_->add(event_kind::ended, nullptr);
  }
};

void scheduler::run(void (*call)(void*), void* context) {
  check_alive();
  if (worker_of(*this) != nullptr) {
    call(context);
    return;
  }
  check_not_holder("run()");
  if (worker* const self = role_of_caller()) {
    const acting as(worker::current_, *self);
    call(context);
    return;
  }
  // Somebody will be wanted soon, and waking takes longer than binding this thread to its unit.
  wake_one_idle();
  if (try_take_seat()) {
    const seated here(*this);
    const recorded_root root(at(0), context);
    call(context);
    return;
  }
  // Another thread is worker 0.
  group_core group(*this, nullptr);
  spawn_into(group, [call, context] { call(context); }, {});
  group.wait(nullptr);
  group.rethrow();
}

// With threads to do the work an outsider only waits. Without (one worker, and nobody in its seat)
// it does the work itself.
void scheduler::wait_outside(group_core& group) {
  check_alive();
  if (worker* const self = role_of_caller()) {
    const acting as(worker::current_, *self);
    self->wait_for(group);
    return;
  }
  while (group.count_.announce_waiter()) {
    check_not_holder("wait()");
    if (size() == 1 && try_take_seat()) {
      const seated here(*this);
      at(0).wait_for(group);
      return;
    }
    std::unique_lock lock(seat_mutex_);
    seat_changed_.wait(lock, [&] {
      return group.done_elsewhere() ||
             (size() == 1 && !seat_taken_.load(std::memory_order_relaxed) &&
              !holding_.load(std::memory_order_relaxed));
    });
  }
}

void scheduler::end_group(group_core& group) {
  if (forked_away()) return;  // its tasks are the parent's
  worker* const home = group.home_;
  // Not where it was made, where alone it could be waited for: by rule it has been.
  if (home != nullptr && home != role_of_caller() && group.count_.done_at_home()) return;
  group.wait(worker_of(*this));
}

void scheduler::wake_waiters() noexcept {
  for (const auto& w : workers_) {
    wake_stranded(w->stranded_, w->signals_, signal_done);
  }
  { const std::lock_guard lock(seat_mutex_); }
  seat_changed_.notify_all();
}

}  // namespace evencube::detail
