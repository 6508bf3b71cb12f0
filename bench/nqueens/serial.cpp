#include "../common/on_serial.hpp"
#include "config.hpp"

namespace {

using bench::nqueens::board;

std::uint64_t solve(unsigned n, const board& on) {
  if (on.rows == n) return 1;
  std::uint64_t ways = 0;
  for (unsigned column = 0; column < n; ++column) {
    if (is_free(on, column)) ways += solve(n, with_queen(on, column));
  }
  return ways;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::nqueens::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::nqueens::measure(with, [](unsigned n) { return solve(n, {}); });
  });
}
