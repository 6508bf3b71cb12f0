#pragma once

#include <concepts>
#include <cstddef>
#include <stdexcept>

#include <evencube/fork_join.hpp>
#include <evencube/interop/tbb/blocked_range.hpp>
#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/detail/call.hpp>
#include <evencube/interop/tbb/partitioner.hpp>
#include <evencube/interop/tbb/task_group_context.hpp>

namespace evencube::tbb {

namespace detail {

/// Splits the range recursively with forks, as `into` specifies, and calls `leaf(part)` for the
/// parts.
template <typename Range, typename Leaf>
void for_parts(call& of, Range& range, const division& into, const Leaf& leaf) {
  if (into.parts < 2 || !range.is_divisible() || of.cancelled()) {
    of.run([&] { leaf(range); });
    return;
  }
  const two_parts of_each = detail::two_parts_of(into);
  Range right = detail::take_right(range, of_each);
  evencube::fork_join([&] { for_parts(of, range, of_each.left, leaf); },
                      [&] { for_parts(of, right, of_each.right, leaf); });
}

}  // namespace detail

/// Calls body(part) in parallel for parts of the range.
template <typename Range, typename Body, detail::partitioner P = auto_partitioner>
  requires requires(Range& range) { range.is_divisible(); }
void parallel_for(const Range& range, const Body& body, const P& by = {},
                  task_group_context* context = nullptr) {
  if (range.empty()) return;
  detail::inside([&] {
    detail::call of(context);
    Range all(range);
    detail::for_parts(of, all, detail::division_by(by), body);
  });
}
template <typename Range, typename Body, detail::partitioner P>
  requires requires(Range& range) { range.is_divisible(); }
void parallel_for(const Range& range, const Body& body, const P& by, task_group_context& context) {
  tbb::parallel_for(range, body, by, &context);
}
template <typename Range, typename Body>
  requires requires(Range& range) { range.is_divisible(); }
void parallel_for(const Range& range, const Body& body, task_group_context& context) {
  tbb::parallel_for(range, body, auto_partitioner(), &context);
}

/// Calls function(i) in parallel for i = first, first + step and so on, while i < last. Throws
/// std::invalid_argument if the step is not positive.
template <std::integral Index, typename Function, detail::partitioner P = auto_partitioner>
void parallel_for(Index first, Index last, Index step, const Function& function, const P& by = {},
                  task_group_context* context = nullptr) {
  if (step <= 0) throw std::invalid_argument("parallel_for: the step is not positive");
  if (!(first < last)) return;
  // Unsigned, because the distance may not fit into Index.
  const std::size_t distance = static_cast<std::size_t>(last) - static_cast<std::size_t>(first);
  const std::size_t count = (distance - 1) / static_cast<std::size_t>(step) + 1;
  tbb::parallel_for(
      blocked_range<std::size_t>(0, count),
      [&](const blocked_range<std::size_t>& part) {
        for (std::size_t k = part.begin(); k < part.end(); ++k) {
          function(static_cast<Index>(static_cast<std::size_t>(first) +
                                      k * static_cast<std::size_t>(step)));
        }
      },
      by, context);
}
template <std::integral Index, typename Function, detail::partitioner P>
void parallel_for(Index first, Index last, Index step, const Function& function, const P& by,
                  task_group_context& context) {
  tbb::parallel_for(first, last, step, function, by, &context);
}
template <std::integral Index, typename Function>
void parallel_for(Index first, Index last, Index step, const Function& function,
                  task_group_context& context) {
  tbb::parallel_for(first, last, step, function, auto_partitioner(), &context);
}
template <std::integral Index, typename Function, detail::partitioner P = auto_partitioner>
void parallel_for(Index first, Index last, const Function& function, const P& by = {},
                  task_group_context* context = nullptr) {
  tbb::parallel_for(first, last, Index{1}, function, by, context);
}
template <std::integral Index, typename Function, detail::partitioner P>
void parallel_for(Index first, Index last, const Function& function, const P& by,
                  task_group_context& context) {
  tbb::parallel_for(first, last, Index{1}, function, by, &context);
}
template <std::integral Index, typename Function>
void parallel_for(Index first, Index last, const Function& function, task_group_context& context) {
  tbb::parallel_for(first, last, Index{1}, function, auto_partitioner(), &context);
}

}  // namespace evencube::tbb
