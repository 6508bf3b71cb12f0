#include <algorithm>
#include "../common/on_serial.hpp"
#include "config.hpp"

using bench::sort::element;

int main(int argc, char** argv) {
  bench::engine serial = bench::on_serial;
  serial.settings = {{"algorithm", "merge", "merge", "", {"merge", "std"}}};
  return bench::main_of(bench::sort::about, serial, argc, argv, [](auto& with) {
    if (with.word("algorithm") == "std") {
      return bench::sort::measure(
          with, [](element* first, element* last, element*) { std::sort(first, last); });
    }
    return bench::sort::measure(with, [](element* first, element* last, element* spare) {
      bench::sort::merge_sort(first, last, spare, [](const auto& f, const auto& g) {
        f();
        g();
      });
    });
  });
}
