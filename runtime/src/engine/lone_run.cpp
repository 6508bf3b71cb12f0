#include <cstdint>

#include "engine/engine.hpp"
#include "engine/worker-inl.hpp"
#include "engine/workers-inl.hpp"

namespace evencube::detail {

namespace {

[[gnu::noinline, gnu::cold]] void log_begin(event_log& log, const void* function) noexcept {
  log.add_root(function);
}
[[gnu::noinline, gnu::cold]] void log_end(event_log& log) noexcept {
  log.add(event_kind::ended, nullptr);
}

}  // namespace

/// Like `seated`, for a lone worker that is not observed: there is no other worker to share with or
/// to be kept apart from.
struct engine::seated_alone {
  engine& owner;
  worker& self;

  seated_alone(engine& joined, const void* function) noexcept
      : owner(joined), self(joined.workers_.at(0)) {
    current_worker = &self;
    self.seat_caller(true);
    self.counters().busy.store(true, std::memory_order_relaxed);
    if (self.log() != nullptr) log_begin(*self.log(), function);
  }
  seated_alone(const seated_alone&) = delete;
  seated_alone& operator=(const seated_alone&) = delete;
  ~seated_alone() {
    if (self.log() != nullptr) log_end(*self.log());
    self.counters().busy.store(false, std::memory_order_relaxed);
    owner.workers_.end_call_at_seat();
    self.seat_caller(false);
    current_worker = nullptr;
    if (owner.workers_.leave_seat()) owner.leave_work_to_standby();
  }
};

// A short loop that a thread outside calls on a lone worker takes no longer than the calls that
// this takes if they are not inlined.
[[gnu::flatten]] bool engine::run_alone(void (*call)(void*), void* context) {
  if (!workers_.take_seat(occupant::caller, reinterpret_cast<const void*>(call))) return false;
  const seated_alone here(*this, context);
  if (stopped()) refuse_call_at_seat();
  call(context);
  return true;
}

}  // namespace evencube::detail
