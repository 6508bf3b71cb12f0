#pragma once

#include <memory>

#include <opencv2/core/parallel/parallel_backend.hpp>

#include <evencube/algorithms.hpp>
#include <evencube/arena.hpp>
#include <evencube/runtime.hpp>
#include <evencube/this_task.hpp>

namespace evencube {

/// A backend that runs OpenCV's loops on a runtime. The program links with OpenCV 4.6 or newer:
///
///     cv::parallel::setParallelForBackend(std::make_shared<evencube::opencv_backend>(rt));
///
/// Afterwards, OpenCV's parallel loops run in tasks of `rt`, whichever thread calls them. Inside
/// tasks of `rt`, a loop is part of the calling task, so several pictures can be processed
/// simultaneously. With any backend, OpenCV runs a loop on the calling thread alone if the loop is
/// nested in another loop, or while another loop is in progress. The results are the same as with
/// OpenCV's own threads. A thread from outside the runtime is not bound to a core while it takes
/// part in a loop.
///
/// `rt` must live as long as OpenCV uses the backend: until the program ends, or until
/// `setParallelForBackend` gets another backend. OpenCV throws the exceptions of a loop's body.
class opencv_backend final : public cv::parallel::ParallelForAPI {
 public:
  explicit opencv_backend(runtime& of) : of_(of) {}

  /// Calls body(first, last, data) for blocks of [0, tasks). OpenCV calls this function.
  void parallel_for(int tasks, FN_parallel_for_body_cb_t body, void* data) override {
    const auto loop = [&] {
      evencube::parallel_for_blocks(0, tasks,
                                    [&](int first, int last) { body(first, last, data); });
    };
    // The calling thread is not bound to a core, because many loops are short.
    const run_options free{.pin = false};
    if (limit_ != nullptr) {
      limit_->run(loop, free);
    } else {
      of_.run(loop, free);
    }
  }
  /// Returns the index of the calling worker in the runtime; 0 outside of the runtime.
  int getThreadNum() const override {
    return this_task::runtime() == &of_ ? static_cast<int>(this_task::worker().value_or(0)) : 0;
  }
  /// Returns the number of workers that may take part in a loop simultaneously.
  int getNumThreads() const override {
    return static_cast<int>(limit_ != nullptr ? limit_->workers() : of_.workers());
  }
  /// Sets the number of workers for loops, and returns the old number. cv::setNumThreads calls
  /// this, as does setParallelForBackend unless its second argument is false. If the number is
  /// lower than the runtime's number of workers, loops run in an arena with that limit. 0 and 1
  /// lift the limit, because OpenCV then runs loops only on the calling thread. For a negative
  /// number, OpenCV passes the number of cores. Do not call this while OpenCV is working.
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
  std::unique_ptr<arena> limit_;  // null: all workers of the runtime
};

}  // namespace evencube
