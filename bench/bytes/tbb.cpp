#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "../common/on_tbb.hpp"
#include "config.hpp"

using bench::bytes::lighter;
using bench::bytes::pixel;

int main(int argc, char** argv) {
  bench::engine tbb_loops = bench::on_tbb;
  tbb_loops.settings.push_back({"by",
                                "range",
                                "range",
                                "what the body takes: a range of pixels or the number of one",
                                {"range", "index"}});
  return bench::main_of(bench::bytes::about, tbb_loops, argc, argv, [](auto& with) {
    bench::tbb_threads threads{with};
    const bool by_index = with.word("by") == "index";
    return bench::bytes::measure(with, [&](const pixel* from, pixel* to, std::size_t n) {
      threads.run([=] {
        if (by_index) {
          tbb::parallel_for(std::size_t{0}, n, [=](std::size_t i) { to[i] = lighter(from[i]); });
          return;
        }
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n),
                          [=](const tbb::blocked_range<std::size_t>& part) {
                            for (std::size_t i = part.begin(); i < part.end(); ++i) {
                              to[i] = lighter(from[i]);
                            }
                          });
      });
    });
  });
}
