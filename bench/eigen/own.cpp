#define EIGEN_USE_THREADS
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::eigen::about, {"own"}, argc, argv, [](auto& with) {
    const int threads = static_cast<int>(with.workers());
    Eigen::ThreadPool pool(threads);
    return bench::eigen::measure(with, Eigen::ThreadPoolDevice(&pool, threads));
  });
}
