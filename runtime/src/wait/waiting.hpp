#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

#include <evencube/detail/future_core.hpp>
#include <evencube/detail/group.hpp>
#include <evencube/detail/task.hpp>

#include "sync/parking.hpp"
#include "wait/waiting_room.hpp"

namespace evencube::detail {

// A type of wait has these members:
// target()        the node whose descendants may run meanwhile
// awaited()       the number of the runtime of these tasks, or 0 for the waiter's own
// everywhere      true if descendants may be anywhere in the waiter's queue, false if only in the
//                 places where the waiting task has queued them
// done()          true when the wait may end
// begin_sleep()   marks the target so that the sleeper is woken; false if the wait is done already
// end_sleep()     called after begin_sleep returned true
// begin_here(w)   lets `w`, which waits, run the awaited task itself if it has not begun
// and may have these:
// what            the name of the target, if the wait ends with the target and only then
// also()          a second node whose end also wakes the waiter
// others()        further nodes whose descendants may run, too

/// A wait for a fork that another worker took.
template <typename Policy>
struct fork_wait {
  fork_task& forked;
  static constexpr const char* what = "a fork";
  static constexpr bool everywhere = false;

  [[nodiscard]] const node& target() const noexcept { return forked; }
  [[nodiscard]] static std::uint64_t awaited() noexcept { return 0; }
  // Acquire: pairs with the release in `complete`.
  [[nodiscard]] bool done() const noexcept {
    return (forked.state_.load(std::memory_order_acquire) & fork_done) != 0;
  }
  [[nodiscard]] bool begin_sleep() const noexcept {
    return (forked.state_.fetch_or(fork_awaited, std::memory_order_acq_rel) & fork_done) == 0;
  }
  void end_sleep() const noexcept {}
  template <typename Waiter>
  static bool begin_here(Waiter&) noexcept {
    return false;
  }
};

/// A wait for a group by the worker that owns it.
template <typename Policy>
struct owner_wait {
  basic_group<Policy>& group;
  static constexpr const char* what = "a group of its own";
  static constexpr bool everywhere = false;

  [[nodiscard]] const node& target() const noexcept { return group; }
  [[nodiscard]] static std::uint64_t awaited() noexcept { return 0; }
  [[nodiscard]] bool done() const noexcept { return group.count().done_for_owner(); }
  [[nodiscard]] bool begin_sleep() const noexcept { return group.count().begin_sleep(); }
  void end_sleep() const noexcept { group.count().end_sleep(); }
  template <typename Waiter>
  static bool begin_here(Waiter&) noexcept {
    return false;
  }
};

/// A wait for a group by a thread that does not own it.
template <typename Policy>
struct external_wait {
  basic_group<Policy>& group;
  static constexpr const char* what = "a group";
  static constexpr bool everywhere = true;

  [[nodiscard]] const node& target() const noexcept { return group; }
  [[nodiscard]] std::uint64_t awaited() const noexcept { return group.runtime_id(); }
  [[nodiscard]] bool done() const noexcept { return group.count().done_for_others(); }
  [[nodiscard]] bool begin_sleep() const noexcept { return group.count().announce_waiter(); }
  void end_sleep() const noexcept {}
  template <typename Waiter>
  static bool begin_here(Waiter&) noexcept {
    return false;
  }
};

/// A wait for a future. Does not touch the runtime of the future, which may be gone once the wait
/// is done.
template <typename Policy>
struct future_wait {
  basic_future_core<Policy>& core;
  static constexpr const char* what = "a future";
  static constexpr bool everywhere = true;

