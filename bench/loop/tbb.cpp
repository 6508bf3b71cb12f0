#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>

#include "../common/on_tbb.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  bench::engine tbb_loops = bench::on_tbb;
  tbb_loops.settings.push_back(
      {"partitioner", "auto", "auto", "how the range is split", {"auto", "static", "simple"}});
  return bench::main_of(bench::loop::about, tbb_loops, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    const std::size_t grain = std::max<std::size_t>(with.number("grain"), 1);
    const std::string partitioner = with.word("partitioner");
    return bench::loop::measure(with, [&](std::uint64_t* cells, std::size_t n) {
      threads.run([&] {
        const tbb::blocked_range<std::size_t> range(0, n, grain);
        const auto body = [=](const tbb::blocked_range<std::size_t>& part) {
          for (std::size_t i = part.begin(); i < part.end(); ++i) cells[i] += bench::loop::term(i);
        };
        if (partitioner == "static") {
          tbb::parallel_for(range, body, tbb::static_partitioner{});
        } else if (partitioner == "simple") {
          tbb::parallel_for(range, body, tbb::simple_partitioner{});
        } else {
          tbb::parallel_for(range, body, tbb::auto_partitioner{});
        }
      });
    });
  });
}
