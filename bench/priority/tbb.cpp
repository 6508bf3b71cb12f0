#include "../common/on_tbb.hpp"
#include "config.hpp"

// Arenas have priorities, tasks have none: the last task goes to an arena of its own.
int main(int argc, char** argv) {
  return bench::main_of(bench::priority::about, bench::on_tbb, argc, argv, [](auto& with) {
    const auto workers = static_cast<int>(with.workers());
    // The calling thread, which only spawns, counts as one.
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    with.workers() + 1);
    tbb::task_arena normal(workers, 0);
    tbb::task_arena high(workers, 0, tbb::task_arena::priority::high);
    return bench::priority::measure(with, [&](bench::priority::burst& all) {
      for (std::uint64_t i = 0; i < all.load(); ++i) normal.enqueue([&all] { all.be_normal(); });
      tbb::task_arena& level = all.urgent() ? high : normal;
      all.begin_last();
      level.enqueue([&all] { all.be_last(); });
    });
  });
}
