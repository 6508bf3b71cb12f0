#include "../common/on_taskflow.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::phases::about, bench::on_taskflow, argc, argv, [](auto& with) {
    tf::Executor executor(with.workers());
    return bench::phases::measure(with, [&](std::size_t n, const auto& body) {
      tf::Taskflow loop;
      loop.for_each_index(std::size_t{0}, n, std::size_t{1}, [&](std::size_t i) { body(i); });
      executor.run(loop).wait();
    });
  });
}
