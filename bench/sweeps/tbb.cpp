#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include "../common/on_tbb.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::sweeps::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::sweeps::measure(with, [&](auto& line) {
      threads.run([&] {
        tbb::affinity_partitioner same;
        for (std::size_t s = 0; s < line.sweeps(); ++s) {
          tbb::parallel_for(
              tbb::blocked_range<std::size_t>(0, line.blocks()),
              [&](const auto& blocks) {
                for (auto b = blocks.begin(); b != blocks.end(); ++b) line.step_block(s, b);
              },
              same);
        }
      });
    });
  });
}
