#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::enumeration::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::enumeration::measure(with, [&](std::size_t parts, const auto& body) {
      rt.run([&] { evencube::parallel_for(std::size_t{0}, parts, body, {.grain = 1}); });
    });
  });
}
