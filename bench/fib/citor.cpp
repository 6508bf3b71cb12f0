#include "../common/on_citor.hpp"
#include "config.hpp"

namespace {

std::uint64_t fib(citor::ThreadPool& pool, unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  pool.forkJoin<citor::HintsDefaults>([&] { a = fib(pool, n - 1); }, [&] { b = fib(pool, n - 2); });
  return a + b;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::fib::about, bench::on_citor, argc, argv, [](auto& with) {
    citor::ThreadPool pool(with.workers());
    return bench::fib::measure(with, [&](unsigned n) { return fib(pool, n); });
  });
}
