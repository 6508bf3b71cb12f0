#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_group.h>

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "../common/on_tbb.hpp"
#include "config.hpp"

namespace {

using bench::metg::results;
using run = std::function<void()>;
using node = tbb::flow::continue_node<tbb::flow::continue_msg>;

struct flow {
  tbb::flow::graph graph;
  std::deque<node> nodes;
  std::vector<node*> of_task;
  std::vector<node*> first;  // those that need no other
};

// A node for each task, and an edge for each input.
run by_flow(bench::tbb_threads& threads, results& values) {
  std::shared_ptr<flow> made;
  threads.run([&] {
    made = std::make_shared<flow>();
    const bench::metg::pattern& shape = values.of();
    made->of_task.resize(shape.width() * shape.steps());
    for (std::size_t step = 0; step < shape.steps(); ++step) {
      for (std::size_t point = 0; point < shape.points(step); ++point) {
        const std::size_t task = shape.task(step, point);
        made->nodes.emplace_back(
            made->graph, [&values, task](const tbb::flow::continue_msg&) { values.run(task); });
        node& here = made->nodes.back();
        made->of_task[task] = &here;
        if (shape.inputs_begin(task) == shape.inputs_end(task)) made->first.push_back(&here);
        for (const std::size_t* input = shape.inputs_begin(task); input != shape.inputs_end(task);
             ++input) {
          tbb::flow::make_edge(*made->of_task[*input], here);
        }
      }
    }
  });
  return [&threads, made] {
    threads.run([&] {
      for (node* const each : made->first) each->try_put(tbb::flow::continue_msg());
      made->graph.wait_for_all();
    });
  };
}

// A loop for each step, or one over all tasks if none needs another.
run by_loop(bench::tbb_threads& threads, results& values) {
  return [&threads, &values] {
    threads.run([&] {
      bench::metg::for_each_part(values, [](std::size_t count, const auto& body) {
        tbb::parallel_for(std::size_t{0}, count, body, tbb::static_partitioner{});
      });
    });
  };
}

// A task of a group for each task of a step; then the next step.
run by_group(bench::tbb_threads& threads, results& values) {
  return [&threads, &values] {
    threads.run([&] {
      tbb::task_group group;
      bench::metg::for_each_part(values, [&](std::size_t count, const auto& body) {
        for (std::size_t k = 0; k < count; ++k) group.run([&body, k] { body(k); });
        group.wait();
      });
    });
  };
}

}  // namespace

int main(int argc, char** argv) {
  bench::engine by = bench::on_tbb;
  by.settings.push_back({"by", "flow", "flow", "what the tasks are", {"flow", "loop", "group"}});
  return bench::main_of(bench::metg::about, by, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::metg::measure(with, [&](results& values) {
      if (with.word("by") == "flow") return by_flow(threads, values);
      return with.word("by") == "loop" ? by_loop(threads, values) : by_group(threads, values);
    });
  });
}
