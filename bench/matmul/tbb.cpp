#include "../common/on_tbb.hpp"
#include "config.hpp"

namespace {

using bench::matmul::input;
using bench::matmul::output;

void multiply(std::size_t n, input a, input b, output c) {
  if (n == bench::matmul::leaf) {
    multiply_leaf(a, b, c);
    return;
  }
  const std::size_t half = n / 2;
  const auto product = [=](std::size_t down, std::size_t right, std::size_t inner) {
    multiply(half, a.quarter(half, down, inner), b.quarter(half, inner, right),
             c.quarter(half, down, right));
  };
  for (const std::size_t inner : {0U, 1U}) {
    tbb::task_group group;
    group.run([&] { product(0, 0, inner); });
    group.run([&] { product(0, 1, inner); });
    group.run([&] { product(1, 0, inner); });
    product(1, 1, inner);
    group.wait();
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::matmul::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::matmul::measure(with, [&](std::size_t n, input a, input b, output c) {
      threads.run([&] { multiply(n, a, b, c); });
    });
  });
}
