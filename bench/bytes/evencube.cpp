#include <evencube/parallel_transform.hpp>

#include "../common/on_evencube.hpp"
#include "config.hpp"

using bench::bytes::lighter;
using bench::bytes::pixel;

int main(int argc, char** argv) {
  bench::engine loops = bench::on_evencube;
  loops.settings.push_back(
      {"by",
       "transform",
       "transform",
       "a parallel_transform, or a parallel_for over the numbers of the pixels",
       {"transform", "index"}});
  return bench::main_of(bench::bytes::about, loops, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    const bool by_index = with.word("by") == "index";
    return bench::bytes::measure(with, [&](const pixel* from, pixel* to, std::size_t n) {
      rt.run([=] {
        if (by_index) {
          evencube::parallel_for(std::size_t{0}, n,
                                 [=](std::size_t i) { to[i] = lighter(from[i]); });
        } else {
          evencube::parallel_transform(from, from + n, to, [](pixel p) { return lighter(p); });
        }
      });
    });
  });
}
