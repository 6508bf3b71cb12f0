// After https://github.com/taskflow/taskflow/issues/756: tasks wait for one another in a chain. The
// waits begin before what they wait for, which is queued behind them.
#include <cstddef>
#include <evencube/evencube.hpp>
#include <vector>

#include "exhibits.hpp"

void condition_of_a_queued_task() {
  evencube::runtime rt({.workers = 2});
  constexpr int links = 6;
  rt.run([&] {
    std::vector<evencube::future<int>> chain(links);
    // Each task waits for the one before it. A worker begins its newest task, so it begins with the
    // end of the chain.
    for (int k = 0; k < links; ++k) {
      const auto link = static_cast<std::size_t>(k);
      chain[link] = rt.async([&chain, link] { return link == 0 ? 0 : 1 + chain[link - 1].get(); });
    }
    static_cast<void>(chain.back().get());
  });
}
