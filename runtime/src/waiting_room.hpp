#pragma once

#include <cstdint>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/signal_word.hpp>
#include <evencube/detail/task.hpp>
#include <evencube/detail/worker.hpp>

#include "futex_lock.hpp"

namespace evencube::detail {

/// All who sleep in a wait, of whatever runtime: what each waits for, and what it runs. So it can be
/// told who needs a task, and who is to be woken when something has ended (runtime/docs/waiting.md).
/// Everything but `lock` and `unlock` needs the lock.
template <typename Policy>
class basic_waiting_room {
 public:
  /// The sleepers of one runtime.
  struct crowd {
    /// How many of its workers are here. Changes under the lock; read without it as a hint.
    typename Policy::template atomic<std::uint32_t> asleep{0};
  };

  /// One who sleeps; lives in the frame of its wait.
  struct sleeper {
    /// What it waits for, and the runtime whose tasks these are.
    const node* target;
    const crowd* awaited;
    basic_signal_word<Policy>* bell;
    /// The worker it is, and its runtime; null for a thread outside.
    basic_worker<Policy>* who = nullptr;
    crowd* of = nullptr;
    sleeper* previous = nullptr;
    sleeper* next = nullptr;
    /// The number of waits that had begun when it last asked; 0: it has not been here yet.
    std::uint64_t heard = 0;
    bool seen = false;
  };

  void lock() noexcept { lock_.lock(); }
  void unlock() noexcept { lock_.unlock(); }

  void enter(sleeper& s) noexcept {
    s.previous = nullptr;
    s.next = first_;
    if (first_ != nullptr) first_->previous = &s;
    first_ = &s;
    // Seq_cst: before it looks whether there is work, pairs with the load in `everybody_asleep`
    // (invariant P of runtime/docs/parking.md).
    if (s.of != nullptr && s.of->asleep.fetch_add(1, std::memory_order_seq_cst) == 0) ++crowds_;
    if (s.heard == 0) ++news_;
  }

  /// Whether somebody has come to wait since this sleeper asked last, or it asks for the first time.
  bool news_for(sleeper& s) noexcept {
    if (s.heard == news_) return false;
    s.heard = news_;
    return true;
  }
  void leave(sleeper& s) noexcept {
    (s.previous != nullptr ? s.previous->next : first_) = s.next;
    if (s.next != nullptr) s.next->previous = s.previous;
    if (s.of != nullptr && s.of->asleep.fetch_sub(1, std::memory_order_seq_cst) == 1) --crowds_;
  }

  /// Wakes all who wait for `target`, which may be gone: only its address counts.
  void ring(const node* target) noexcept {
    for (sleeper* s = first_; s != nullptr; s = s->next) {
      if (s->target == target) s->bell->raise(signal_done);
    }
  }

  /// Wakes one worker of the crowd, so that it looks around once more. False if none is here.
  bool ring_one(const crowd& of) noexcept {
    for (sleeper* s = first_; s != nullptr; s = s->next) {
      if (s->of != &of) continue;
      s->bell->raise(signal_work);
      return true;
    }
    return false;
  }

  /// A worker of the crowd whose wait cannot end before this task, that nobody has begun; null if
  /// there is none. O(sleepers * depth), and times the sleepers if those of several runtimes are
  /// here.
  sleeper* who_needs(const task& unbegun, const crowd& of) noexcept {
    for (sleeper* s = first_; s != nullptr; s = s->next) {
      if (s->of == &of && descends(&unbegun, *s->target)) return s;
    }
    // Within one runtime somebody waits for the task itself, if anybody needs it. Over several it
    // may be one who cannot run it: then it is for who waits for that one.
    if (crowds_ < 2) return nullptr;
    for (sleeper* s = first_; s != nullptr; s = s->next) {
      if (s->of != &of) continue;
      const sleeper* found = nullptr;
      follow(*s, [&](sleeper& needed) {
        if (descends(&unbegun, *needed.target)) found = &needed;
        return found == nullptr;
      });
      if (found != nullptr) return s;
    }
    return nullptr;
  }

  /// Calls `visit` with the sleeper and all others for whose wake it waits, directly or through
  /// others, until it returns false.
  template <typename Visit>
  void follow(sleeper& from, Visit&& visit) noexcept {
    for (sleeper* s = first_; s != nullptr; s = s->next) s->seen = false;
    from.seen = true;
    if (!visit(from)) return;
    for (bool more = true; more;) {
      more = false;
      for (sleeper* s = first_; s != nullptr; s = s->next) {
        if (s->seen || !awaited_by_seen(*s)) continue;
        s->seen = more = true;
        if (!visit(*s)) return;
      }
    }
  }

  /// Whether workers of more than one runtime are here.
  [[nodiscard]] bool several() const noexcept { return crowds_ > 1; }

 private:
  // Any task on its stack: those beneath the innermost wait for what stands above them.
  bool awaited_by_seen(const sleeper& s) const noexcept {
    if (s.who == nullptr) return false;
    for (const sleeper* w = first_; w != nullptr; w = w->next) {
      if (!w->seen) continue;
      for (const frame* f = s.who->frames(); f != nullptr; f = f->outer) {
        if (descends(f->current, *w->target)) return true;
      }
    }
    return false;
  }

  basic_futex_lock<Policy> lock_;
  sleeper* first_ = nullptr;
  std::uint32_t crowds_ = 0;  // runtimes of which somebody is here
  std::uint64_t news_ = 0;    // waits that have come here for the first time
};

/// The room of this process. In a forked child it is empty.
basic_waiting_room<std_policy>& waiting_room() noexcept;

}  // namespace evencube::detail
