#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <functional>
#include <optional>

#include "../common/on_tbb.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::start::about, bench::on_tbb, argc, argv, [](auto& with) {
    return bench::start::measure(with, [&](std::size_t n, std::size_t& sum) {
      std::optional<bench::tbb_threads> threads;
      return bench::timed([&] {
        threads.emplace(with);
        threads->run([&] {
          sum = tbb::parallel_reduce(
              tbb::blocked_range<std::size_t>(0, n), std::size_t{0},
              [](const auto& range, std::size_t part) {
                for (std::size_t i = range.begin(); i < range.end(); ++i) part += i;
                return part;
              },
              std::plus<>());
        });
      });
    });
  });
}
