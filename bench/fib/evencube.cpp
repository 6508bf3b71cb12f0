#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] = evencube::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::fib::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::fib::measure(with, [&](unsigned n) { return rt.run([=] { return fib(n); }); });
  });
}
