#include "../common/on_openmp.hpp"
#include "config.hpp"

namespace {

class runtime {
 public:
  explicit runtime(const bench::program& with) : threads_(static_cast<int>(with.workers())) {}

  template <typename Body>
  void run(std::size_t n, const Body& body) {
#pragma omp parallel for num_threads(threads_) schedule(dynamic)
    for (std::size_t i = 0; i < n; ++i) body(i);
  }

 private:
  int threads_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::burnt::about, bench::on_openmp, argc, argv,
                        [](auto& with) { return bench::burnt::measure<runtime>(with); });
}
