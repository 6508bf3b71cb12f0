#include "../common/on_citor.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::phases::about, bench::on_citor, argc, argv, [](auto& with) {
    citor::ThreadPool pool(with.workers());
    return bench::phases::measure(with, [&](std::size_t n, const auto& body) {
      pool.parallelFor<citor::DynamicHints>(std::size_t{0}, n,
                                            [&](std::size_t first, std::size_t last) {
                                              for (std::size_t i = first; i < last; ++i) body(i);
                                            });
    });
  });
}
