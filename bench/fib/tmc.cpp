#define TMC_IMPL
#include <tmc/all_headers.hpp>

#include "config.hpp"

namespace {

tmc::task<std::uint64_t> fib(unsigned n) {
  if (n < 2) co_return n;
  auto [a, b] = co_await tmc::spawn_tuple(fib(n - 1), fib(n - 2));
  co_return a + b;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::fib::about, {"tmc"}, argc, argv, [](auto& with) {
    tmc::cpu_executor().set_thread_count(with.workers()).init();
    return bench::fib::measure(
        with, [](unsigned n) { return tmc::post_waitable(tmc::cpu_executor(), fib(n)).get(); });
  });
}
