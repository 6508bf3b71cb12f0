#include "../common/on_serial.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::enumeration::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::enumeration::measure(with, [](std::size_t parts, const auto& body) {
      for (std::size_t i = 0; i < parts; ++i) body(i);
    });
  });
}
