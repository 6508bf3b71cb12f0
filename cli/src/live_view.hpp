#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

#include <evencube/live_sampler.hpp>

namespace evencube::cli {

/// While it lives, shows on stderr what the workers of a runtime do: in place on a terminal, which
/// is left as it was also at SIGINT, SIGTERM and SIGHUP; a plain line each time otherwise. At the
/// end a terminal is wiped, and elsewhere a last line tells the rest. A thread that sleeps most of
/// the time draws it. One at a time.
class live_view {
 public:
  /// `period` null: shows nothing and starts no thread. `of` must live as long.
  live_view(runtime& of, std::string stage, std::chrono::milliseconds period);
  live_view(const live_view&) = delete;
  live_view& operator=(const live_view&) = delete;
  ~live_view();

 private:
  void draw_from_time_to_time();
  void draw();
  void wipe();

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const std::string stage_;
  const std::chrono::milliseconds period_;
  const bool in_place_;
  live_sampler sampler_;
  std::size_t drawn_lines_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread drawer_;  // the last: it uses all others
};

}  // namespace evencube::cli
