#include <evencube/balanced_loop.hpp>
#include <evencube/task_graph.hpp>

#include <functional>
#include <memory>
#include <vector>

#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

using bench::metg::results;
using run = std::function<void()>;

// A node for each task, and an edge for each input.
run by_graph(evencube::runtime& rt, results& values) {
  auto graph = std::make_shared<evencube::task_graph>();
  const bench::metg::pattern& shape = values.of();
  std::vector<evencube::task_graph::node> nodes(shape.width() * shape.steps());
  for (std::size_t step = 0; step < shape.steps(); ++step) {
    for (std::size_t point = 0; point < shape.points(step); ++point) {
      const std::size_t task = shape.task(step, point);
      nodes[task] = graph->add([&values, task] { values.run(task); });
      for (const std::size_t* input = shape.inputs_begin(task); input != shape.inputs_end(task);
           ++input) {
        graph->precede(nodes[*input], nodes[task]);
      }
    }
  }
  return [&rt, graph] { graph->run(rt); };
}

// A sweep of a balanced loop for each step, or one sweep over all tasks if none needs another.
run by_phases(evencube::runtime& rt, results& values) {
  const bench::metg::pattern& shape = values.of();
  const std::size_t sweeps = shape.independent() ? 1 : shape.steps();
  const std::size_t items = shape.width() * (shape.independent() ? shape.steps() : 1);
  auto loop = std::make_shared<evencube::balanced_loop<std::size_t>>(rt, std::size_t{0}, items);
  return [&values, sweeps, loop] {
    const bench::metg::pattern& of = values.of();
    loop->repeat(sweeps, [&](std::size_t sweep, std::size_t item) {
      if (of.independent() || item < of.points(sweep)) values.run(of.task(sweep, item));
    });
  };
}

// A future for each task of a step; then the next step.
run by_futures(evencube::runtime& rt, results& values) {
  return [&rt, &values] {
    rt.run([&] {
      std::vector<evencube::future<void>> futures;
      bench::metg::for_each_part(values, [&](std::size_t count, const auto& body) {
        futures.reserve(count);
        for (std::size_t k = 0; k < count; ++k)
          futures.push_back(rt.async([&body, k] { body(k); }));
        for (evencube::future<void>& each : futures) each.get();
        futures.clear();
      });
    });
  };
}

}  // namespace

int main(int argc, char** argv) {
  bench::engine by = bench::on_evencube;
  by.settings.push_back(
      {"by", "graph", "graph", "what the tasks are", {"graph", "phases", "futures"}});
  return bench::main_of(bench::metg::about, by, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::metg::measure(with, [&](results& values) {
      if (with.word("by") == "graph") return by_graph(rt, values);
      return with.word("by") == "phases" ? by_phases(rt, values) : by_futures(rt, values);
    });
  });
}
