#include <oneapi/tbb/parallel_pipeline.h>

#include "../common/on_tbb.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::pipeline::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::pipeline::measure(with, [&](const bench::pipeline::shape& all) {
      std::uint64_t next = 0;
      std::uint64_t sum = 0;
      threads.run([&] {
        tbb::parallel_pipeline(
            all.tokens,
            tbb::make_filter<void, std::uint64_t>(tbb::filter_mode::serial_in_order,
                                                  [&](tbb::flow_control& control) {
                                                    if (next == all.items) {
                                                      control.stop();
                                                      return std::uint64_t{0};
                                                    }
                                                    return next++;
                                                  }) &
                tbb::make_filter<std::uint64_t, std::uint64_t>(
                    tbb::filter_mode::parallel,
                    [&](std::uint64_t item) { return bench::pipeline::work(item, all.rounds); }) &
                tbb::make_filter<std::uint64_t, void>(
                    tbb::filter_mode::serial_in_order,
                    [&](std::uint64_t item) { sum = bench::pipeline::add(sum, item); }));
      });
      return sum;
    });
  });
}
