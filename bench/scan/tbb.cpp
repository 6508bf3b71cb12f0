#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_scan.h>

#include "../common/on_tbb.hpp"
#include "config.hpp"

using bench::scan::element;

int main(int argc, char** argv) {
  return bench::main_of(bench::scan::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::scan::measure(with, [&](const element* first, const element* last, element* out) {
      threads.run([=] {
        tbb::parallel_scan(
            tbb::blocked_range<const element*>(first, last), element{0},
            [=](const auto& range, element sum, bool is_final) {
              for (const element& number : range) {
                sum += number;
                if (is_final) out[&number - first] = sum;
              }
              return sum;
            },
            [](element a, element b) { return a + b; });
      });
    });
  });
}
