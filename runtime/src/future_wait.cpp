// What a future's members do that need the engine: waiting, and going on when it has ended.

#include <evencube/error.hpp>
#include <evencube/future.hpp>
#include <utility>

#include "engine.hpp"
#include "future_tree.hpp"
#include "group_code.hpp"
#include "live_engines.hpp"
#include "waiting_code.hpp"

namespace evencube::detail {

namespace {

/// Waits on a worker until `wait` is done, or the time is over.
template <typename Wait>
void wait_here(worker& by, Wait& wait, std::int64_t deadline_ns) {
  if (deadline_ns == no_deadline) {
    by.wait_until(wait);
  } else {
    limited_wait<Wait> limited{wait, deadline_ns};
    by.wait_until(limited);
  }
}

/// A wait for a future that needs any of several: what it needs may begin to need nothing more
/// anywhere below, so it looks at all of it whenever something has changed.
class any_wait {
 public:
  static constexpr bool everywhere = true;

  explicit any_wait(future_core& awaited) : awaited_(&awaited), search_(awaited) {
    future_tree::begin_any_wait();
  }
  any_wait(const any_wait&) = delete;
  any_wait& operator=(const any_wait&) = delete;
  ~any_wait() { future_tree::end_any_wait(); }

  [[nodiscard]] static const node& target() noexcept { return future_tree::any_change(); }
  [[nodiscard]] std::uint64_t awaited() const noexcept { return awaited_->runtime_id(); }
  [[nodiscard]] bool done() const noexcept { return awaited_->done(); }
  // What changed before is found by the look, what changes later rings who is in the room already.
  [[nodiscard]] bool begin_sleep() const noexcept {
    return future_tree::changes() == seen_ && !awaited_->done();
  }
  void end_sleep() const noexcept {}
  bool begin_here(worker& by) noexcept {
    seen_ = future_tree::changes();
    // The first pass may have begun in the middle.
    return search_.run_next(by) || search_.run_next(by);
  }

 private:
  future_core* awaited_;
  tree_search search_;
  std::uint64_t seen_ = 0;
};

/// The leftmost future below that has not ended and needs nothing more, or needs any of several.
future_hold leftmost(future_core& root) noexcept {
  future_hold at = future_tree::hold(root);
  while (at->needs() != nullptr && at->needs()->what != dependency::kind::any) {
    std::uint32_t first = 0;
    future_hold below = future_tree::antecedent(*at, first);
    if (!below) break;  // about to be released, or somebody runs it
    at = std::move(below);
  }
  return at;
}

/// Of a future that needs others: runs what of these nobody has begun; where there is nothing, it
/// waits for one that somebody else runs and helps there.
void wait_for_tree(worker& by, future_core& root, std::int64_t deadline_ns) {
  const auto over = [&] {
    return root.done() || (deadline_ns != no_deadline && now_ns() >= deadline_ns);
  };
  tree_search search(root);
  bool ran = true;
  while (!over()) {
    if (search.run_next(by)) {
      ran = true;
      continue;
    }
    // A pass that began in the middle, or within which others ran something, was no full one.
    if (std::exchange(ran, false)) continue;
    const future_hold next = leftmost(root);
    if (next->needs() != nullptr && next->needs()->what == dependency::kind::any) {
      any_wait wait(*next);
      wait_here(by, wait, deadline_ns);
    } else if (deadline_ns == no_deadline) {
      by.wait_for(*next);
    } else {
      future_wait wait{*next};
      wait_here(by, wait, deadline_ns);
    }
    ran = true;
  }
}

}  // namespace

bool wait_for_future(future_core& awaited, std::int64_t deadline_ns) {
  if (awaited.done()) return true;
  awaited.check_alive();
  worker* const by = current_worker;
  if (by == nullptr) {
    check_holds_none_of(awaited.runtime_id());
    future_wait wait{awaited};
    if (deadline_ns == no_deadline) {
      wait_outside(waiting_room(), wait);
    } else {
      wait_outside(waiting_room(), limited_wait<future_wait>{wait, deadline_ns});
    }
    return awaited.done();
  }
  permit_wait(by->scheduler(), awaited.runtime_id());
  if (awaited.needs() != nullptr && by->scheduler().sleepers().id == awaited.runtime_id()) {
    wait_for_tree(*by, awaited, deadline_ns);
  } else if (deadline_ns == no_deadline) {
    by->wait_for(awaited);
  } else {
    future_wait wait{awaited};
    wait_here(*by, wait, deadline_ns);
  }
  return awaited.done();
}

std::uint64_t runtime_of_continuation(const future_core& antecedent) {
  antecedent.check_process();
  if (antecedent.runtime_id() != 0) return antecedent.runtime_id();
  if (current_worker != nullptr) return runtime_id_here();
  throw error(
      "future: it is of no runtime, for it was made ready outside of tasks; call then() inside a "
      "task, or name the runtime when you make it");
}

std::uint64_t runtime_id_of(scheduler& of) noexcept { return of.sleepers().id; }
std::uint64_t runtime_id_here() noexcept {
  return current_worker != nullptr ? current_worker->scheduler().sleepers().id : 0;
}

void continue_with(future_core& antecedent, future_core& consumer, const spawn_options& options) {
  const bool plain = options.cost == 1 && !options.home;
  if (plain && future_tree::attach(antecedent, consumer, 0)) return;
  const engine_pin runtime(consumer.runtime_id());
  scheduler& of = runtime.get().scheduler();
  if (!plain) {
    check_spawn_options(of, options);
    if (future_tree::attach(antecedent, consumer, 0)) return;
  }
  future_tree::release(consumer);
  spawn_future(of, consumer, options);
}

void need_several(future_core& consumer) noexcept {
  const dependency& needs = *consumer.needs();
  // It may end meanwhile, but is not gone: its future is the caller's.
  for (std::uint32_t i = 0; i < needs.count; ++i) {
    if (!future_tree::attach(*needs.antecedents[i], consumer, i)) future_tree::arrive(consumer, i);
  }
}

std::uint64_t common_runtime(future_core* const* futures, std::size_t count) {
  std::uint64_t runtime = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t its = futures[i]->runtime_id();
    if (its == 0) continue;
    if (runtime != 0 && its != runtime) {
      throw error("when_all, when_any: the futures are of different runtimes");
    }
    runtime = its;
  }
  return runtime;
}

}  // namespace evencube::detail
