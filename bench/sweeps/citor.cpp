#include <citor/chain.h>

#include "../common/on_citor.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::sweeps::about, bench::on_citor, argc, argv, [](auto& with) {
    citor::ThreadPool pool(with.workers());
    return bench::sweeps::measure(with, [&](auto& line) {
      pool.runPlex<citor::HintsDefaults>(line.sweeps(), line.cells(),
                                         [&](std::size_t sweep, std::uint32_t, std::size_t first,
                                             std::size_t last) { line.step(sweep, first, last); });
    });
  });
}
