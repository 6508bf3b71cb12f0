#include <oneapi/tbb/parallel_for.h>

#include "../common/on_tbb.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::phases::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::phases::measure(with, [&](std::size_t n, const auto& body) {
      threads.run([&] { tbb::parallel_for(std::size_t{0}, n, body); });
    });
  });
}
