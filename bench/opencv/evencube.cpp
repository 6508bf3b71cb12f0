#include <memory>

#include <evencube/interop/opencv.hpp>

#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::opencv::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    const int status = bench::opencv::measure(with, [&] {
      cv::setNumThreads(static_cast<int>(rt.workers()));
      cv::parallel::setParallelForBackend(std::make_shared<evencube::opencv_backend>(rt), false);
    });
    cv::parallel::setParallelForBackend(std::shared_ptr<cv::parallel::ParallelForAPI>());
    return status;
  });
}
