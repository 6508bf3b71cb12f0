#include "../common/on_serial.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::skewed::about, bench::on_serial, argc, argv, [](auto& with) {
    return bench::skewed::measure(with, [](bench::skewed::tasks& all) {
      for (std::size_t i = 0; i < all.size(); ++i) all.run(i);
    });
  });
}
