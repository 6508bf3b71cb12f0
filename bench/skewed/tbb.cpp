#include "../common/on_tbb.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::skewed::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::skewed::measure(with, [&](bench::skewed::tasks& all) {
      threads.run([&] {
        tbb::task_group group;
        for (std::size_t i = 0; i < all.size(); ++i) {
          group.run([&all, i] { all.run(i); });
        }
        group.wait();
      });
    });
  });
}
