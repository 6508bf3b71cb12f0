#include <evencube/task_graph.hpp>
#include <memory>
#include <vector>

#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::graph::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::graph::measure(with, [&](bench::graph::cells& square) {
      auto graph = std::make_unique<evencube::task_graph>();
      const std::size_t side = square.side();
      std::vector<evencube::task_graph::node> above(side + 1);
      for (std::size_t row = 1; row <= side; ++row) {
        for (std::size_t column = 1; column <= side; ++column) {
          const auto here = graph->add([&square, row, column] { square.compute(row, column); });
          if (row > 1) graph->precede(above[column], here);
          if (column > 1) graph->precede(above[column - 1], here);
          above[column] = here;
        }
      }
      return [&rt, made = std::move(graph)] { made->run(rt); };
    });
  });
}
