#include <chrono>
#include <functional>
#include <optional>

#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::start::about, bench::on_evencube, argc, argv, [](auto& with) {
    return bench::start::measure(with, [&](std::size_t n, std::size_t& sum) {
      std::optional<evencube::runtime> rt;
      return bench::timed([&] {
        rt.emplace(bench::evencube_options(with));
        rt->run([&] {
          sum = bench::sum_in_parallel<std::size_t>(0, n, [](std::size_t i) { return i; });
        });
      });
    });
  });
}
