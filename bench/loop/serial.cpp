#include "../common/on_serial.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::loop::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::loop::measure(with, [](std::uint64_t* cells, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) cells[i] += bench::loop::term(i);
    });
  });
}
