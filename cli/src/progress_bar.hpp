#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace evencube::cli {

/// A line on stderr that shows how far a longer piece of work has come. It appears after a second,
/// so that short runs leave no trace, and is wiped away at the end. A thread that sleeps most of
/// the time draws it: the work itself is not touched.
class progress_bar {
 public:
  /// `enabled` false: does nothing at all and starts no thread.
  explicit progress_bar(bool enabled);
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;
  ~progress_bar();

  /// From now on shows `stage` and a share of [0, 1] that `fraction` tells whenever the line is
  /// drawn, on the drawing thread, until the next call. Without `fraction`, the stage alone.
  void show(std::string stage, std::function<double()> fraction = {});

 private:
  void draw_from_time_to_time(const std::stop_token& end);
  void draw();

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool drawn_ = false;
  std::string stage_;
  std::chrono::steady_clock::time_point stage_start_ = start_;
  std::function<double()> fraction_;
  std::jthread drawer_;  // the last: it uses all others
};

}  // namespace evencube::cli
