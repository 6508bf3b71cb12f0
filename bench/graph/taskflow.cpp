#include <memory>
#include <vector>

#include "../common/on_taskflow.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::graph::about, bench::on_taskflow, argc, argv, [](auto& with) {
    tf::Executor executor(with.workers());
    return bench::graph::measure(with, [&](bench::graph::cells& square) {
      auto graph = std::make_shared<tf::Taskflow>();
      const std::size_t side = square.side();
      std::vector<tf::Task> above(side + 1);
      for (std::size_t row = 1; row <= side; ++row) {
        for (std::size_t column = 1; column <= side; ++column) {
          tf::Task here = graph->emplace([&square, row, column] { square.compute(row, column); });
          if (row > 1) above[column].precede(here);
          if (column > 1) above[column - 1].precede(here);
          above[column] = here;
        }
      }
      return [&executor, graph] { executor.run(*graph).wait(); };
    });
  });
}
