#pragma once

#include "../sort/config.hpp"

namespace bench::parallel_sort {

/// The numbers of sort, by whatever each library calls its parallel sort.
inline const workload about{
    "parallel_sort", "element", {{"n", "10000000", "20000", "how many 32-bit numbers"}}};

using sort::element;

/// `run(first, last)` sorts.
template <typename Run>
int measure(program& with, const Run& run) {
  return sort::measure(
      with, [&](element* first, element* last, element* /*spare*/) { run(first, last); });
}

}  // namespace bench::parallel_sort
