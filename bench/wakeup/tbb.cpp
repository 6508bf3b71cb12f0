#include "../common/on_tbb.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::wakeup::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::wakeup::measure(with, [&](bench::wakeup::meeting& all) {
      threads.run([&] {
        tbb::task_group group;
        for (unsigned i = 0; i < with.workers(); ++i) group.run([&] { all.attend(); });
        group.wait();
      });
    });
  });
}