  [[nodiscard]] const node& target() const noexcept { return core; }
  [[nodiscard]] std::uint64_t awaited() const noexcept { return core.runtime_id(); }
  [[nodiscard]] bool done() const noexcept { return core.done(); }
  [[nodiscard]] bool begin_sleep() const noexcept { return core.announce_waiter(); }
  void end_sleep() const noexcept {}
  template <typename Waiter>
  bool begin_here(Waiter& caller) const noexcept {
    if (caller.runtime_id() != core.runtime_id() || !caller.begin(core)) return false;
    caller.run_begun(core);
    return true;
  }
};

/// A second node whose end also wakes this waiter, or null.
template <typename Wait>
const node* rings_too(const Wait& wait) noexcept {
  if constexpr (requires { wait.also(); }) {
    return wait.also();
  } else {
    return nullptr;
  }
}

/// Further nodes whose descendants this wait may run, or null.
template <typename Wait>
const needed_nodes* runs_too(const Wait& wait) noexcept {
  if constexpr (requires { wait.others(); }) {
    return wait.others();
  } else {
    return nullptr;
  }
}

/// A wait with a time limit. It has one more member: time_left() returns how many nanoseconds a
/// sleep may last.
template <typename Policy, typename Wait>
struct limited_wait {
  Wait& inner;
  std::int64_t deadline_ns;
  static constexpr bool everywhere = Wait::everywhere;

  [[nodiscard]] const node& target() const noexcept { return inner.target(); }
  [[nodiscard]] std::uint64_t awaited() const noexcept { return inner.awaited(); }
  [[nodiscard]] bool done() const noexcept { return inner.done() || Policy::now() >= deadline_ns; }
  [[nodiscard]] bool begin_sleep() const noexcept { return inner.begin_sleep(); }
  void end_sleep() const noexcept { inner.end_sleep(); }
  template <typename Waiter>
  bool begin_here(Waiter& caller) const noexcept {
    return inner.begin_here(caller);
  }
  [[nodiscard]] const node* also() const noexcept { return rings_too(inner); }
  [[nodiscard]] const needed_nodes* others() const noexcept { return runs_too(inner); }
  [[nodiscard]] std::int64_t time_left() const noexcept {
    const std::int64_t left = std::max<std::int64_t>(deadline_ns - Policy::now(), 1);
    if constexpr (requires { inner.time_left(); }) {
      if (inner.time_left() != 0) return std::min(left, inner.time_left());
    }
    return left;
  }
};

/// Enters the data into `self` with which the room checks whether this wait is part of a cycle.
template <typename Sleeper, typename Wait>
void make_visible(Sleeper& self, const Wait& wait) noexcept {
  if constexpr (requires { Wait::what; }) {
    self.what = Wait::what;
    self.wait = &wait;
    self.ended = [](const void* context) noexcept {
      return static_cast<const Wait*>(context)->done();
    };
  }
}

/// The number of nanoseconds that a sleep of this wait may last, or 0 for no limit.
template <typename Wait>
std::int64_t time_left(const Wait& wait) noexcept {
  if constexpr (requires { wait.time_left(); }) {
    return wait.time_left();
  } else {
    return 0;
  }
}

/// True if the wait is for a group, with or without a time limit.
template <typename Wait>
inline constexpr bool is_for_group =
    requires(const Wait& wait) { wait.group; } || requires(const Wait& wait) { wait.inner.group; };

/// Blocks a thread that is no worker until the wait is done.
template <typename Policy, typename Wait>
void wait_outside(basic_waiting_room<Policy>& room, const Wait& wait) {
  basic_signal_word<Policy> bell;
  typename basic_waiting_room<Policy>::sleeper self{&wait.target(), &bell};
  if constexpr (is_for_group<Wait>) {
    self.wait = &wait;
    self.ended = [](const void* context) noexcept {
      return static_cast<const Wait*>(context)->done();
    };
    self.runtime_of_group = wait.awaited();
  }
  while (!wait.done()) {
    bell.take();
    bool unfinished = true;
    park(
        bell,
        [&] {
          {
            const std::lock_guard lock(room);
            room.enter(self);
          }
          // After the sleeper has entered: the thread that ends the target finds the mark, and then
          // the sleeper.
          unfinished = wait.begin_sleep();
        },
        [&] { return !unfinished; },
        [&] {
          const std::lock_guard lock(room);
          room.leave(self);
        },
        time_left(wait));
  }
}

}  // namespace evencube::detail
