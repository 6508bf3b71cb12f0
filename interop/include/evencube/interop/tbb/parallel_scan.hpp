#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <evencube/interop/tbb/blocked_range.hpp>
#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/detail/call.hpp>
#include <evencube/interop/tbb/partitioner.hpp>
#include <evencube/parallel_for.hpp>
#include <evencube/this_task.hpp>

namespace evencube::tbb {

struct pre_scan_tag {
  static constexpr bool is_final_scan() { return false; }
  // NOLINTNEXTLINE(google-explicit-constructor): as oneTBB's
  explicit(false) operator bool() const { return false; }
};
struct final_scan_tag {
  static constexpr bool is_final_scan() { return true; }
  // NOLINTNEXTLINE(google-explicit-constructor): as oneTBB's
  explicit(false) operator bool() const { return true; }
};

namespace detail {

template <typename Value, typename Range, typename Scan, typename Combine>
struct scan_body {
  scan_body(const Value& identity, const Scan& f, const Combine& c)
      : value(identity), none(identity), scan(f), combine(c) {}
  scan_body(scan_body& other, split) : scan_body(other.none, other.scan, other.combine) {}
  template <typename Tag>
  void operator()(const Range& range, Tag tag) {
    value = scan(range, std::as_const(value), tag);
  }
  void reverse_join(scan_body& left) { value = combine(std::as_const(left.value), value); }
  void assign(scan_body& other) { value = other.value; }

  Value value;
  const Value& none;
  const Scan& scan;
  const Combine& combine;
};

/// Collects the parts of a range in order.
template <typename Range>
void collect_parts(Range range, std::size_t parts, std::vector<Range>& into) {
  if (parts < 2 || !range.is_divisible()) {
    into.push_back(range);
    return;
  }
  Range right(range, split_for<Range>());
  collect_parts(range, parts - parts / 2, into);
  collect_parts(right, parts / 2, into);
}

}  // namespace detail

/// Scans the range with the body. Every part except the first and the last is scanned twice: once
/// for its sum, and again when the sum before it is known. `reverse_join` prepends the sum of the
/// parts on the left to a body's own sum. The body with the combined sum then scans the next part.
/// `assign` is called once, at the end, on the caller's body.
template <typename Range, typename Body, detail::partitioner P = auto_partitioner>
  requires requires(Body& body) { body.reverse_join(body); }
void parallel_scan(const Range& range, Body& body, const P& by = {}) {
  if (range.empty()) return;
  detail::inside([&] {
    detail::call of(nullptr);
    const std::size_t workers = this_task::workers();
    const std::size_t most = (std::min)(detail::division_by(by).parts, 4 * workers);
    std::vector<Range> parts;
    detail::collect_parts(range, workers == 1 ? 1 : most, parts);
    const std::size_t n = parts.size();
    const detail::split_for<Body> apart;
    // sums[i] first holds the sum of part i, later that of all parts up to part i. It then scans
    // part i + 1.
    std::vector<std::unique_ptr<Body>> sums;
    for (std::size_t i = 0; i == 0 || i + 1 < n; ++i) {
      sums.push_back(std::make_unique<Body>(body, apart));
    }
    sums[0]->reverse_join(body);
    evencube::parallel_for(std::size_t{0}, sums.size(),
                           [&](std::size_t i) {
                             of.run([&] {
                               if (i == 0) {
                                 (*sums[0])(parts[0], final_scan_tag());
                               } else {
                                 (*sums[i])(parts[i], pre_scan_tag());
                               }
                             });
                           },
                           {.grain = 1});
    for (std::size_t i = 1; i < sums.size(); ++i) {
      of.run([&] { sums[i]->reverse_join(*sums[i - 1]); });
    }
    evencube::parallel_for(
        std::size_t{1}, n,
        [&](std::size_t i) { of.run([&] { (*sums[i - 1])(parts[i], final_scan_tag()); }); },
        {.grain = 1});
    of.run([&] { body.assign(*sums.back()); });
  });
}

/// Scans the range and returns the sum of all parts. scan(part, sum, is_final) returns the sum up
/// to the end of the part.
template <typename Range, typename Value, typename Scan, typename Combine,
          detail::partitioner P = auto_partitioner>
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan,
                    const Combine& combine, const P& by = {}) {
  detail::scan_body<Value, Range, Scan, Combine> body(identity, scan, combine);
  tbb::parallel_scan(range, body, by);
  return std::move(body.value);
}

}  // namespace evencube::tbb
