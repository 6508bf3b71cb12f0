#pragma once

#include <memory>

#include <opencv2/core/parallel/parallel_backend.hpp>

#include <evencube/algorithms.hpp>
#include <evencube/arena.hpp>
#include <evencube/runtime.hpp>
#include <evencube/this_task.hpp>

namespace evencube {

/// OpenCV's loops on a runtime, for OpenCV 4.6 or newer, which is the program's to link:
///
///   cv::parallel::setParallelForBackend(std::make_shared<evencube::opencv_backend>(rt));
///
/// From then on what OpenCV does in parallel runs in tasks of `rt`, called from any thread: inside
/// of its tasks as a part of them, so that several pictures can be worked on at once. OpenCV itself
/// runs a loop within another one, and one that begins while another goes on, on the calling thread
/// alone. The results are those of OpenCV's own threads. A thread from outside is not bound
/// while it takes part in a loop.
///
/// `rt` must live as long as OpenCV uses the backend: until the program ends, or until
/// `setParallelForBackend` is given another one. An exception of a loop's body is OpenCV's to
/// throw.
class opencv_backend final : public cv::parallel::ParallelForAPI {
 public:
  explicit opencv_backend(runtime& of) : of_(of) {}

  /// For OpenCV: calls body(first, last, data) for blocks of [0, tasks).
  void parallel_for(int tasks, FN_parallel_for_body_cb_t body, void* data) override {
    const auto loop = [&] {
      evencube::parallel_for(0, tasks, [&](int first, int last) { body(first, last, data); });
    };
    // Many loops are short: a thread from outside is not bound for each of them.
    const run_options free{.pin = false};
    if (limit_ != nullptr) {
      limit_->run(loop, free);
    } else {
      of_.run(loop, free);
    }
  }
  /// The worker that calls, in the runtime; 0 outside.
  int getThreadNum() const override {
    return this_task::runtime() == &of_ ? static_cast<int>(this_task::worker().value_or(0)) : 0;
  }
  /// How many workers may be in a loop at the same moment.
  int getNumThreads() const override {
    return static_cast<int>(limit_ != nullptr ? limit_->workers() : of_.workers());
  }
  /// What cv::setNumThreads asks for, and setParallelForBackend unless its second argument is
  /// false: below the workers of the runtime the loops run in an arena of so many places. 0 and 1,
  /// for which OpenCV runs them on the calling thread alone, end that; for less than 0 OpenCV
  /// itself asks for the number of cores. Gives what it was. Not while OpenCV works.
  int setNumThreads(int threads) override {
    const int before = getNumThreads();
    limit_.reset();
    if (threads > 1 && static_cast<unsigned>(threads) < of_.workers()) {
      limit_ =
          std::make_unique<arena>(of_, arena_options{.workers = static_cast<unsigned>(threads)});
    }
    return before;
  }
  const char* getName() const override { return "evencube"; }

 private:
  runtime& of_;
  std::unique_ptr<arena> limit_;  // none: the runtime's workers
};

}  // namespace evencube
