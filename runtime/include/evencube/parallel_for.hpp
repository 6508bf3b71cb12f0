#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <evencube/detail/bounds.hpp>
#include <evencube/detail/callable.hpp>
#include <evencube/detail/index_loop.hpp>
#include <evencube/detail/loop.hpp>
#include <evencube/detail/loop_pace.hpp>
#include <evencube/fork_join.hpp>
#include <evencube/task_group.hpp>

namespace evencube {

/// The options of a loop.
struct loop_options {
  /// The number of iterations in a chunk. After each chunk, the loop checks whether other workers
  /// want some of its iterations. With 0, the loop adapts the chunk size so that a chunk takes
  /// several microseconds.
  std::size_t grain = 0;
};

/// Calls `body(i)` exactly once for every i in [first, last), in parallel, and returns when all
/// calls have ended. The type of `i` is the common type of `first` and `last`. Throws
/// std::invalid_argument if this type cannot represent a bound, such as a negative bound combined
/// with an unsigned one. An empty or reversed range is a no-op. The workers share the body and call
/// it concurrently. A body that is trivially copyable and no larger than eight pointers may be
/// copied.
///
/// If calls throw, one of the exceptions is rethrown once all calls that have begun have ended; the
/// remaining calls may be skipped. Throws evencube::error outside of a runtime's tasks. Throws
/// std::bad_alloc if there is no memory for the loop's tasks. The loop creates eight tasks per
/// worker. With one worker, or within loops that have enough work for other workers, it creates
/// none. It also creates no tasks, and wakes no worker, if earlier executions of the same call in
/// the source took less than 4 us, or took less than 30 us and were no slower than executions
/// shared with other workers.
template <typename First, typename Last, typename Body>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::callable_with_the_index<Body, std::common_type_t<First, Last>>
void parallel_for(First first, Last last, const Body& body, const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  detail::worker& w = detail::worker_here("parallel_for");
  const auto begin = detail::bound_as<index>(first, "parallel_for");
  const std::size_t count =
      detail::iterations(begin, detail::bound_as<index>(last, "parallel_for"));
  if (count == 0) return;
  detail::run_loop(w, detail::for_each<index, const Body&>{begin, body, options.grain}, count);
}

/// Combines `init` with `body(i)` for every i in [first, last) and returns the result. If `combine`
/// is `+`, the result is init + body(first) + ... + body(last - 1). The calls of `body` run in
/// parallel. Adjacent values may be combined in any grouping, so `combine` must be associative. The
/// values keep their order, so `combine` need not be commutative. Both functions return a `Value`,
/// which may be any movable type. The workers share `body` and `combine` and call them
/// concurrently, or copy them like the body of `parallel_for`. Bounds and exceptions are handled as
/// in `parallel_for`.
///
/// The loop queues no task until another worker wants work. So a loop may be as short as one over
/// the children of a tree node, and loops may be nested as deeply as the tree. Throws
/// evencube::error outside of a runtime's tasks.
template <typename First, typename Last, typename Value, typename Body, typename Combine>
  requires rule::integers_of_at_most_64_bits<First, Last> &&
           rule::gives_the_value<Body, std::common_type_t<First, Last>, Value> &&
           rule::combines_two_values<Combine, Value>
[[nodiscard]] Value parallel_reduce(First first, Last last, Value init, const Body& body,
                                    const Combine& combine, const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  detail::worker& w = detail::worker_here("parallel_reduce");
  const auto begin = detail::bound_as<index>(first, "parallel_reduce");
  using work_type = detail::fold<index, Value, const Body&, const Combine&>;
  const work_type work{begin, body, combine, options.grain};
  const std::size_t count =
      detail::iterations(begin, detail::bound_as<index>(last, "parallel_reduce"));
  if (count == 0) return init;
  if (detail::have_enough_to_give(w.loops().innermost())) {
    detail::loop_in_one(w, work, count, init);
  } else {
    detail::outermost_loop<true>(w, work, count, init);
  }
  return init;
}

}  // namespace evencube
