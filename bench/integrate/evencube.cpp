#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

using bench::integrate::piece;

double integrate(const piece& whole) {
  const auto [low, high] = halves(whole);
  if (is_close(whole, low, high)) return low.area + high.area;
  const auto [a, b] = evencube::fork_join([&first = low] { return integrate(first); },
                                          [&second = high] { return integrate(second); });
  return a + b;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::integrate::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::integrate::measure(
        with, [&](const piece& whole) { return rt.run([&] { return integrate(whole); }); });
  });
}
