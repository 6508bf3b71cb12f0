#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::loop::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    const evencube::loop_options options{.grain = with.number("grain")};
    return bench::loop::measure(with, [&](std::uint64_t* cells, std::size_t n) {
      rt.run([=] {
        evencube::parallel_for(
            std::size_t{0}, n, [=](std::size_t i) { cells[i] += bench::loop::term(i); }, options);
      });
    });
  });
}
