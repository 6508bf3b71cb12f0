#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t part = leaves / bench::skynet::fan_out;
  return bench::sum_in_parallel<std::uint64_t>(
      0, bench::skynet::fan_out, [=](std::size_t i) { return skynet(first + i * part, part); });
}

std::uint64_t looped_skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t part = leaves / bench::skynet::fan_out;
  std::array<std::uint64_t, bench::skynet::fan_out> sums{};
  evencube::parallel_for(std::size_t{0}, sums.size(),
                         [&](std::size_t i) { sums[i] = looped_skynet(first + i * part, part); });
  std::uint64_t sum = 0;
  for (const std::uint64_t each : sums) sum += each;
  return sum;
}

bench::engine with_choice() {
  bench::engine made = bench::on_evencube;
  made.settings.push_back({"by",
                           "reduce",
                           "reduce",
                           "what a node is: a parallel_reduce or a parallel_for over its children",
                           {"reduce", "for"}});
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::engine engine = with_choice();
  return bench::main_of(bench::skynet::about, engine, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    const bool loops = with.word("by") == "for";
    return bench::skynet::measure(with, [&](std::uint64_t leaves) {
      return rt.run([=] { return loops ? looped_skynet(0, leaves) : skynet(0, leaves); });
    });
  });
}
