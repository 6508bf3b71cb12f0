#include <execution>

#include "../common/on_serial.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::parallel_stl::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::parallel_stl::measure<std::execution::sequenced_policy>(
        with, [](const auto& call) { call(); });
  });
}
