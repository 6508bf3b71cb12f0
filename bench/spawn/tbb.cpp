#include "../common/on_tbb.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::spawn::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::spawn::measure(
        with,
        [&](std::uint64_t n, std::uint64_t batch) {
          threads.run([=] {
            tbb::task_group group;
            bench::spawn::in_batches(n, batch, [&](std::uint64_t some) {
              for (std::uint64_t i = 0; i < some; ++i) group.run([] { bench::tally::count(); });
              group.wait();
            });
          });
        },
        [&](std::uint64_t n, std::uint64_t batch) {
          tbb::task_group group;
          bench::spawn::in_batches(n, batch, [&](std::uint64_t some) {
            for (std::uint64_t i = 0; i < some; ++i) {
              threads.arena().enqueue(group.defer([] { bench::tally::count(); }));
            }
            threads.run([&] { group.wait(); });
          });
        });
  });
}
