#include "../common/on_serial.hpp"
#include "config.hpp"

using bench::scan::element;

int main(int argc, char** argv) {
  return bench::main_of(bench::scan::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::scan::measure(with, [](const element* first, const element* last, element* out) {
      std::inclusive_scan(first, last, out);
    });
  });
}
