#include "../common/on_serial.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::graph::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::graph::measure(
        with, [](bench::graph::cells& square) { return [&square] { square.compute_all(); }; });
  });
}
