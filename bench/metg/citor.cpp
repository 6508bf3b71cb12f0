#include "../common/on_citor.hpp"
#include "config.hpp"

// A phase for each step, or one phase over all tasks if none needs another.
int main(int argc, char** argv) {
  return bench::main_of(bench::metg::about, bench::on_citor, argc, argv, [](auto& with) {
    citor::ThreadPool pool(with.workers());
    return bench::metg::measure(with, [&](bench::metg::results& values) {
      return [&] {
        const bench::metg::pattern& shape = values.of();
        const std::size_t phases = shape.independent() ? 1 : shape.steps();
        const std::size_t items = shape.width() * (shape.independent() ? shape.steps() : 1);
        pool.runPlex<citor::HintsDefaults>(
            phases, items,
            [&](std::size_t step, std::uint32_t /*slot*/, std::size_t first, std::size_t last) {
              for (std::size_t k = first; k < last; ++k) {
                if (shape.independent() || k < shape.points(step)) values.run(shape.task(step, k));
              }
            });
      };
    });
  });
}
