#include "../common/stepped_on_tbb.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::stepped_on_tbb(bench::particles::about, argc, argv, [](auto& with, auto& loop) {
    return bench::particles::measure(with, loop);
  });
}
