#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::idle::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::idle::measure(with, [&](const auto& task) {
      evencube::task_group group{rt};
      for (unsigned i = 0; i < 64; ++i) group.spawn([&] { task(); });
      group.wait();
    });
  });
}
