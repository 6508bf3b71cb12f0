#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include <evencube/detail/callable.hpp>
#include <evencube/detail/compiler.hpp>
#include <evencube/detail/fork.hpp>
#include <evencube/detail/group.hpp>
#include <evencube/detail/invoke.hpp>
#include <evencube/detail/least.hpp>
#include <evencube/detail/loop.hpp>
#include <evencube/detail/loop_pace.hpp>
#include <evencube/detail/spawning.hpp>
#include <evencube/detail/worker.hpp>

namespace evencube::detail {

/// The number of workers of the runtime whose task calls.
EVENCUBE_EXPORT unsigned worker_count() noexcept;

template <typename Index>
Index index_at(Index first, std::size_t i) noexcept {
  // Unsigned, because the sum may pass through values that Index does not have.
  return static_cast<Index>(static_cast<std::size_t>(first) + i);
}

/// The number of iterations; 0 for a reversed range.
template <typename Index>
std::size_t iterations(Index first, Index last) noexcept {
  return first < last ? static_cast<std::size_t>(last) - static_cast<std::size_t>(first) : 0;
}

inline worker& worker_here(const char* what) {
  worker* const w = current_worker;
  if (w == nullptr) [[unlikely]] {
    detail::throw_outside(what);
  }
  return *w;
}

/// The work of `parallel_for`. `Body` is a reference to the body of the loop, or a copy of it.
template <typename Index, typename Body>
struct for_each {
  using value = std::monostate;

  [[nodiscard]] value start(std::size_t i) const {
    body(detail::index_at(first, i));
    return {};
  }
  void step(value&, std::size_t from, std::size_t n) const {
    for (std::size_t i = from; i < from + n; ++i) body(detail::index_at(first, i));
  }
  void step(value&, std::size_t i) const { body(detail::index_at(first, i)); }
  void append(value&, value&&) const noexcept {}
  [[nodiscard]] auto local_copy() const {
    return for_each<Index, local_copy_of<std::remove_cvref_t<Body>>>{first, body, grain};
  }

  Index first;
  Body body;
  std::size_t grain;
};

/// The work of `parallel_reduce`. `Body` and `Combine` are references to the functions of the loop,
/// or copies of them.
template <typename Index, typename Value, typename Body, typename Combine>
struct fold {
  using value = Value;

  [[nodiscard]] value start(std::size_t i) const { return body(detail::index_at(first, i)); }
  void step(value& sum, std::size_t from, std::size_t n) const {
    for (std::size_t i = from; i < from + n; ++i) {
      sum = detail::invoke(combine, std::move(sum), body(detail::index_at(first, i)));
    }
  }
  void step(value& sum, std::size_t i) const { step(sum, i, 1); }
  void append(value& sum, value&& later) const {
    sum = detail::invoke(combine, std::move(sum), std::move(later));
  }
  [[nodiscard]] auto local_copy() const {
    return fold<Index, Value, local_copy_of<std::remove_cvref_t<Body>>,
                local_copy_of<std::remove_cvref_t<Combine>>>{first, body, combine, grain};
  }

  Index first;
  Body body;
  Combine combine;
  std::size_t grain;
};

/// The number of pieces that a loop makes before it answers a worker that waits for work.
inline constexpr std::size_t largest_batch = 16;

/// Runs [0, count) in pieces. Each piece is a task, so that a plan has tasks to move, and a loop,
/// so that other workers may get a part of it. All pieces belong to one group: if this wait meets a
/// piece that another worker runs, it goes on with the next piece.
// Not inline, because the group would take room on the stack of short loops within loops, too.
template <typename Work>
[[gnu::noinline]] void loop_in_pieces(worker& w, const Work& work, std::size_t count,
                                      std::size_t piece) {
  group_core group(w.workers(), &w);
  const auto run = [&](std::size_t first) {
    if (group.failure().present()) return;
    const std::size_t last = count - first < piece ? count : first + piece;
    typename Work::value nothing;
    range_loop<Work, worker>(work, first, last, group.failure()).run(*current_worker, nothing);
  };
  try {
    // The last piece is spawned first. A worker runs its newest task, so the loop goes upwards. A
    // worker that waits gets half of the first batch at once, so that it need not come again.
    w.begin_batch();
    std::size_t made = 0;
    for (std::size_t first = (count - 1) / piece * piece; first > 0; first -= piece) {
      detail::spawn_into(group, [&run, first] { run(first); }, {});
      if (++made == largest_batch) w.end_batch();
    }
    w.end_batch();
    run(0);
  } catch (...) {
    w.end_batch();
    w.keep_failure(group.failure());
  }
  group.wait(&w);
  group.failure().rethrow();
}

/// Runs [0, count) as one loop. Nothing is queued until another worker wants work.
template <typename Work>
void loop_in_one(worker& w, const Work& work, std::size_t count, typename Work::value& sum) {
  first_failure failure;
  range_loop<Work, worker>(work, 0, count, failure).run(w, sum);
  failure.rethrow();
}

/// Runs [0, count), which is expected to take little time, in place: whoever wants work meanwhile
/// gets none before it takes longer.
template <typename Work>
void loop_in_place(worker& w, const Work& work, std::size_t count, typename Work::value& sum,
                   bool tried, loop_pace& pace) {
  const bool timed = tried || w.loops().timed_in_place();
  std::int64_t began = timed || w.wanted() ? now_ns() : 0;
  first_failure failure;
  const bool in_time = range_loop<Work, worker>(work, 0, count, failure)
                           .run_alone(w, sum, began, pace.limit_of(count));
  if (timed || !in_time) pace.ran_in_place(count, now_ns() - began);
  // A task of many such loops answers now and then.
  if (timed && w.wanted()) w.poll();
  failure.rethrow();
}

/// Runs [0, count), which is not empty, where no loop around it has a part to give to other
/// workers: in place if it is expected to be short, else in pieces or, if `Whole`, as one loop.
// Not inline, because short loops within loops need nothing of this, and it would take room on
// their stack.
template <bool Whole, typename Work>
[[gnu::noinline]] void outermost_loop(worker& w, const Work& work, std::size_t count,
                                      typename Work::value& sum) {
  if (w.alone()) {
    detail::loop_in_one(w, work, count, sum);
    return;
  }
  loop_pace& pace = pace_of<Work>;
  const loop_pace::way way = pace.way_of(count);
  if (way != loop_pace::way::shared && !w.notes_tasks()) {
    detail::loop_in_place(w, work, count, sum, way == loop_pace::way::tried_in_place, pace);
    return;
  }
  if constexpr (Whole) {
    const std::int64_t began = now_ns();
    detail::loop_in_one(w, work, count, sum);
    pace.was_shared(count, now_ns() - began);
  } else {
    const unsigned workers = detail::worker_count();
    // A lone worker may have spare ones.
    const std::size_t piece =
        workers == 1 ? count
                     : detail::greatest((count - 1) / (std::size_t{workers} * 8) + 1, work.grain);
    if (count <= piece) {
      detail::loop_in_one(w, work, count, sum);
    } else {
      const std::int64_t began = now_ns();
      detail::loop_in_pieces(w, work, count, piece);
      pace.was_shared(count, now_ns() - began);
    }
  }
}

/// Runs [0, count), which is not empty, in a suitable number of pieces.
template <typename Work>
void run_loop(worker& w, const Work& work, std::size_t count) {
  std::monostate nothing;
  if (detail::have_enough_to_give(w.loops().innermost())) {
    detail::loop_in_one(w, work, count, nothing);
  } else {
    detail::outermost_loop<false>(w, work, count, nothing);
  }
}

}  // namespace evencube::detail
