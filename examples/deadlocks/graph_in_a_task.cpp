// After https://github.com/taskflow/taskflow/issues/435 and
// https://github.com/dealii/dealii/pull/19077: the nodes of a graph run a second graph on the same
// workers and wait for it.
#include <atomic>
#include <evencube/evencube.hpp>
#include <evencube/task_graph.hpp>

#include "exhibits.hpp"

void graph_in_a_task() {
  evencube::runtime rt({.workers = 2});
  std::atomic<int> visits{0};
  evencube::task_graph outer;
  for (int k = 0; k < 4; ++k) {
    outer.add([&] {
      evencube::task_graph inner;
      const auto first = inner.add([&] { ++visits; });
      const auto second = inner.add([&] { ++visits; });
      inner.precede(first, second);
      inner.run(rt);
    });
  }
  outer.run(rt);
}
