#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::priority::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::priority::measure(with, [&](bench::priority::burst& all) {
      evencube::task_group group{rt};
      for (std::uint64_t i = 0; i < all.load(); ++i) group.spawn([&all] { all.be_normal(); });
      const auto level = all.urgent() ? evencube::priority::high : evencube::priority::normal;
      all.begin_last();
      group.spawn([&all] { all.be_last(); }, {.priority = level});
      group.wait();
    });
  });
}
