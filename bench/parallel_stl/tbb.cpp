#include <execution>

#include "../common/on_tbb.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::parallel_stl::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::parallel_stl::measure<std::execution::parallel_policy>(
        with, [&](const auto& call) { threads.run(call); });
  });
}
