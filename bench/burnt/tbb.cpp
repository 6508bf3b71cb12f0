#include <oneapi/tbb/parallel_for.h>

#include "../common/on_tbb.hpp"
#include "config.hpp"

namespace {

class runtime {
 public:
  explicit runtime(const bench::program& with) : threads_(with) {}

  template <typename Body>
  void run(std::size_t n, const Body& body) {
    threads_.run([&] { tbb::parallel_for(std::size_t{0}, n, body); });
  }

 private:
  bench::tbb_threads threads_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::burnt::about, bench::on_tbb, argc, argv,
                        [](auto& with) { return bench::burnt::measure<runtime>(with); });
}
