// OpenCV's loops on EvenCube: edges of a picture, by OpenCV's own threads and by a runtime's
// workers, in turn; equal, and how long each took.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string_view>

#include <opencv2/core.hpp>
#include <opencv2/core/parallel/parallel_backend.hpp>
#include <opencv2/imgproc.hpp>

#include <evencube/evencube.hpp>
#include <evencube/interop/opencv.hpp>

namespace {

cv::Mat picture(int side) {
  cv::Mat image(side, side, CV_8UC3);
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      image.at<cv::Vec3b>(y, x) = cv::Vec3b(static_cast<uchar>(x * y / 64),
                                            static_cast<uchar>(x / 3), static_cast<uchar>(y));
    }
  }
  cv::circle(image, {side / 2, side / 2}, side / 3, {255, 255, 255}, 9);
  return image;
}

cv::Mat edges(const cv::Mat& image) {
  cv::Mat large;
  cv::Mat smooth;
  cv::Mat grey;
  cv::Mat found;
  cv::resize(image, large, {}, 1.5, 1.5, cv::INTER_CUBIC);
  cv::GaussianBlur(large, smooth, {9, 9}, 2.0);
  cv::cvtColor(smooth, grey, cv::COLOR_BGR2GRAY);
  cv::Canny(grey, found, 30, 90);
  return found;
}

using backend = std::shared_ptr<cv::parallel::ParallelForAPI>;

double milliseconds(const backend& threads, const cv::Mat& image, cv::Mat& found) {
  cv::parallel::setParallelForBackend(threads);  // none: OpenCV's own
  const auto begin = std::chrono::steady_clock::now();
  found = edges(image);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

}  // namespace

int main(int argc, char** argv) {
  const bool tiny = argc > 1 && std::string_view(argv[1]) == "--tiny";
  const cv::Mat image = picture(tiny ? 300 : 2400);
  evencube::runtime rt;
  const backend own;
  const backend ours = std::make_shared<evencube::opencv_backend>(rt);

  cv::Mat expected;
  cv::Mat found;
  std::array<double, 7> own_times{};
  std::array<double, 7> our_times{};
  for (std::size_t n = 0; n < own_times.size(); ++n) {
    own_times[n] = milliseconds(own, image, expected);
    our_times[n] = milliseconds(ours, image, found);
    if (found.size() != expected.size() || cv::norm(found, expected, cv::NORM_INF) != 0) {
      std::puts("the pictures differ");
      return 1;
    }
  }
  cv::parallel::setParallelForBackend(own);
  std::sort(own_times.begin(), own_times.end());
  std::sort(our_times.begin(), our_times.end());
  std::printf(
      "%d edge pixels, the same ones; medians of 7: OpenCV's own threads %.2f ms, EvenCube %.2f "
      "ms\n",
      cv::countNonZero(found), own_times[3], our_times[3]);
}
