#include <memory>
#include <vector>

#include "../common/on_taskflow.hpp"
#include "config.hpp"

// A node for each task, and an edge for each input.
int main(int argc, char** argv) {
  return bench::main_of(bench::metg::about, bench::on_taskflow, argc, argv, [](auto& with) {
    tf::Executor executor(with.workers());
    return bench::metg::measure(with, [&](bench::metg::results& values) {
      auto graph = std::make_shared<tf::Taskflow>();
      const bench::metg::pattern& shape = values.of();
      std::vector<tf::Task> nodes(shape.width() * shape.steps());
      for (std::size_t step = 0; step < shape.steps(); ++step) {
        for (std::size_t point = 0; point < shape.points(step); ++point) {
          const std::size_t task = shape.task(step, point);
          nodes[task] = graph->emplace([&values, task] { values.run(task); });
          for (const std::size_t* input = shape.inputs_begin(task); input != shape.inputs_end(task);
               ++input) {
            nodes[*input].precede(nodes[task]);
          }
        }
      }
      return [&executor, graph] { executor.run(*graph).wait(); };
    });
  });
}
