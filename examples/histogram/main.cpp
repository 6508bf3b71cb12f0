// Counting without locks: every worker has a histogram of its own, and they are added in the end.
#include <array>
#include <cstdint>
#include <cstdio>
#include <evencube/algorithms.hpp>
#include <numeric>
#include <vector>

/// On cache lines of its own, so that workers do not disturb each other.
struct alignas(64) histogram {
  std::array<std::uint64_t, 16> counts{};
};

int main() {
  constexpr std::uint32_t draws = 10'000'000;
  evencube::runtime rt;
  std::vector<histogram> of_worker(rt.workers());
  evencube::parallel_for(rt, 0U, draws, [&](std::uint32_t first, std::uint32_t last) {
    // The block neither forks nor waits, so it stays on one worker and is there alone.
    histogram& mine = of_worker[evencube::this_worker()];
    for (std::uint32_t i = first; i < last; ++i) ++mine.counts[i * 2'654'435'769U >> 28U];
  });
  histogram all;
  for (const histogram& one : of_worker) {
    for (std::size_t k = 0; k < all.counts.size(); ++k) all.counts[k] += one.counts[k];
  }
  for (const std::uint64_t count : all.counts) {
    std::printf("%8llu\n", static_cast<unsigned long long>(count));
  }
  const auto sum = std::accumulate(all.counts.begin(), all.counts.end(), std::uint64_t{0});
  return sum == draws ? 0 : 1;
}
