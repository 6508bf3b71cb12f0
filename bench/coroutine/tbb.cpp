#include "../common/on_tbb.hpp"
#include "config.hpp"

namespace {

std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  tbb::task_group group;
  group.run([&a, n] { a = fib(n - 1); });
  const std::uint64_t b = fib(n - 2);
  group.wait();
  return a + b;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::coroutine::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::fib::measure(with, [&](unsigned n) {
      std::uint64_t result = 0;
      threads.run([&] { result = fib(n); });
      return result;
    });
  });
}
