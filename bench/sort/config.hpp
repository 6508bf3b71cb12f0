#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../common/program.hpp"

namespace bench::sort {

inline const workload about{
    "sort", "element", {{"n", "10000000", "20000", "how many 32-bit numbers"}}};

using element = std::uint32_t;

/// Below this many, a sort or a merge is done by the standard library's.
inline constexpr std::ptrdiff_t leaf = 2048;

/// Merges [a, a_end) and [b, b_end) to `out`: the middle of the longer one splits both. `Fork` is a
/// function object; fork(f, g) runs f() and g(), perhaps at the same time.
template <typename Fork>
void merge(const element* a, const element* a_end, const element* b, const element* b_end,
           element* out, const Fork& fork) {
  if (a_end - a < b_end - b) {
    std::swap(a, b);
    std::swap(a_end, b_end);
  }
  if ((a_end - a) + (b_end - b) <= leaf) {
    std::merge(a, a_end, b, b_end, out);
    return;
  }
  const element* const a_middle = a + (a_end - a) / 2;
  const element* const b_middle = std::lower_bound(b, b_end, *a_middle);
  element* const out_middle = out + (a_middle - a) + (b_middle - b);
  fork([=, &fork] { merge(a, a_middle, b, b_middle, out, fork); },
       [=, &fork] { merge(a_middle, a_end, b_middle, b_end, out_middle, fork); });
}

/// Sorts [first, last): quarters, then pairs of quarters into `spare`, then those two back.
template <typename Fork>
void merge_sort(element* first, element* last, element* spare, const Fork& fork) {
  const std::ptrdiff_t count = last - first;
  if (count <= leaf) {
    std::sort(first, last);
    return;
  }
  const std::ptrdiff_t quarter = count / 4;
  element* const second = first + quarter;
  element* const third = second + quarter;
  element* const fourth = third + quarter;
  element* const middle = spare + 2 * quarter;
  fork(
      [=, &fork] {
        fork([=, &fork] { merge_sort(first, second, spare, fork); },
             [=, &fork] { merge_sort(second, third, spare + quarter, fork); });
      },
      [=, &fork] {
        fork([=, &fork] { merge_sort(third, fourth, middle, fork); },
             [=, &fork] { merge_sort(fourth, last, middle + quarter, fork); });
      });
  fork([=, &fork] { merge(first, second, second, third, spare, fork); },
       [=, &fork] { merge(third, fourth, fourth, last, middle, fork); });
  merge(spare, middle, middle, spare + count, first, fork);
}

inline std::vector<element> some_numbers(std::size_t n) {
  std::vector<element> numbers(n);
  std::uint64_t state = 1;
  for (element& number : numbers) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    number = static_cast<element>(state >> 32U);
  }
  return numbers;
}

/// `run(first, last, spare)` sorts with merge_sort.
template <typename Run>
int measure(program& with, const Run& run) {
  const std::vector<element> unsorted = some_numbers(with.number("n"));
  std::vector<element> right = unsorted;
  std::sort(right.begin(), right.end());
  std::vector<element> numbers(unsorted.size());
  std::vector<element> spare(unsorted.size());
  return with.measure({
      .units = static_cast<double>(unsorted.size()),
      .prepare = [&] { numbers = unsorted; },
      .run =
          [&] {
            return timed(
                [&] { run(numbers.data(), numbers.data() + numbers.size(), spare.data()); });
          },
      .verify = [&] { return numbers == right ? "" : std::string("not sorted"); },
  });
}

}  // namespace bench::sort
