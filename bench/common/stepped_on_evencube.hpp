#pragma once

#include <evencube/balanced_loop.hpp>
#include <evencube/parallel_for_blocks.hpp>

#include <memory>

#include "on_evencube.hpp"
#include "stepped.hpp"

namespace bench {

template <typename Measure>
int stepped_on_evencube(const workload& about, int argc, char** argv, const Measure& measure) {
  engine loops = on_evencube;
  loops.settings.push_back(
      {"by", "balanced_loop", "balanced_loop", "which loop", {"balanced_loop", "parallel_for"}});
  return main_of(about, loops, argc, argv, [&](program& with) {
    evencube::runtime rt{evencube_options(with)};
    if (with.word("by") == "parallel_for") {
      const auto loop = [&](std::size_t n, const auto& body) {
        evencube::parallel_for_blocks(
            rt, std::size_t{0}, n, [&](std::size_t first, std::size_t last) { body(first, last); });
      };
      return measure(with, loop);
    }
    std::unique_ptr<evencube::balanced_loop<std::size_t>> kept;
    const auto loop = [&](std::size_t n, const auto& body) {
      if (kept == nullptr) {
        kept = std::make_unique<evencube::balanced_loop<std::size_t>>(rt, std::size_t{0}, n);
      }
      kept->run([&](std::size_t first, std::size_t last) { body(first, last); });
    };
    return measure(with, loop);
  });
}

}  // namespace bench
