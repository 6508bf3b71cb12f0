#include <evencube/error.hpp>

#include "scheduler.hpp"

namespace evencube::detail {

void scheduler::hold() {
  check_alive();
  if (worker_of(*this) != nullptr) {
    throw error("hold(): must be called by a thread that is no worker of the runtime");
  }
  hold_mutex_.lock();
  {
    const std::lock_guard seat(seat_mutex_);
    holding_.store(true, std::memory_order_seq_cst);
  }
  for (const auto& w : workers_) w->notify(signal_hold);
  std::unique_lock lock(still_mutex_);
  // A thread that was in the seat may have left it instead of standing still.
  still_changed_.wait(lock, [&] {
    return still_ >= size() - 1 + (seat_taken_.load(std::memory_order_seq_cst) ? 1U : 0U);
  });
}

// What is on its way arrives, and everything is open. The holder acts for all workers.
void scheduler::settle_held() {
  for (const auto& w : workers_) {
    w->collect_mail();
    w->share_all();
  }
}

void scheduler::release() noexcept {
  {
    const std::lock_guard seat(seat_mutex_);
    if (!seat_taken_.load(std::memory_order_relaxed)) empty_seat();
    const std::lock_guard lock(still_mutex_);
    holding_.store(false, std::memory_order_seq_cst);
  }
  still_changed_.notify_all();
  seat_changed_.notify_all();
  if (at(0).queue_.shared_length() > 0) wake_one_idle();
  hold_mutex_.unlock();
}

// A worker between two tasks.
void scheduler::stand_still(worker& w) noexcept {
  std::unique_lock lock(still_mutex_);
  if (!holding_.load(std::memory_order_relaxed)) return;
  w.share_all();
  const bool was_busy = w.busy_.exchange(false, std::memory_order_relaxed);
  ++still_;
  still_changed_.notify_all();
  still_changed_.wait(lock, [&] { return !holding_.load(std::memory_order_relaxed); });
  --still_;
  w.busy_.store(was_busy, std::memory_order_relaxed);
}

std::vector<load_type> scheduler::held_loads() {
  settle_held();
  std::vector<load_type> loads;
  for (const auto& w : workers_) loads.push_back(static_cast<load_type>(w->load()));
  return loads;
}

plan scheduler::held_balance() {
  settle_held();
  plan carried = rounds_.carry_out_held();
  settle_held();
  return carried;
}

// Each worker looks up before its next push: what it has pushed by then it shares there.
void scheduler::start_recording(const recording_options& options) {
  auto made = std::make_unique<recorder>(size(), options);
  hold();
  const std::unique_ptr<scheduler, void (*)(scheduler*)> held(this,
                                                              [](scheduler* s) { s->release(); });
  const std::lock_guard lock(recorder_mutex_);
  if (recorder_ != nullptr) throw error("start_recording(): a recording is under way");
  settle_held();
  recorder_ = std::move(made);
  for (const auto& w : workers_) {
    w->log_ = &recorder_->of_worker(w->index_);
    w->queue_.demand_attention();
  }
  rounds_.record(recorder_.get());
  recording_.store(true, std::memory_order_relaxed);
}

recording scheduler::stop_recording() {
  std::unique_ptr<recorder> made;
  {
    hold();
    const std::unique_ptr<scheduler, void (*)(scheduler*)> held(this,
                                                                [](scheduler* s) { s->release(); });
    const std::lock_guard lock(recorder_mutex_);
    if (recorder_ == nullptr) throw error("stop_recording(): no recording is under way");
    recording_.store(false, std::memory_order_relaxed);
    for (const auto& w : workers_) w->log_ = nullptr;
    rounds_.record(nullptr);
    made = std::move(recorder_);
    made->stop();
  }
  return made->take();
}

}  // namespace evencube::detail
