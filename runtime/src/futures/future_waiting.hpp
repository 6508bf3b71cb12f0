#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <evencube/detail/future_state.hpp>

#include "futures/future_tree.hpp"
#include "wait/waiting-inl.hpp"

// How a worker waits for a future that needs others (runtime/src/wait/waiting.md).

namespace evencube::detail {

/// A wait for a `when_any`. Futures anywhere below it may become ready to begin, so the wait
/// searches the whole tree whenever something has changed. Coroutines below that have begun may
/// have parts in queues, and any of them may be the first to end; so the wait runs those parts,
/// too.
template <typename Policy>
class any_wait {
 public:
  static constexpr bool everywhere = true;

  any_wait(basic_future_core<Policy>& awaited, basic_any_changes<Policy>& changes)
      : awaited_(&awaited), changes_(&changes), search_(awaited) {
    changes.begin_wait();
  }
  any_wait(const any_wait&) = delete;
  any_wait& operator=(const any_wait&) = delete;
  ~any_wait() { changes_->end_wait(); }

  [[nodiscard]] const node& target() const noexcept { return changes_->target(); }
  [[nodiscard]] std::uint64_t awaited() const noexcept { return awaited_->runtime_id(); }
  [[nodiscard]] bool done() const noexcept { return awaited_->done(); }
  // The search finds earlier changes; a later change rings this waiter, which is in the room
  // already.
  [[nodiscard]] bool begin_sleep() const noexcept {
    return (changes_->so_far() == seen_ || !Policy::checks("waiting.any: changes")) &&
           !awaited_->done();
  }
  void end_sleep() const noexcept {}
  bool begin_here(basic_worker<Policy>& caller) {
    seen_ = changes_->so_far();
    // The first pass may have begun in the middle, so one more is needed.
    if (search_.run_next(caller) || search_.run_next(caller)) return true;
    look_for_coroutines();
    return std::any_of(parted_.begin(), parted_.end(),
                       [&](const node* begun) { return caller.run_below(*begun); });
  }
  [[nodiscard]] const needed_nodes* others() const noexcept {
    return Policy::checks("coroutines.needs: parts") ? &parted_ : nullptr;
  }
  /// If there was no memory for all of them, the wait looks again from time to time.
  [[nodiscard]] std::int64_t time_left() const noexcept { return all_found_ ? 0 : 1'000'000; }

 private:
  void look_for_coroutines() noexcept {
    parted_.clear();
    kept_.clear();
    if (!Policy::checks("coroutines.needs: parts")) return;
    try {
      all_found_ = search_.for_each_coroutine([&](basic_future_hold<Policy> begun) {
        kept_.push_back(std::move(begun));
        parted_.push_back(kept_.back().get());
      });
    } catch (...) {
      all_found_ = false;
    }
  }

  basic_future_core<Policy>* awaited_;
  basic_any_changes<Policy>* changes_;
  basic_tree_search<Policy> search_;
  std::uint64_t seen_ = 0;
  /// The coroutines below that have begun and not ended, with a hold of each.
  std::vector<basic_future_hold<Policy>> kept_;
  needed_nodes parted_;
  bool all_found_ = true;
};

/// A wait for a started coroutine: runs its parts, and the futures that its coroutines await. It
/// gives up if only futures are left that other threads run. All of these must end before the
/// coroutine does, so the caller then waits for one of them.
template <typename Policy>
class coroutine_wait {
 public:
  static constexpr bool everywhere = true;

  explicit coroutine_wait(basic_future_core<Policy>& awaited)
      : awaited_(&awaited), taken_(&awaited.watch()), search_(awaited) {}
  coroutine_wait(const coroutine_wait&) = delete;
  coroutine_wait& operator=(const coroutine_wait&) = delete;
  ~coroutine_wait() { awaited_->watch_no_longer(); }

  [[nodiscard]] const node& target() const noexcept { return *awaited_; }
  /// A second node whose ring also wakes this waiter.
  [[nodiscard]] const node* also() const noexcept { return taken_; }
  [[nodiscard]] std::uint64_t awaited() const noexcept { return awaited_->runtime_id(); }
  [[nodiscard]] bool gave_up() const noexcept { return gave_up_; }
  [[nodiscard]] bool done() const noexcept { return gave_up_ || awaited_->done(); }
  // The waiter is in the room and has announced itself: a need that is added now rings it
  // (coroutines.needs).
  [[nodiscard]] bool begin_sleep() noexcept {
    if (!awaited_->announce_waiter()) return false;
    gave_up_ = awaited_->needs_any();
    return !gave_up_;
  }
  void end_sleep() const noexcept {}
  bool begin_here(basic_worker<Policy>& caller) noexcept {
    // The first pass may have begun in the middle, so one more is needed.
    return search_.run_next(caller) || search_.run_next(caller);
  }

 private:
  basic_future_core<Policy>* awaited_;
  const node* taken_;
  basic_tree_search<Policy> search_;
  bool gave_up_ = false;
};

/// The leftmost future below `root` that has not ended and either needs nothing more, or is a
/// `when_any`, or is that of a coroutine.
template <typename Policy>
basic_future_hold<Policy> leftmost(basic_future_core<Policy>& root) noexcept {
  basic_future_hold<Policy> at = root.hold();
  while (at->needs() != nullptr && at->needs()->what != basic_dependency<Policy>::kind::any &&
         !is_coroutine(*at)) {
    std::uint32_t first = 0;
    basic_future_hold<Policy> below = at->antecedent(first);
    if (!below) break;  // about to be released, or another thread runs it
    at = std::move(below);
  }
  return at;
}

/// A wait for a future that needs others: runs those of them that have not been begun. If there is
/// none, it waits for one that another thread runs, and helps there.
template <typename Policy>
void wait_for_tree(basic_worker<Policy>& caller, basic_future_core<Policy>& root,
                   basic_any_changes<Policy>& changes, std::int64_t deadline_ns) {
  if (done_elsewhere<Policy>([&] { wait_for_tree(caller, root, changes, deadline_ns); })) return;
  const auto over = [&] {
    return root.done() || (deadline_ns != no_deadline && Policy::now() >= deadline_ns);
  };
  basic_tree_search<Policy> search(root);
  bool ran = true;
  while (!over()) {
    if (search.run_next(caller)) {
      ran = true;
      continue;
    }
    // A pass that began in the middle, or in which other threads ran something, was not complete.
    if (std::exchange(ran, false)) continue;
    basic_future_hold<Policy> next = leftmost(root);
    bool again = false;
    while (is_coroutine(*next) && !again) {
      coroutine_wait<Policy> wait(*next);
      wait_here(caller, wait, deadline_ns);
      std::uint32_t first = 0;
      basic_future_hold<Policy> below =
          wait.gave_up() ? next->antecedent(first) : basic_future_hold<Policy>();
      again = !below || over();
      if (!again) next = leftmost(*below);
    }
    if (again) {
      ran = true;
      continue;
    }
    if (next->needs() != nullptr && next->needs()->what == basic_dependency<Policy>::kind::any) {
      any_wait<Policy> wait(*next, changes);
      wait_here(caller, wait, deadline_ns);
    } else if (deadline_ns == no_deadline) {
      caller.wait_for(*next);
    } else {
      future_wait<Policy> wait{*next};
      wait_here(caller, wait, deadline_ns);
    }
    ran = true;
  }
}

}  // namespace evencube::detail
