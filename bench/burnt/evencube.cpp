#include <evencube/parallel_for_blocks.hpp>

#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

class runtime {
 public:
  explicit runtime(const bench::program& with) : rt_(options(with)) {}

  template <typename Body>
  void run(std::size_t n, const Body& body) {
    evencube::parallel_for(rt_, std::size_t{0}, n, body);
  }

 private:
  static evencube::runtime_options options(const bench::program& with) {
    evencube::runtime_options chosen = bench::evencube_options(with);
    const std::string& hot = with.word("hotness");
    chosen.hotness = hot == "never"    ? evencube::hotness::never
                     : hot == "always" ? evencube::hotness::always
                                       : evencube::hotness::learned;
    return chosen;
  }

  evencube::runtime rt_;
};

}  // namespace

int main(int argc, char** argv) {
  bench::engine loops = bench::on_evencube;
  loops.settings.push_back({"hotness",
                            "learned",
                            "learned",
                            "how workers wait for the next loop",
                            {"never", "learned", "always"}});
  return bench::main_of(bench::burnt::about, loops, argc, argv,
                        [](auto& with) { return bench::burnt::measure<runtime>(with); });
}
