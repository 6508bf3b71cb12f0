#include "../common/on_serial.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::phases::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::phases::measure(with, [](std::size_t n, const auto& body) {
      for (std::size_t i = 0; i < n; ++i) body(i);
    });
  });
}
