#include "../common/on_tbb.hpp"
#include "config.hpp"

namespace {

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t part = leaves / bench::skynet::fan_out;
  std::array<std::uint64_t, bench::skynet::fan_out> sums{};
  tbb::task_group group;
  for (std::uint64_t i = 1; i < bench::skynet::fan_out; ++i) {
    group.run([&sums, i, first, part] { sums[i] = skynet(first + i * part, part); });
  }
  sums[0] = skynet(first, part);
  group.wait();
  std::uint64_t sum = 0;
  for (const std::uint64_t each : sums) sum += each;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::skynet::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::skynet::measure(with, [&](std::uint64_t leaves) {
      std::uint64_t sum = 0;
      threads.run([&] { sum = skynet(0, leaves); });
      return sum;
    });
  });
}
