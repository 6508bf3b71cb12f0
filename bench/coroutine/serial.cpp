#include "../common/on_serial.hpp"
#include "config.hpp"

namespace {

std::uint64_t fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::coroutine::about, bench::on_serial, argc, argv,
                        [](auto& with) { return bench::fib::measure(with, fib); });
}
