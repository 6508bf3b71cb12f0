#define EIGEN_USE_THREADS
#include <evencube/interop/eigen.hpp>

#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::eigen::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    evencube::eigen_pool pool(rt);
    return bench::eigen::measure(with,
                                 Eigen::ThreadPoolDevice(&pool, static_cast<int>(rt.workers())));
  });
}
