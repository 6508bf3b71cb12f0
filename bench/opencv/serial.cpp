#include "../common/on_serial.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::opencv::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::opencv::measure(with, [] { cv::setNumThreads(1); });
  });
}
