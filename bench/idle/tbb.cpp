#include "../common/on_tbb.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::idle::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::idle::measure(with, [&](const auto& task) {
      threads.run([&] {
        tbb::task_group group;
        for (unsigned i = 0; i < 64; ++i) group.run([&] { task(); });
        group.wait();
      });
    });
  });
}
