#include <evencube/balanced_loop.hpp>
#include <evencube/parallel_for.hpp>

#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

/// All sweeps, as the setting says.
void run(evencube::runtime& rt, const std::string& by, bench::sweeps::line& line) {
  if (by == "parallel_for") {
    rt.run([&] {
      for (std::size_t s = 0; s < line.sweeps(); ++s) {
        evencube::parallel_for(std::size_t{0}, line.blocks(),
                               [&](std::size_t block) { line.step_block(s, block); });
      }
    });
    return;
  }
  evencube::balanced_loop loop(rt, std::size_t{0}, line.blocks());
  if (by == "repeat") {
    loop.repeat(line.sweeps(),
                [&](std::size_t sweep, std::size_t block) { line.step_block(sweep, block); });
    return;
  }
  rt.run([&] {
    for (std::size_t s = 0; s < line.sweeps(); ++s) {
      loop.run([&](std::size_t block) { line.step_block(s, block); });
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  bench::engine loops = bench::on_evencube;
  loops.settings.push_back({"by",
                            "run",
                            "run",
                            "balanced_loop's run or repeat, or a loop for each sweep",
                            {"run", "repeat", "parallel_for"}});
  return bench::main_of(bench::sweeps::about, loops, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::sweeps::measure(with, [&](auto& line) { run(rt, with.word("by"), line); });
  });
}
