#include <evencube/error.hpp>
#include <stdexcept>
#include <string>

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
    const std::lock_guard lock(still_mutex_);
    ++hold_number_;
    still_ = 0;
    holding_.store(true, std::memory_order_seq_cst);
  }
  for (const auto& w : workers_) {
    w->notify(signal_hold);
    w->queue_.demand_attention();
  }
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
  w.tell_endings();
  std::unique_lock lock(still_mutex_);
  if (!holding_.load(std::memory_order_relaxed)) return;
  w.share_all();
  const bool was_busy = w.busy_.exchange(false, std::memory_order_relaxed);
  ++still_;
  still_changed_.notify_all();
  // Who wakes only when the next hold has begun goes on to its next boundary all the same, and is
  // counted there: holds one after the other stop nobody for good.
  const std::uint64_t mine = hold_number_;
  still_changed_.wait(
      lock, [&] { return hold_number_ != mine || !holding_.load(std::memory_order_relaxed); });
  w.busy_.store(was_busy, std::memory_order_relaxed);
}

std::vector<load_type> scheduler::held_loads() {
  settle_held();
  std::vector<load_type> loads;
  for (const auto& w : workers_) loads.push_back(static_cast<load_type>(w->load()));
  return loads;
}

balancing_round scheduler::held_balance(std::optional<node_id> initiator) {
  if (initiator && *initiator >= size()) {
    throw std::invalid_argument("initiator: " + std::to_string(*initiator) +
                                " is no worker; at most " + std::to_string(size() - 1));
  }
  settle_held();
  balancing_round carried = rounds_.carry_out_held(initiator);
  settle_held();
  return carried;
}

std::vector<std::vector<const void*>> scheduler::held_tasks() {
  settle_held();
  std::vector<std::vector<const void*>> tasks(size());
  for (std::uint32_t k = 0; k < size(); ++k) {
    at(k).queue_.for_each_shared([&](slot_word word) { tasks[k].push_back(task_of(word)); });
  }
  return tasks;
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
