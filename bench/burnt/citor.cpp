#include "../common/on_citor.hpp"
#include "config.hpp"

namespace {

class runtime {
 public:
  explicit runtime(const bench::program& with) : pool_(with.workers()) {}

  template <typename Body>
  void run(std::size_t n, const Body& body) {
    pool_.parallelFor<citor::DynamicHints>(std::size_t{0}, n,
                                           [&](std::size_t first, std::size_t last) {
                                             for (std::size_t i = first; i < last; ++i) body(i);
                                           });
  }

 private:
  citor::ThreadPool pool_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::burnt::about, bench::on_citor, argc, argv,
                        [](auto& with) { return bench::burnt::measure<runtime>(with); });
}
