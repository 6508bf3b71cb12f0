#include "../common/on_serial.hpp"
#include "config.hpp"

namespace {

using bench::integrate::piece;

double integrate(const piece& whole) {
  const auto [low, high] = halves(whole);
  if (is_close(whole, low, high)) return low.area + high.area;
  return integrate(low) + integrate(high);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::integrate::about, bench::on_serial, argc, argv,
                        [](auto& with) { return bench::integrate::measure(with, integrate); });
}
