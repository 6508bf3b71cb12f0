#include "../common/on_openmp.hpp"
#include "config.hpp"

namespace {

using bench::nqueens::board;

std::uint64_t solve(unsigned n, const board& on) {
  if (on.rows == n) return 1;
  std::array<std::uint64_t, bench::nqueens::most_rows> ways{};
  for (unsigned column = 0; column < n; ++column) {
    if (is_free(on, column)) {
#pragma omp task shared(ways, on) firstprivate(n, column)
      ways[column] = solve(n, with_queen(on, column));
    }
  }
#pragma omp taskwait
  std::uint64_t sum = 0;
  for (const std::uint64_t each : ways) sum += each;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::nqueens::about, bench::on_openmp, argc, argv, [](auto& with) {
    return bench::nqueens::measure(with, [&](unsigned n) {
      std::uint64_t ways = 0;
      bench::run_on_openmp(with, [&] { ways = solve(n, {}); });
      return ways;
    });
  });
}
