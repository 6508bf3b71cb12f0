#include <execution>

#include <evencube/interop/tbb/global_control.hpp>

#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::parallel_stl::about, bench::on_evencube, argc, argv, [](auto& with) {
    // The algorithms run on the default runtime, for calls from outside as for those of its tasks.
    const evencube::tbb::global_control limit(
        evencube::tbb::global_control::max_allowed_parallelism, with.workers());
    return bench::parallel_stl::measure<std::execution::parallel_policy>(
        with, [](const auto& call) { call(); });
  });
}
