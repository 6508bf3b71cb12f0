#pragma once

#include <cstdint>
#include <string>

#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>

#include "../common/program.hpp"

namespace bench::opencv {

inline const workload about{
    "opencv",
    "pixel",
    {{"side", "1024", "96", "of the square picture, in pixels"},
     {"operation", "canny", "canny", "what is done to it", {"canny", "blur", "resize"}}}};

/// With smooth parts, edges and noise, the same every time; one channel for edges, else three.
inline cv::Mat picture(int side, bool grey) {
  cv::Mat image(side, side, CV_8UC3);
  std::uint32_t state = 1;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      state = state * 1664525U + 1013904223U;
      const int noise = static_cast<int>(state >> 27U);
      image.at<cv::Vec3b>(y, x) =
          cv::Vec3b(cv::saturate_cast<uchar>((x / 37 + y / 53) % 2 * 90 + noise),
                    cv::saturate_cast<uchar>(x * 255 / side + noise),
                    cv::saturate_cast<uchar>(y * 255 / side));
    }
  }
  if (!grey) return image;
  cv::Mat one;
  cv::cvtColor(image, one, cv::COLOR_BGR2GRAY);
  return one;
}

inline void work(const std::string& operation, const cv::Mat& in, cv::Mat& out) {
  if (operation == "canny") {
    cv::Canny(in, out, 40, 120);
  } else if (operation == "blur") {
    cv::GaussianBlur(in, out, {9, 9}, 2.5);
  } else {
    cv::resize(in, out, {}, 1.5, 1.5, cv::INTER_CUBIC);
  }
}

/// `begin_to_use()` gives OpenCV the threads that are measured; what is expected is made before, in
/// serial.
template <typename Begin>
int measure(program& with, const Begin& begin_to_use) {
  const std::string operation = with.word("operation");
  const cv::Mat in = picture(static_cast<int>(with.number("side")), operation == "canny");
  cv::setNumThreads(1);
  cv::Mat right;
  work(operation, in, right);
  begin_to_use();
  cv::Mat out;
  return with.measure({
      .units = static_cast<double>(in.total()),
      .prepare = [&] { out.setTo(cv::Scalar::all(0)); },
      .run = [&] { return timed([&] { work(operation, in, out); }); },
      .verify =
          [&] {
            const bool same = out.size() == right.size() && out.type() == right.type() &&
                              cv::norm(out, right, cv::NORM_INF) == 0;
            return same ? "" : std::string("not the picture of serial code");
          },
  });
}

}  // namespace bench::opencv
