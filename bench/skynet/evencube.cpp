#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t part = leaves / bench::skynet::fan_out;
  return bench::sum_in_parallel<std::uint64_t>(
      0, bench::skynet::fan_out, [=](std::size_t i) { return skynet(first + i * part, part); });
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::skynet::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::skynet::measure(
        with, [&](std::uint64_t leaves) { return rt.run([=] { return skynet(0, leaves); }); });
  });
}
