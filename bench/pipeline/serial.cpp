#include "../common/on_serial.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::pipeline::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::pipeline::measure(with, [](const bench::pipeline::shape& all) {
      std::uint64_t sum = 0;
      for (std::uint64_t i = 0; i < all.items; ++i) {
        sum = bench::pipeline::add(sum, bench::pipeline::work(i, all.rounds));
      }
      return sum;
    });
  });
}
