// OpenCV on a runtime: pictures come out bit for bit as with OpenCV's own threads, whoever calls.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <evencube/evencube.hpp>
#include <evencube/interop/opencv.hpp>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/repetitions.hpp"

namespace evencube {
namespace {

/// A picture with edges, smooth parts and noise, the same every time.
cv::Mat picture(int rows, int columns) {
  cv::Mat image(rows, columns, CV_8UC3);
  std::uint32_t state = 12345;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      state = state * 1664525U + 1013904223U;
      const int block = (x / 37 + y / 53) % 2 * 90;
      const int noise = static_cast<int>(state >> 27U);
      image.at<cv::Vec3b>(y, x) = cv::Vec3b(cv::saturate_cast<uchar>(block + noise),
                                            cv::saturate_cast<uchar>(x * 255 / columns + noise),
                                            cv::saturate_cast<uchar>(y * 255 / rows));
    }
  }
  cv::circle(image, {columns / 2, rows / 2}, rows / 3, {255, 255, 255}, 5);
  return image;
}

using transformation = std::function<cv::Mat(const cv::Mat&)>;

const std::vector<std::pair<std::string, transformation>>& transformations() {
  static const std::vector<std::pair<std::string, transformation>> all{
      {"Canny",
       [](const cv::Mat& in) {
         cv::Mat grey;
         cv::Mat out;
         cv::cvtColor(in, grey, cv::COLOR_BGR2GRAY);
         cv::Canny(grey, out, 40, 120);
         return out;
       }},
      {"GaussianBlur",
       [](const cv::Mat& in) {
         cv::Mat out;
         cv::GaussianBlur(in, out, {9, 9}, 2.5);
         return out;
       }},
      {"blur",
       [](const cv::Mat& in) {
         cv::Mat out;
         cv::blur(in, out, {7, 5});
         return out;
       }},
      {"medianBlur",
       [](const cv::Mat& in) {
         cv::Mat out;
         cv::medianBlur(in, out, 5);
         return out;
       }},
      {"resize",
       [](const cv::Mat& in) {
         cv::Mat out;
         cv::resize(in, out, {}, 1.7, 0.6, cv::INTER_CUBIC);
         return out;
       }},
      {"warpAffine",
       [](const cv::Mat& in) {
         cv::Mat out;
         cv::warpAffine(in, out, cv::getRotationMatrix2D({200, 150}, 30, 1.1), in.size());
         return out;
       }},
  };
  return all;
}

bool equal(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
}

class opencv : public testing::TestWithParam<unsigned> {
 protected:
  opencv() {
    // Sanitizers know nothing of what oneTBB, by which OpenCV may have its own threads, orders.
    if (test::sanitizer_slowness > 1) cv::setNumThreads(1);
    for (const auto& [name, transform] : transformations()) expected_.push_back(transform(image_));
    cv::setNumThreads(-1);
    cv::parallel::setParallelForBackend(backend_, false);
    cv::setNumThreads(static_cast<int>(std::max(2U, GetParam())));  // on one core, too
  }
  ~opencv() override {
    cv::parallel::setParallelForBackend(std::shared_ptr<cv::parallel::ParallelForAPI>(), false);
    cv::setNumThreads(-1);
  }
  void expect_all_equal() {
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      EXPECT_TRUE(equal(transformations()[i].second(image_), expected_[i]))
          << transformations()[i].first;
    }
  }

  const cv::Mat image_ = picture(480, 640);
  std::vector<cv::Mat> expected_;  // by OpenCV's own threads
  runtime rt_{runtime_options{.workers = GetParam(), .pin_to = pinning::none}};
  std::shared_ptr<opencv_backend> backend_ = std::make_shared<opencv_backend>(rt_);
};

TEST_P(opencv, gives_the_same_pictures_as_with_its_own_threads) {
  expect_all_equal();
  rt_.run([&] { expect_all_equal(); });
}

TEST_P(opencv, is_called_by_several_threads_at_once) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) threads.emplace_back([&] { expect_all_equal(); });
  rt_.run([&] { parallel_for(0, 4, [&](int) { expect_all_equal(); }); });
  for (std::thread& thread : threads) thread.join();
}

TEST_P(opencv, calls_every_index_once_on_the_runtimes_workers) {
  std::vector<std::atomic<int>> calls(10000);
  std::atomic<int> elsewhere{0};
  cv::parallel_for_(cv::Range(0, 10000), [&](const cv::Range& range) {
    if (this_task::runtime() != &rt_) ++elsewhere;
    if (cv::getThreadNum() >= static_cast<int>(GetParam())) ++elsewhere;
    for (int i = range.start; i < range.end; ++i) ++calls[static_cast<std::size_t>(i)];
  });
  for (const auto& count : calls) ASSERT_EQ(count, 1);
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(cv::getNumThreads(), static_cast<int>(GetParam()));
  EXPECT_EQ(cv::getThreadNum(), 0);
}

TEST_P(opencv, uses_no_more_threads_than_it_is_told) {
  cv::setNumThreads(2);
  EXPECT_EQ(cv::getNumThreads(), static_cast<int>(std::min(2U, GetParam())));
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  cv::parallel_for_(cv::Range(0, 5000), [&](const cv::Range&) {
    const int now = ++inside;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    --inside;
  });
  EXPECT_LE(most, 2);
  EXPECT_GE(most, 1);
  expect_all_equal();
  cv::setNumThreads(static_cast<int>(GetParam()));
  EXPECT_EQ(cv::getNumThreads(), static_cast<int>(GetParam()));
}

TEST_P(opencv, throws_what_a_body_throws) {
  EXPECT_THROW(cv::parallel_for_(cv::Range(0, 1000),
                                 [](const cv::Range& range) {
                                   if (range.start <= 500 && 500 < range.end) {
                                     CV_Error(cv::Error::StsError, "at 500");
                                   }
                                 }),
               cv::Exception);
  expect_all_equal();
}

// Where others keep the processors busy, each call that binds a thread can cost it its turn.
TEST(opencv_loops, do_not_bind_the_thread_that_calls) {
  runtime rt({.workers = 2});
  const auto backend = std::make_shared<opencv_backend>(rt);
  cv::parallel::setParallelForBackend(backend, false);
  const auto mask = [] {
    cpu_set_t units;
    CPU_ZERO(&units);
    EXPECT_EQ(sched_getaffinity(0, sizeof units, &units), 0);
    return units;
  };
  const cpu_set_t before = mask();
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> changed{0};
  for (int n = 0; n < 100; ++n) {
    cv::parallel_for_(cv::Range(0, 10), [&](const cv::Range&) {
      const cpu_set_t now = mask();
      if (std::this_thread::get_id() == caller && CPU_EQUAL(&now, &before) == 0) ++changed;
    });
  }
  EXPECT_EQ(changed, 0);
  cv::parallel::setParallelForBackend(std::shared_ptr<cv::parallel::ParallelForAPI>());
}

INSTANTIATE_TEST_SUITE_P(on, opencv, testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace evencube
