#include <libfork.hpp>

#include "config.hpp"

namespace {

constexpr auto fib = [](auto self, unsigned n) -> lf::task<std::uint64_t> {
  if (n < 2) co_return n;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  co_await lf::fork(&a, self)(n - 1);
  co_await lf::call(&b, self)(n - 2);
  co_await lf::join;
  co_return a + b;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::fib::about, {"libfork"}, argc, argv, [](auto& with) {
    lf::lazy_pool pool(with.workers());
    return bench::fib::measure(with, [&](unsigned n) { return lf::sync_wait(pool, fib, n); });
  });
}
