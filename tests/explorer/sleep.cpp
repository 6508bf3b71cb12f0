// The operating system's part: sleep, locks and the time.

#include <algorithm>
#include <array>

#include "names.hpp"
#include "session.hpp"

namespace evencube::explorer {

void session::sleep_on(location& l, bool locks) {
  if (running_ == 0) fail("a sleep outside of the threads");
  thread& t = me();
  t.state = status::asleep;
  t.bed = &l;
  t.locks = locks;
  leave();
}

void session::wait(location& l, std::uint64_t expected, const site& at) {
  static_cast<void>(wait_for(l, expected, -1, at));
}

// Negative: without end.
bool session::wait_for(location& l, std::uint64_t expected, std::int64_t nanoseconds,
                       const site& at) {
  if (!time_outs_ && nanoseconds > 0) nanoseconds = -1;
  apply_late_effects();
  step(l, at);
  thread& t = me();
  drain(t);  // a system call
  absorb(mix(l.id_, l.value_));
  if (story_ != nullptr) {
    note(action::wait, &l, at, std::memory_order_relaxed,
         l.value_ == expected ? "while it is " + number(expected) +
                                    (nanoseconds < 0 ? "" : ", for " + std::to_string(nanoseconds))
                              : "not at all");
  }
  if (model_ == memory_model::weak && running_ != 0) saw(l, l.newest_, false);
  if (l.value_ != expected) return true;
  if (nanoseconds == 0) return false;
  t.timed_out = false;
  if (nanoseconds > 0) {
    t.timed = true;
    t.deadline = clock_ + nanoseconds;
    if (guide_ != nullptr) guide_->renew(2 * max_threads + running_);
  }
  sleep_on(l, false);
  if (nanoseconds > 0) absorb(t.timed_out ? 4 : 5);
  return !t.timed_out;
}

// Of several who sleep there, any. The variable may be gone already: the kernel only compares
// addresses.
void session::wake(location& l, int how_many, const site& at) {
  point();
  thread& t = me();
  t.before = t.last;
  t.last = at;
  drain(t);
  std::memory_order order = std::memory_order_relaxed;
  absorb(2);
  if (story_ != nullptr) note(action::wake, &l, at, order, "");
  if (!mutations_.empty() && harms_at(action::wake, order, at).omitted) return;
  std::array<unsigned, max_threads> sleepers{};
  unsigned count = 0;
  for (unsigned k = 1; k <= thread_count_; ++k) {
    if (threads_[k].state == status::asleep && threads_[k].bed == &l) sleepers[count++] = k;
  }
  for (; count > 0 && how_many > 0; --how_many) {
    const bool decides = count > static_cast<unsigned>(how_many) && running_ != 0;
    const unsigned one = decides ? choose(count, guide_ != nullptr ? guide_->any_of(count) : 0) : 0;
    wake_up(threads_[sleepers[one]]);
    std::copy(sleepers.begin() + one + 1, sleepers.begin() + count, sleepers.begin() + one);
    --count;
  }
}

void session::wake_up(thread& t) noexcept {
  t.state = status::runnable;
  t.bed = nullptr;
  t.timed = false;
}

// A mutex is a variable with the number of the thread that holds it, plus one; 0 if none does.
void session::lock(location& l, const site& at) {
  step(l, at);
  drain(me());
  while (l.value_ != 0) {
    if (l.value_ == running_ + 1) fail("a thread locks a mutex that it holds");
    if (story_ != nullptr) {
      note(action::lock, &l, at, std::memory_order_acquire,
           "sleeps: thread " + std::to_string(l.value_ - 1) + " holds it");
    }
    sleep_on(l, true);
  }
  acquire(l.released_);
  absorb(l.id_);
  if (story_ != nullptr) note(action::lock, &l, at, std::memory_order_acquire, "");
  write(l, running_ + 1, l.released_, l.newest_, true, false);
}

bool session::try_lock(location& l, const site& at) {
  step(l, at);
  drain(me());
  const bool done = l.value_ == 0 && !fails_for_nothing();
  absorb(mix(l.id_, done ? 1 : 0));
  if (story_ != nullptr) {
    note(action::lock, &l, at, std::memory_order_acquire, done ? "" : "fails");
  }
  if (!done) return false;
  acquire(l.released_);
  write(l, running_ + 1, l.released_, l.newest_, true, false);
  return true;
}

void session::unlock(location& l, const site& at) {
  step(l, at);
  thread& t = me();
  drain(t);
  if (l.value_ != running_ + 1) fail("a thread unlocks a mutex that it does not hold");
  absorb(l.id_);
  if (story_ != nullptr) note(action::unlock, &l, at, std::memory_order_release, "");
  write(l, 0, t.clock, l.newest_, true, false);
  for (unsigned k = 1; k <= thread_count_; ++k) {
    if (threads_[k].state == status::asleep && threads_[k].bed == &l) wake_up(threads_[k]);
  }
}

// The time of the threads is what passed while all slept or spun, and is part of what a thread saw.
std::int64_t session::now() {
  absorb(static_cast<std::uint64_t>(clock_));
  return clock_;
}

}  // namespace evencube::explorer
