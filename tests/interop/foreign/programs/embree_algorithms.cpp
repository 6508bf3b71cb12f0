// Calls the parallel algorithms that embree builds on its tasking system, and prints what they
// compute. For tests/interop/foreign_programs.py.

#include <common/algorithms/parallel_any_of.h>
#include <common/algorithms/parallel_filter.h>
#include <common/algorithms/parallel_for.h>
#include <common/algorithms/parallel_for_for.h>
#include <common/algorithms/parallel_for_for_prefix_sum.h>
#include <common/algorithms/parallel_map.h>
#include <common/algorithms/parallel_partition.h>
#include <common/algorithms/parallel_prefix_sum.h>
#include <common/algorithms/parallel_reduce.h>
#include <common/algorithms/parallel_set.h>
#include <common/algorithms/parallel_sort.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::size_t size = 1'000'000;

std::uint32_t mixed(std::size_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15U;
  x ^= x >> 29;
  return static_cast<std::uint32_t>(x * 0xbf58476d1ce4e5b9U >> 32);
}

std::uint64_t sum_of(const std::vector<std::uint32_t>& all) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) sum += (i + 1) * all[i];
  return sum;
}

void print(const char* what, std::uint64_t value) {
  std::printf("%s %llu\n", what, static_cast<unsigned long long>(value));
}

}  // namespace

int main() {
  using embree::range;
  embree::TaskScheduler::create(std::numeric_limits<std::size_t>::max(), false, true);

  std::vector<std::uint32_t> data(size);
  embree::parallel_for(std::size_t(0), size, std::size_t(1000), [&](const range<std::size_t>& r) {
    for (std::size_t i = r.begin(); i < r.end(); ++i) data[i] = mixed(i);
  });
  print("parallel_for", sum_of(data));

  print("parallel_reduce", embree::parallel_reduce(
                               std::size_t(0), size, std::size_t(1000), std::uint64_t(0),
                               [&](const range<std::size_t>& r) {
                                 std::uint64_t sum = 0;
                                 for (std::size_t i = r.begin(); i < r.end(); ++i) sum += data[i];
                                 return sum;
                               },
                               std::plus<std::uint64_t>()));

  std::vector<std::uint64_t> sums(size);
  print("parallel_prefix_sum", embree::parallel_prefix_sum(data, sums, size, std::uint64_t(0),
                                                           std::plus<std::uint64_t>()) +
                                   sums[size / 3]);

  std::vector<std::uint32_t> kept = data;
  const std::size_t even =
      embree::parallel_filter(kept.data(), std::size_t(0), size, std::size_t(1000),
                              [](std::uint32_t x) { return x % 2 == 0; });
  kept.resize(even);
  print("parallel_filter", sum_of(kept));

  std::vector<std::uint32_t> parts = data;
  print("parallel_partitioning",
        embree::parallel_partitioning(
            parts.data(), std::size_t(0), size, [](std::uint32_t x) { return x < 1U << 30; },
            std::size_t(1000)));

  std::vector<std::uint32_t> sorted = data;
  std::vector<std::uint32_t> spare(size);
  embree::radix_sort<std::uint32_t>(sorted.data(), spare.data(), size);
  print("radix_sort", sum_of(sorted));

  print("parallel_any_of", embree::parallel_any_of(std::size_t(0), size, [&](std::size_t i) {
          return data[i] == data[77];
        }));

  embree::parallel_set<std::uint32_t> set;
  set.init(data);
  print("parallel_set", static_cast<std::uint64_t>(set.lookup(data[5])));

  std::vector<std::vector<std::uint32_t>> lists;
  for (std::size_t i = 0; i < 1000; ++i)
    lists.emplace_back(data.begin() + i, data.begin() + i + i % 7);
  std::vector<std::vector<std::uint32_t>*> all;
  for (auto& list : lists) all.push_back(&list);
  std::atomic<std::uint64_t> nested{0};
  embree::parallel_for_for(
      all, [&](std::vector<std::uint32_t>* list, const range<std::size_t>& r, std::size_t k) {
        std::uint64_t sum = 0;
        for (std::size_t i = r.begin(); i < r.end(); ++i) sum += (*list)[i] + k + i;
        nested += sum;
        return std::size_t(0);
      });
  print("parallel_for_for", nested);

  try {
    embree::parallel_for(std::size_t(100), [](std::size_t i) {
      if (i == 50) throw std::runtime_error("fifty");
    });
  } catch (const std::runtime_error& problem) {
    std::printf("an exception: %s\n", problem.what());
  }
  embree::TaskScheduler::destroy();
}
