#include <oneapi/tbb/parallel_sort.h>

#include "../common/on_tbb.hpp"
#include "config.hpp"

using bench::parallel_sort::element;

int main(int argc, char** argv) {
  return bench::main_of(bench::parallel_sort::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::parallel_sort::measure(with, [&](element* first, element* last) {
      threads.run([=] { tbb::parallel_sort(first, last); });
    });
  });
}
