#include "../common/on_serial.hpp"
#include "config.hpp"

namespace {

std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t part = leaves / bench::skynet::fan_out;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < bench::skynet::fan_out; ++i) sum += skynet(first + i * part, part);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::skynet::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::skynet::measure(with, [](std::uint64_t leaves) { return skynet(0, leaves); });
  });
}
