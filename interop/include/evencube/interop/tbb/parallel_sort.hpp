#pragma once

#include <functional>
#include <iterator>

#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/parallel_sort.hpp>

namespace evencube::tbb {

template <typename Iterator, typename Compare = std::less<>>
  requires std::random_access_iterator<Iterator>
void parallel_sort(Iterator first, Iterator last, const Compare& compare = {}) {
  detail::inside([&] { evencube::parallel_sort(first, last, compare); });
}
template <typename Range, typename Compare = std::less<>>
  requires requires(Range& range) { std::begin(range); }
void parallel_sort(Range&& range, const Compare& compare = {}) {
  tbb::parallel_sort(std::begin(range), std::end(range), compare);
}

}  // namespace evencube::tbb
