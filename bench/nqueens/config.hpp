#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "../common/program.hpp"

namespace bench::nqueens {

inline constexpr unsigned most_rows = 16;

inline const workload about{
    "nqueens", "board", {{"n", "13", "7", "rows, columns and queens, at most 16"}}};

/// Queens in the first `rows` rows, none of which attacks another.
struct board {
  std::array<std::uint8_t, most_rows> column{};
  unsigned rows = 0;
};

/// Whether the next row's queen can stand in `column`.
inline bool is_free(const board& on, unsigned column) {
  for (unsigned row = 0; row < on.rows; ++row) {
    const unsigned other = on.column[row];
    const unsigned apart = on.rows - row;
    if (other == column || other + apart == column || column + apart == other) return false;
  }
  return true;
}

/// `on` with one more queen.
inline board with_queen(const board& on, unsigned column) {
  board next = on;
  next.column[next.rows++] = static_cast<std::uint8_t>(column);
  return next;
}

/// Boards reached, the empty one included: one task each.
inline std::uint64_t count_boards(unsigned n, const board& on) {
  std::uint64_t count = 1;
  if (on.rows == n) return count;
  for (unsigned column = 0; column < n; ++column) {
    if (is_free(on, column)) count += count_boards(n, with_queen(on, column));
  }
  return count;
}

/// Solutions for n = 0, 1, 2, ...: On-Line Encyclopedia of Integer Sequences, A000170.
inline constexpr std::array<std::uint64_t, most_rows + 1> solutions{
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};

/// `compute(n)` returns how many ways there are, one task for every board reached.
template <typename Compute>
int measure(program& with, const Compute& compute) {
  const std::uint64_t wanted = with.number("n");
  if (wanted == 0 || wanted > most_rows) {
    throw std::invalid_argument("n is " + std::to_string(wanted) + "; must be 1 to 16");
  }
  const auto n = static_cast<unsigned>(wanted);
  std::uint64_t result = 0;
  return with.measure({
      .units = static_cast<double>(count_boards(n, {})),
      .run = [&] { return timed([&] { result = compute(n); }); },
      .verify = [&] { return result == solutions[n] ? "" : std::to_string(result) + " solutions"; },
  });
}

}  // namespace bench::nqueens
