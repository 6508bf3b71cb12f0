#include <functional>

#include "../common/on_openmp.hpp"
#include "config.hpp"

namespace {

using bench::metg::results;
using run = std::function<void()>;

// A task of OpenMP with the inputs of a task as its dependences. OpenMP cannot keep tasks: each run
// makes them again.
void spawn(results& values, std::size_t task) {
  const std::size_t* const inputs = values.of().inputs_begin(task);
  [[maybe_unused]] std::uint64_t& here = values.at(task);
  const auto input = [&](std::size_t k) -> std::uint64_t& { return values.at(inputs[k]); };
  switch (values.of().inputs_end(task) - inputs) {
    case 0: {
      if (values.of().independent()) {
#pragma omp task firstprivate(task) shared(values)
        values.run(task);
        break;
      }
#pragma omp task firstprivate(task) shared(values) depend(out : here)
      values.run(task);
      break;
    }
    case 1: {
      [[maybe_unused]] std::uint64_t& a = input(0);
#pragma omp task firstprivate(task) shared(values) depend(in : a) depend(out : here)
      values.run(task);
      break;
    }
    case 2: {
      [[maybe_unused]] std::uint64_t& a = input(0);
      [[maybe_unused]] std::uint64_t& b = input(1);
#pragma omp task firstprivate(task) shared(values) depend(in : a, b) depend(out : here)
      values.run(task);
      break;
    }
    default: {
      [[maybe_unused]] std::uint64_t& a = input(0);
      [[maybe_unused]] std::uint64_t& b = input(1);
      [[maybe_unused]] std::uint64_t& c = input(2);
#pragma omp task firstprivate(task) shared(values) depend(in : a, b, c) depend(out : here)
      values.run(task);
      break;
    }
  }
}

run by_depend(const bench::program& with, results& values) {
  return [&with, &values] {
    bench::run_on_openmp(with, [&values] {
      const bench::metg::pattern& shape = values.of();
      for (std::size_t step = 0; step < shape.steps(); ++step) {
        for (std::size_t point = 0; point < shape.points(step); ++point) {
          spawn(values, shape.task(step, point));
        }
      }
    });
  };
}

// One parallel region, with a loop and its barrier for each step.
run by_loop(const bench::program& with, results& values) {
  return [&with, &values] {
    const int threads = static_cast<int>(with.workers());
#pragma omp parallel num_threads(threads)
    bench::metg::for_each_part(values, [](std::size_t count, const auto& body) {
#pragma omp for schedule(static)
      for (std::size_t k = 0; k < count; ++k) body(k);
    });
  };
}

}  // namespace

int main(int argc, char** argv) {
  bench::engine by = bench::on_openmp;
  by.settings.push_back({"by", "depend", "depend", "what the tasks are", {"depend", "loop"}});
  return bench::main_of(bench::metg::about, by, argc, argv, [](auto& with) {
    return bench::metg::measure(with, [&](results& values) {
      return with.word("by") == "depend" ? by_depend(with, values) : by_loop(with, values);
    });
  });
}
