#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::planner::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime_options options = bench::evencube_options(with);
    if (with.word("mode") == "thread") options.mode = evencube::balancer_mode::thread;
    evencube::runtime rt{options};
    return bench::planner::measure(
        with,
        [&](std::uint64_t per_worker, const auto& task) {
          rt.run([&] {
            evencube::task_group group;
            for (std::uint64_t i = 0; i < per_worker; ++i) {
              for (unsigned worker = 0; worker < with.workers(); ++worker) {
                group.spawn([&] { task(); }, {.home = worker});
              }
            }
            group.wait();
          });
        },
        // Without a thread of its own, planning is done by workers, who count their time.
        [&] {
          return bench::planner::cpu_seconds_of("evencube-plan")
              .value_or(rt.stats().balancing_seconds);
        });
  });
}
