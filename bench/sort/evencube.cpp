#include "../common/on_evencube.hpp"
#include "config.hpp"

using bench::sort::element;

int main(int argc, char** argv) {
  return bench::main_of(bench::sort::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::sort::measure(with, [&](element* first, element* last, element* spare) {
      rt.run([=] {
        bench::sort::merge_sort(first, last, spare,
                                [](const auto& f, const auto& g) { evencube::fork_join(f, g); });
      });
    });
  });
}
