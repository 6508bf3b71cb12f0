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
    // Full: with one worker and nobody in its seat, nobody would make room.
    if (size() == 1 && try_take_seat()) {
      worker& seat = at(0);
      while (seat.take_injected()) {
      }
      leave_seat();
      continue;
    }
    std::unique_lock lock(injection_mutex_);
    // Seq_cst: pairs with the load in take_injected: the taker sees the waiter, or the waiter the
    // room.
    injection_waiters_.fetch_add(1, std::memory_order_seq_cst);
    injection_room_.wait_for(lock, std::chrono::milliseconds(1), [&] {
      return injected_.load(std::memory_order_seq_cst) < options_.injection_capacity;
    });
    injection_waiters_.fetch_sub(1, std::memory_order_relaxed);
  }
  // Seq_cst: after the push and before the idle are looked at (invariant I).
  injected_.fetch_add(1, std::memory_order_seq_cst);
  if (wake_one_idle()) return;
  if (blocked_.load(std::memory_order_seq_cst) != 0 && everybody_waits()) {
    rescue_turns_.store(0, std::memory_order_relaxed);
    for (const auto& w : workers_) w->notify(signal_work);
  }
}

void scheduler::take_injected(std::uint32_t count, std::vector<slot_word>& out) {
  out.reserve(out.size() + count);
  slot_word word = 0;
  std::uint32_t taken = 0;
  while (taken < count && injection_.pop(word)) {
    out.push_back(word);
    ++taken;
  }
  if (taken == 0) return;
  injected_.fetch_sub(taken, std::memory_order_seq_cst);
  if (injection_waiters_.load(std::memory_order_seq_cst) != 0) {
    { const std::lock_guard lock(injection_mutex_); }
    injection_room_.notify_all();
  }
}

void scheduler::deliver(slot_word word, std::uint32_t home) {
  worker& to = at(home);
  to.mail({word}, worker::letter_place::on_top);
  if (home == 0) look_after_seat();
}

void scheduler::announce_idle(std::uint32_t k) noexcept {
  // Seq_cst, here and in wake_one_idle: invariant I.
  idle_bits_[k / 64].fetch_or(std::uint64_t{1} << (k % 64), std::memory_order_seq_cst);
}

void scheduler::retract_idle(std::uint32_t k) noexcept {
  idle_bits_[k / 64].fetch_and(~(std::uint64_t{1} << (k % 64)), std::memory_order_relaxed);
}

bool scheduler::wake_one_idle() noexcept {
  for (std::uint32_t i = 0; i < idle_bits_.size(); ++i) {
    std::uint64_t bits = idle_bits_[i].load(std::memory_order_seq_cst);
    while (bits != 0) {
      const std::uint64_t one = bits & (~bits + 1);
      // Whoever clears the bit wakes the worker: two wakers find two workers.
      if ((idle_bits_[i].fetch_and(~one, std::memory_order_seq_cst) & one) != 0) {
        at(i * 64 + static_cast<std::uint32_t>(__builtin_ctzll(one))).notify(signal_work);
        return true;
      }
      bits = idle_bits_[i].load(std::memory_order_seq_cst);
    }
  }
  return false;
}

}  // namespace evencube::detail
