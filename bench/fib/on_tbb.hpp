#pragma once

#include <cstdint>

#include "../common/on_tbb.hpp"
#include "config.hpp"

namespace bench::fib {

inline std::uint64_t by_tbb(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  tbb::task_group group;
  group.run([&a, n] { a = fib::by_tbb(n - 1); });
  const std::uint64_t b = fib::by_tbb(n - 2);
  group.wait();
  return a + b;
}

/// The main function of a program whose work is this, whatever the workload is called.
inline int main_on_tbb(const workload& what, int argc, char** argv) {
  return bench::main_of(what, on_tbb, argc, argv, [](auto& with) {
    tbb_threads threads{with};
    return fib::measure(with, [&](unsigned n) {
      std::uint64_t result = 0;
      threads.run([&] { result = fib::by_tbb(n); });
      return result;
    });
  });
}

}  // namespace bench::fib
