#include <evencube/parallel_pipeline.hpp>
#include <optional>

#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::pipeline::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::pipeline::measure(with, [&](const bench::pipeline::shape& all) {
      std::uint64_t next = 0;
      std::uint64_t sum = 0;
      evencube::parallel_pipeline(
          rt, all.tokens,
          [&]() -> std::optional<std::uint64_t> {
            if (next == all.items) return std::nullopt;
            return next++;
          },
          evencube::parallel_stage(
              [&](std::uint64_t item) { return bench::pipeline::work(item, all.rounds); }),
          evencube::serial_in_order(
              [&](std::uint64_t item) { sum = bench::pipeline::add(sum, item); }));
      return sum;
    });
  });
}
