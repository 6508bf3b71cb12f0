#include <evencube/parallel_sort.hpp>

#include "../common/on_evencube.hpp"
#include "config.hpp"

using bench::parallel_sort::element;

int main(int argc, char** argv) {
  return bench::main_of(
      bench::parallel_sort::about, bench::on_evencube, argc, argv, [](auto& with) {
        evencube::runtime rt{bench::evencube_options(with)};
        return bench::parallel_sort::measure(with, [&](element* first, element* last) {
          rt.run([=] { evencube::parallel_sort(first, last); });
        });
      });
}
