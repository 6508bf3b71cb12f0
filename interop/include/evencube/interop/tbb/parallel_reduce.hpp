#pragma once

#include <cstddef>
#include <utility>

#include <evencube/fork_join.hpp>
#include <evencube/interop/tbb/blocked_range.hpp>
#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/detail/call.hpp>
#include <evencube/interop/tbb/partitioner.hpp>
#include <evencube/interop/tbb/task_group_context.hpp>

namespace evencube::tbb {

namespace detail {

template <typename Range, typename Body>
void reduce_parts(call& of, Range& range, std::size_t parts, Body& body) {
  if (parts < 2 || !range.is_divisible() || of.cancelled()) {
    of.run([&] { body(range); });
    return;
  }
  Range right(range, split());
  Body other(body, split());
  evencube::fork_join([&] { reduce_parts(of, range, parts - parts / 2, body); },
                      [&] { reduce_parts(of, right, parts / 2, other); });
  of.run([&] { body.join(other); });
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

/// body(part) for parts of the range; bodies are split as the range is, and joined from the right.
template <typename Range, typename Body, detail::partitioner P = auto_partitioner>
requires requires(Body& body) { body.join(body); }
void parallel_reduce(const Range& range, Body& body, const P& by = {},
                     const task_group_context* context = nullptr) {
  if (range.empty()) return;
  detail::inside([&] {
    detail::call of(context);
    Range all(range);
    detail::reduce_parts(of, all, detail::parts(by), body);
  });
}

/// function(part, value) folds a part into a value, reduction(left, right) two values into one.
template <typename Range, typename Value, typename Function, typename Reduction,
          detail::partitioner P = auto_partitioner>
[[nodiscard]] Value parallel_reduce(const Range& range, const Value& identity,
                                    const Function& function, const Reduction& reduction,
                                    const P& by = {}, const task_group_context* context = nullptr) {
  detail::function_body<Value, Range, Function, Reduction> body(identity, function, reduction);
  tbb::parallel_reduce(range, body, by, context);
  return std::move(body.value);
}

/// The same grouping for any number of workers: the range is split to its grain.
template <typename Range, typename Body>
requires requires(Body& body) { body.join(body); }
void parallel_deterministic_reduce(const Range& range, Body& body,
                                   const simple_partitioner& by = {}) {
  tbb::parallel_reduce(range, body, by);
}
template <typename Range, typename Value, typename Function, typename Reduction>
[[nodiscard]] Value parallel_deterministic_reduce(const Range& range, const Value& identity,
                                                  const Function& function,
                                                  const Reduction& reduction,
                                                  const simple_partitioner& by = {}) {
  return tbb::parallel_reduce(range, identity, function, reduction, by);
}

}  // namespace evencube::tbb
