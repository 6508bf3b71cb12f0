#include "../common/on_openmp.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::graph::about, bench::on_openmp, argc, argv, [](auto& with) {
    return bench::graph::measure(with, [&](bench::graph::cells& square) {
      // OpenMP cannot keep tasks: each run makes them again.
      return [&with, &square] {
        bench::run_on_openmp(with, [&square] {
          for (std::size_t row = 1; row <= square.side(); ++row) {
            for (std::size_t column = 1; column <= square.side(); ++column) {
              [[maybe_unused]] std::uint64_t& left = square.at(row, column - 1);
              [[maybe_unused]] std::uint64_t& above = square.at(row - 1, column);
              [[maybe_unused]] std::uint64_t& here = square.at(row, column);
#pragma omp task firstprivate(row, column) shared(square) depend(in : left, above) \
    depend(out : here)
              square.compute(row, column);
            }
          }
        });
      };
    });
  });
}
