#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include "on_tbb.hpp"
#include "stepped.hpp"

namespace bench {

template <typename Measure>
int stepped_on_tbb(const workload& about, int argc, char** argv, const Measure& measure) {
  engine loops = on_tbb;
  loops.settings.push_back(
      {"partitioner", "auto", "auto", "how the range is split", {"auto", "static", "affinity"}});
  return main_of(about, loops, argc, argv, [&](program& with) {
    tbb_threads threads{with};
    tbb::affinity_partitioner affinity;  // remembers who did what
    const std::string partitioner = with.word("partitioner");
    const auto loop = [&](std::size_t n, const auto& body) {
      threads.run([&] {
        const tbb::blocked_range<std::size_t> range(0, n);
        const auto part = [&](const tbb::blocked_range<std::size_t>& r) {
          body(r.begin(), r.end());
        };
        if (partitioner == "static") {
          tbb::parallel_for(range, part, tbb::static_partitioner{});
        } else if (partitioner == "affinity") {
          tbb::parallel_for(range, part, affinity);
        } else {
          tbb::parallel_for(range, part, tbb::auto_partitioner{});
        }
      });
    };
    return measure(with, loop);
  });
}

}  // namespace bench
