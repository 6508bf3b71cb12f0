#include "../common/on_tbb.hpp"
#include "config.hpp"

namespace {

using bench::integrate::piece;

double integrate(const piece& whole) {
  const auto [low, high] = halves(whole);
  if (is_close(whole, low, high)) return low.area + high.area;
  double a = 0.0;
  tbb::task_group group;
  group.run([&a, &first = low] { a = integrate(first); });
  const double b = integrate(high);
  group.wait();
  return a + b;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::integrate::about, bench::on_tbb, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    return bench::integrate::measure(with, [&](const piece& whole) {
      double area = 0.0;
      threads.run([&] { area = integrate(whole); });
      return area;
    });
  });
}
