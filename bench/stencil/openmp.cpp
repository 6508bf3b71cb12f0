#include "../common/stepped_on_openmp.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::stepped_on_openmp(bench::stencil::about, argc, argv, [](auto& with, auto& loop) {
    return bench::stencil::measure(with, loop);
  });
}
