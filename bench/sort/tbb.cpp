#include "../common/on_tbb.hpp"
#include "config.hpp"

using bench::sort::element;

int main(int argc, char** argv) {
  return bench::main_of(bench::sort::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::sort::measure(with, [&](element* first, element* last, element* spare) {
      threads.run([=] {
        bench::sort::merge_sort(first, last, spare, [](const auto& f, const auto& g) {
          tbb::task_group group;
          group.run(f);
          g();
          group.wait();
        });
      });
    });
  });
}
