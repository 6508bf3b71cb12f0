#include <algorithm>
#include "../common/on_serial.hpp"
#include "config.hpp"

using bench::parallel_sort::element;

int main(int argc, char** argv) {
  return bench::main_of(bench::parallel_sort::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::parallel_sort::measure(
        with, [](element* first, element* last) { std::sort(first, last); });
  });
}
