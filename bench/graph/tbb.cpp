#include <oneapi/tbb/flow_graph.h>

#include <deque>
#include <memory>

#include "../common/on_tbb.hpp"
#include "config.hpp"

namespace {

using node = tbb::flow::continue_node<tbb::flow::continue_msg>;

struct flow {
  tbb::flow::graph graph;
  std::deque<node> nodes;  // row by row
};

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::graph::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::graph::measure(with, [&](bench::graph::cells& square) {
      std::unique_ptr<flow> made;
      threads.run([&] {
        made = std::make_unique<flow>();
        const std::size_t side = square.side();
        for (std::size_t row = 1; row <= side; ++row) {
          for (std::size_t column = 1; column <= side; ++column) {
            const std::size_t number = made->nodes.size();
            made->nodes.emplace_back(made->graph,
                                     [&square, row, column](const tbb::flow::continue_msg&) {
                                       square.compute(row, column);
                                     });
            node& here = made->nodes.back();
            if (row > 1) tbb::flow::make_edge(made->nodes[number - side], here);
            if (column > 1) tbb::flow::make_edge(made->nodes[number - 1], here);
          }
        }
      });
      return [&threads, all = std::move(made)] {
        threads.run([&] {
          all->nodes.front().try_put(tbb::flow::continue_msg());
          all->graph.wait_for_all();
        });
      };
    });
  });
}
