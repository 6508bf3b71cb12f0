#include "../common/on_openmp.hpp"
#include "config.hpp"

namespace {

std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
#pragma omp task shared(a) firstprivate(n)
  a = fib(n - 1);
  const std::uint64_t b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::fib::about, bench::on_openmp, argc, argv, [](auto& with) {
    return bench::fib::measure(with, [&](unsigned n) {
      std::uint64_t result = 0;
      bench::run_on_openmp(with, [&] { result = fib(n); });
      return result;
    });
  });
}
