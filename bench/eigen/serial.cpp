#include "../common/on_serial.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::eigen::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::eigen::measure(with, Eigen::DefaultDevice());
  });
}
