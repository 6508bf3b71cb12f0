#include "../common/on_serial.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::metg::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::metg::measure(
        with, [](bench::metg::results& values) { return [&values] { values.run_all(); }; });
  });
}
