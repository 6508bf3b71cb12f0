#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

void spawn_all(evencube::task_group& group, std::uint64_t n, std::uint64_t batch) {
  bench::spawn::in_batches(n, batch, [&](std::uint64_t some) {
    for (std::uint64_t i = 0; i < some; ++i) group.spawn([] { bench::tally::count(); });
    group.wait();
  });
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::spawn::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::spawn::measure(
        with,
        [&](std::uint64_t n, std::uint64_t batch) {
          rt.run([=] {
            evencube::task_group group;
            spawn_all(group, n, batch);
          });
        },
        [&](std::uint64_t n, std::uint64_t batch) {
          evencube::task_group group{rt};
          spawn_all(group, n, batch);
        });
  });
}
