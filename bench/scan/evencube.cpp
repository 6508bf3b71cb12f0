#include <evencube/parallel_scan.hpp>
#include <functional>

#include "../common/on_evencube.hpp"
#include "config.hpp"

using bench::scan::element;

int main(int argc, char** argv) {
  return bench::main_of(bench::scan::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::scan::measure(with, [&](const element* first, const element* last, element* out) {
      evencube::parallel_inclusive_scan(rt, first, last, out, std::plus<>{});
    });
  });
}
