#include "../common/on_tbb.hpp"
#include "config.hpp"

namespace {

using bench::nqueens::board;

std::uint64_t solve(unsigned n, const board& on) {
  if (on.rows == n) return 1;
  std::array<std::uint64_t, bench::nqueens::most_rows> ways{};
  tbb::task_group group;
  for (unsigned column = 0; column < n; ++column) {
    if (is_free(on, column)) {
      group.run([&ways, &on, n, column] { ways[column] = solve(n, with_queen(on, column)); });
    }
  }
  group.wait();
  std::uint64_t sum = 0;
  for (const std::uint64_t each : ways) sum += each;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::nqueens::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::nqueens::measure(with, [&](unsigned n) {
      std::uint64_t ways = 0;
      threads.run([&] { ways = solve(n, {}); });
      return ways;
    });
  });
}
