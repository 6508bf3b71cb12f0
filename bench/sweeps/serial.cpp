#include "../common/on_serial.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::sweeps::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::sweeps::measure(with, [](auto& line) {
      for (std::size_t s = 0; s < line.sweeps(); ++s) line.step(s, 0, line.cells());
    });
  });
}
