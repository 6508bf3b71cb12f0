#include "../common/on_openmp.hpp"
#include "config.hpp"

namespace {

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t part = leaves / bench::skynet::fan_out;
  std::array<std::uint64_t, bench::skynet::fan_out> sums{};
  for (std::uint64_t i = 1; i < bench::skynet::fan_out; ++i) {
#pragma omp task shared(sums) firstprivate(i, first, part)
    sums[i] = skynet(first + i * part, part);
  }
  sums[0] = skynet(first, part);
#pragma omp taskwait
  std::uint64_t sum = 0;
  for (const std::uint64_t each : sums) sum += each;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::skynet::about, bench::on_openmp, argc, argv, [](auto& with) {
    return bench::skynet::measure(with, [&](std::uint64_t leaves) {
      std::uint64_t sum = 0;
      bench::run_on_openmp(with, [&] { sum = skynet(0, leaves); });
      return sum;
    });
  });
}
