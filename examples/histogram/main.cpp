// Counting without locks: every worker has a histogram of its own, and they are added in the end.
#include <array>
#include <cstdint>
#include <cstdio>
#include <evencube/algorithms.hpp>
#include <numeric>

using histogram = std::array<std::uint64_t, 16>;

int main() {
  constexpr std::uint32_t draws = 10'000'000;
  evencube::runtime rt;
  evencube::worker_local<histogram> counts(rt);  // all begin with zeros
  evencube::parallel_for_blocks(rt, 0U, draws, [&](std::uint32_t first, std::uint32_t last) {
    // The block neither forks nor waits, so it stays on one worker and is there alone.
    histogram& mine = counts.local();
    for (std::uint32_t i = first; i < last; ++i) ++mine[i * 2'654'435'769U >> 28U];
  });
  const histogram all = counts.combine([](histogram sum, const histogram& one) {
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += one[k];
    return sum;
  });
  for (const std::uint64_t count : all)
    std::printf("%8llu\n", static_cast<unsigned long long>(count));
  const auto sum = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  return sum == draws ? 0 : 1;
}
