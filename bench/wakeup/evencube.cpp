#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::wakeup::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::wakeup::measure(with, [&](bench::wakeup::meeting& all) {
      rt.run([&] {
        evencube::task_group group;
        for (unsigned i = 0; i < with.workers(); ++i) group.spawn([&] { all.attend(); });
        group.wait();
      });
    });
  });
}
