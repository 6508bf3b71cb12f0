#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "../common/on_tbb.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  bench::engine tbb_loops = bench::on_tbb;
  tbb_loops.settings.push_back(
      {"partitioner", "simple", "simple", "how the range is split", {"auto", "simple"}});
  return bench::main_of(bench::neighbour::about, tbb_loops, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    const bool simple = with.word("partitioner") == "simple";
    return bench::neighbour::measure(with, [&](std::size_t n, std::size_t grain, const auto& body) {
      threads.run([&] {
        const tbb::blocked_range<std::size_t> range(0, n, grain);
        const auto chunk = [&](const tbb::blocked_range<std::size_t>& part) {
          for (std::size_t i = part.begin(); i < part.end(); ++i) body(i);
        };
        if (simple) {
          tbb::parallel_for(range, chunk, tbb::simple_partitioner{});
        } else {
          tbb::parallel_for(range, chunk, tbb::auto_partitioner{});
        }
      });
    });
  });
}
