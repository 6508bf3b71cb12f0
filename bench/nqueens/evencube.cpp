#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

using bench::nqueens::board;

std::uint64_t solve(unsigned n, const board& on) {
  if (on.rows == n) return 1;
  std::array<std::uint8_t, bench::nqueens::most_rows> free{};
  std::size_t count = 0;
  for (unsigned column = 0; column < n; ++column) {
    if (is_free(on, column)) free[count++] = static_cast<std::uint8_t>(column);
  }
  return bench::sum_in_parallel<std::uint64_t>(
      0, count, [&](std::size_t i) { return solve(n, with_queen(on, free[i])); });
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::nqueens::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::nqueens::measure(
        with, [&](unsigned n) { return rt.run([=] { return solve(n, {}); }); });
  });
}
