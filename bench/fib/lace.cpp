#include <lace.h>

#include "config.hpp"

TASK_1(std::uint64_t, fib, unsigned, n) {
  if (n < 2) return n;
  SPAWN(fib, n - 1);
  const std::uint64_t b = CALL(fib, n - 2);
  return SYNC(fib) + b;
}

int main(int argc, char** argv) {
  return bench::main_of(bench::fib::about, {"lace"}, argc, argv, [](auto& with) {
    lace_start(with.workers(), 100000);
    const int status = bench::fib::measure(with, [](unsigned n) { return RUN(fib, n); });
    lace_stop();
    return status;
  });
}
