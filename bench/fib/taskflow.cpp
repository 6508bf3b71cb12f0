#include "../common/on_taskflow.hpp"
#include "config.hpp"

namespace {

std::uint64_t fib(tf::Executor& executor, unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  tf::TaskGroup group = executor.task_group();
  group.silent_async([&a, &executor, n] { a = fib(executor, n - 1); });
  const std::uint64_t b = fib(executor, n - 2);
  group.corun();
  return a + b;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::fib::about, bench::on_taskflow, argc, argv, [](auto& with) {
    tf::Executor executor(with.workers());
    return bench::fib::measure(with, [&](unsigned n) {
      return executor.async([&executor, n] { return fib(executor, n); }).get();
    });
  });
}
