#include "../common/on_tbb.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::spawn::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::spawn::measure(
        with,
        [&](std::uint64_t n) {
          threads.run([=] {
            tbb::task_group group;
            for (std::uint64_t i = 0; i < n; ++i) group.run([] { bench::tally::count(); });
            group.wait();
          });
        },
        [&](std::uint64_t n) {
          tbb::task_group group;
          for (std::uint64_t i = 0; i < n; ++i) {
            threads.arena().enqueue(group.defer([] { bench::tally::count(); }));
          }
          threads.run([&] { group.wait(); });
        });
  });
}
