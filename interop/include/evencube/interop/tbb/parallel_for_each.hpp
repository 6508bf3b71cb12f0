#pragma once

#include <iterator>

#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/parallel_for_each.hpp>

namespace evencube::tbb {

template <typename Item>
using feeder = evencube::feeder<Item>;

template <typename Iterator, typename Body>
  requires std::input_iterator<Iterator>
void parallel_for_each(Iterator first, Iterator last, const Body& body) {
  detail::inside([&] { evencube::parallel_for_each(first, last, body); });
}
template <typename Range, typename Body>
  requires requires(Range& range) { std::begin(range); }
void parallel_for_each(Range&& range, const Body& body) {
  tbb::parallel_for_each(std::begin(range), std::end(range), body);
}

}  // namespace evencube::tbb
