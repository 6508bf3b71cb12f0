#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::skewed::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::skewed::measure(with, [&](bench::skewed::tasks& all) {
      rt.run([&] {
        evencube::task_group group;
        for (std::size_t i = 0; i < all.size(); ++i) {
          group.spawn([&all, i] { all.run(i); }, {.home = 0});
        }
        group.wait();
      });
    });
  });
}
