#include "scheduler.hpp"

namespace evencube::detail {

void scheduler::inject(slot_word word, std::int64_t home) {
  check_alive();
  if (recording_.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(recorder_mutex_);
    if (recorder_ != nullptr) recorder_->spawned_outside(word, home);
  }
  if (home >= 0) {
    deliver(word, static_cast<std::uint32_t>(home));
    return;
  }
  while (!injection_.push(word)) {
    // Full: with one worker and nobody in its seat, nobody else would make room.
    if (size() == 1 && try_take_seat()) {
      worker& seat = at(0);
      while (seat.take_injected()) {
      }
      seat.thin_out();
      leave_seat();
      continue;
    }
    // Until half of it is free, so that not every word costs a wake-up. Relaxed: who takes may miss
    // the waiter, who then looks again in a millisecond.
    std::unique_lock lock(injection_mutex_);
    injection_waiters_.fetch_add(1, std::memory_order_relaxed);
    injection_room_.wait_for(lock, std::chrono::milliseconds(1), [&] { return roomy(); });
    injection_waiters_.fetch_sub(1, std::memory_order_relaxed);
  }
  if (wake_one_idle()) return;
  if (blocked_.load(std::memory_order_seq_cst) != 0 && everybody_waits()) {
    rescue_turns_.store(0, std::memory_order_relaxed);
    for (const auto& w : workers_) w->notify(signal_work);
  }
}

bool scheduler::roomy() const noexcept { return injection_.length() <= injection_.capacity() / 2; }

void scheduler::take_injected(std::uint32_t count, std::vector<slot_word>& out) {
  if (injection_.take(count, out) == 0) return;
  if (injection_waiters_.load(std::memory_order_relaxed) != 0 && roomy()) {
    { const std::lock_guard lock(injection_mutex_); }
    injection_room_.notify_all();
  }
}

void scheduler::deliver(slot_word word, std::uint32_t home) {
  worker& to = at(home);
  to.mail({word}, worker::letter_place::on_top);
  if (home == 0) look_after_seat();
}

bool scheduler::wake_one_idle() noexcept {
  return idle_.wake_one([this](std::uint32_t k) { at(k).notify(signal_work); });
}

}  // namespace evencube::detail
