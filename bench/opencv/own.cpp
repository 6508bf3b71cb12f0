// With the threads that OpenCV was built with: its own, oneTBB's in Debian's packages.
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::opencv::about, {"own"}, argc, argv, [](auto& with) {
    return bench::opencv::measure(with,
                                  [&] { cv::setNumThreads(static_cast<int>(with.workers())); });
  });
}
