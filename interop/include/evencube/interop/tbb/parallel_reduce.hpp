#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

#include <evencube/fork_join.hpp>
#include <evencube/interop/tbb/blocked_range.hpp>
#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/detail/call.hpp>
#include <evencube/interop/tbb/partitioner.hpp>
#include <evencube/interop/tbb/task_group_context.hpp>

namespace evencube::tbb {

namespace detail {

/// Which parts get their own body: every part that is split off, or only parts that begin before
/// their left neighbour has ended. Other parts use their left neighbour's body, as in oneTBB.
enum class bodies { for_each_part, where_needed };

template <bodies Own, typename Range, typename Body>
void reduce_parts(call& of, Range& range, const division& into, Body& body) {
  if (into.parts < 2 || !range.is_divisible() || of.cancelled()) {
    of.run([&] { body(range); });
    return;
  }
  const two_parts of_each = detail::two_parts_of(into);
  Range right = detail::take_right(range, of_each);
  std::optional<Body> other;
  if (Own == bodies::for_each_part) other.emplace(body, split_for<Body>());
  std::atomic<bool> left_ended{false};
  evencube::fork_join(
      [&] {
        reduce_parts<Own>(of, range, of_each.left, body);
        // Release: pairs with the load below, so the next part that uses the body sees its
        // contents.
        left_ended.store(true, std::memory_order_release);
      },
      [&] {
        if (!other && !left_ended.load(std::memory_order_acquire))
          other.emplace(body, split_for<Body>());
        reduce_parts<Own>(of, right, of_each.right, other ? *other : body);
      });
  if (other) of.run([&] { body.join(*other); });
}

template <bodies Own, typename Range, typename Body, partitioner P>
void reduce(const Range& range, Body& body, const P& by, task_group_context* context) {
  if (range.empty()) return;
  detail::inside([&] {
    call of(context);
    Range all(range);
    reduce_parts<Own>(of, all, detail::division_by(by), body);
  });
}

template <typename Value, typename Range, typename Function, typename Reduction>
struct function_body {
  function_body(const Value& identity, const Function& f, const Reduction& r)
      : value(identity), none(identity), function(f), reduction(r) {}
  function_body(function_body& other, split)
      : function_body(other.none, other.function, other.reduction) {}
  void operator()(Range& range) { value = function(range, std::as_const(value)); }
  void join(function_body& right) { value = reduction(value, std::as_const(right.value)); }

  Value value;
  const Value& none;
  const Function& function;
  const Reduction& reduction;
};

}  // namespace detail

/// Calls body(part) for parts of the range; each body gets its parts from left to right. A part
/// that begins before its left neighbour has ended gets its own body, which is split from the left
/// body and later joined to it. As in oneTBB, the new body's constructor may run while the left
/// body is working.
template <typename Range, typename Body, detail::partitioner P = auto_partitioner>
  requires requires(Body& body) { body.join(body); }
void parallel_reduce(const Range& range, Body& body, const P& by = {},
                     task_group_context* context = nullptr) {
  detail::reduce<detail::bodies::where_needed>(range, body, by, context);
}
template <typename Range, typename Body, detail::partitioner P>
  requires requires(Body& body) { body.join(body); }
void parallel_reduce(const Range& range, Body& body, const P& by, task_group_context& context) {
  tbb::parallel_reduce(range, body, by, &context);
}
template <typename Range, typename Body>
  requires requires(Body& body) { body.join(body); }
void parallel_reduce(const Range& range, Body& body, task_group_context& context) {
  tbb::parallel_reduce(range, body, auto_partitioner(), &context);
}

/// Reduces the range: function(part, value) folds a part into a value, and reduction(left, right)
/// combines two values into one.
template <typename Range, typename Value, typename Function, typename Reduction,
          detail::partitioner P = auto_partitioner>
Value parallel_reduce(const Range& range, const Value& identity, const Function& function,
                      const Reduction& reduction, const P& by = {},
                      task_group_context* context = nullptr) {
  detail::function_body<Value, Range, Function, Reduction> body(identity, function, reduction);
  tbb::parallel_reduce(range, body, by, context);
  return std::move(body.value);
}
template <typename Range, typename Value, typename Function, typename Reduction,
          detail::partitioner P>
Value parallel_reduce(const Range& range, const Value& identity, const Function& function,
                      const Reduction& reduction, const P& by, task_group_context& context) {
  return tbb::parallel_reduce(range, identity, function, reduction, by, &context);
}
template <typename Range, typename Value, typename Function, typename Reduction>
Value parallel_reduce(const Range& range, const Value& identity, const Function& function,
                      const Reduction& reduction, task_group_context& context) {
  return tbb::parallel_reduce(range, identity, function, reduction, auto_partitioner(), &context);
}

/// Reduces the range with a grouping that depends only on the range and the partitioner. The range
/// is split down to its grain or, with static_partitioner, into one part per worker. Every part
/// that is split off has its own body.
template <typename Range, typename Body, detail::deterministic_partitioner P = simple_partitioner>
  requires requires(Body& body) { body.join(body); }
void parallel_deterministic_reduce(const Range& range, Body& body, const P& by = {},
                                   task_group_context* context = nullptr) {
  detail::reduce<detail::bodies::for_each_part>(range, body, by, context);
}
template <typename Range, typename Body, detail::deterministic_partitioner P>
  requires requires(Body& body) { body.join(body); }
void parallel_deterministic_reduce(const Range& range, Body& body, const P& by,
                                   task_group_context& context) {
  tbb::parallel_deterministic_reduce(range, body, by, &context);
}
template <typename Range, typename Body>
  requires requires(Body& body) { body.join(body); }
void parallel_deterministic_reduce(const Range& range, Body& body, task_group_context& context) {
  tbb::parallel_deterministic_reduce(range, body, simple_partitioner(), &context);
}
template <typename Range, typename Value, typename Function, typename Reduction,
          detail::deterministic_partitioner P = simple_partitioner>
Value parallel_deterministic_reduce(const Range& range, const Value& identity,
                                    const Function& function, const Reduction& reduction,
                                    const P& by = {}, task_group_context* context = nullptr) {
  detail::function_body<Value, Range, Function, Reduction> body(identity, function, reduction);
  tbb::parallel_deterministic_reduce(range, body, by, context);
  return std::move(body.value);
}
template <typename Range, typename Value, typename Function, typename Reduction,
          detail::deterministic_partitioner P>
Value parallel_deterministic_reduce(const Range& range, const Value& identity,
                                    const Function& function, const Reduction& reduction,
                                    const P& by, task_group_context& context) {
  return tbb::parallel_deterministic_reduce(range, identity, function, reduction, by, &context);
}
template <typename Range, typename Value, typename Function, typename Reduction>
Value parallel_deterministic_reduce(const Range& range, const Value& identity,
                                    const Function& function, const Reduction& reduction,
                                    task_group_context& context) {
  return tbb::parallel_deterministic_reduce(range, identity, function, reduction,
                                            simple_partitioner(), &context);
}

}  // namespace evencube::tbb
