#include "../common/on_serial.hpp"
#include "config.hpp"

using bench::bytes::pixel;

int main(int argc, char** argv) {
  return bench::main_of(bench::bytes::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::bytes::measure(with, [](const pixel* from, pixel* to, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) to[i] = bench::bytes::lighter(from[i]);
    });
  });
}
