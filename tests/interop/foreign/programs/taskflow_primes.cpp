// Counts primes by the version for oneTBB of Taskflow's benchmark, and prints the number. For
// tests/interop/foreign_programs.py.

#include <cstddef>
#include <cstdio>
#include <initializer_list>

std::size_t primes_tbb(std::size_t threads, std::size_t below);

int main() {
  for (const std::size_t threads : {1U, 2U, 4U}) {
    std::printf("%zu primes\n", primes_tbb(threads, 3'000'000));
  }
}
