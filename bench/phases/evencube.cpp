#include <evencube/parallel_for_blocks.hpp>

#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  bench::engine loops = bench::on_evencube;
  loops.settings.push_back({"hotness",
                            "learned",
                            "learned",
                            "how workers wait for the next loop",
                            {"never", "learned", "always"}});
  return bench::main_of(bench::phases::about, loops, argc, argv, [](auto& with) {
    evencube::runtime_options options = bench::evencube_options(with);
    const std::string& how = with.word("hotness");
    options.hotness = how == "never"    ? evencube::hotness::never
                      : how == "always" ? evencube::hotness::always
                                        : evencube::hotness::learned;
    evencube::runtime rt{options};
    return bench::phases::measure(with, [&](std::size_t n, const auto& body) {
      evencube::parallel_for(rt, std::size_t{0}, n, body);
    });
  });
}
