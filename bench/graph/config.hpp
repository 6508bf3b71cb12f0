#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../common/program.hpp"

namespace bench::graph {

inline const workload about{
    "graph", "node", {{"side", "1000", "30", "nodes along one side of a square of nodes"}}};

/// A square of cells. Each cell needs the cell on its left and the cell above, and so does its node
/// in the graph. A row and a column of zeros come before the first row and column.
class cells {
 public:
  explicit cells(std::size_t side) : side_(side), values_((side + 1) * (side + 1)) {}

  [[nodiscard]] std::size_t side() const { return side_; }
  /// The value of a cell; rows and columns of the square are counted from 1.
  [[nodiscard]] std::uint64_t& at(std::size_t row, std::size_t column) {
    return values_[row * (side_ + 1) + column];
  }
  void compute(std::size_t row, std::size_t column) {
    const std::uint64_t left = at(row, column - 1);
    const std::uint64_t above = at(row - 1, column);
    at(row, column) = (left ^ (above >> 7U)) * 0x9e3779b97f4a7c15U + column;
  }
  void compute_all() {
    for (std::size_t row = 1; row <= side_; ++row) {
      for (std::size_t column = 1; column <= side_; ++column) compute(row, column);
    }
  }
  void clear() { values_.assign(values_.size(), 0); }
  [[nodiscard]] bool operator==(const cells&) const = default;

 private:
  std::size_t side_;
  std::vector<std::uint64_t> values_;
};

/// `prepared(cells)` makes the graph, which is the same for every run, and returns `run`; it is not
/// measured. `run(cells)` computes all cells, each after the cells it needs.
template <typename Prepared>
int measure(program& with, const Prepared& prepared) {
  cells square(with.number("side"));
  cells right(square.side());
  right.compute_all();
  const auto run = prepared(square);
  return with.measure({
      .units = static_cast<double>(square.side() * square.side()),
      .prepare = [&] { square.clear(); },
      .run = [&] { return timed([&] { run(); }); },
      .verify = [&] { return square == right ? "" : std::string("a cell is wrong"); },
  });
}

}  // namespace bench::graph
