#include "../common/on_serial.hpp"
#include "config.hpp"

namespace {

// The price of a call that the compiler cannot look through.
void call(std::uint64_t n, std::uint64_t /*batch*/) {
  void (*volatile task)() = bench::tally::count;
  for (std::uint64_t i = 0; i < n; ++i) task();
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::spawn::about, bench::on_serial, argc, argv,
                        [](auto& with) { return bench::spawn::measure(with, call, call); });
}
