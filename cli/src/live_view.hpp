#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <evencube/live_sampler.hpp>

#include "console.hpp"

namespace evencube::cli {

/// A sample for a terminal, a line each: the whole, a bar for every worker, the moves over each
/// dimension. No line is longer than the screen is wide, and there are fewer lines than it has
/// rows: of more workers the last ones share a line. `elapsed`: seconds since the run began.
[[nodiscard]] std::vector<std::string> live_lines(const live_sample& sample,
                                                  const std::string& stage, double elapsed,
                                                  screen_size screen);

/// A sample as one line of text of any length, for a file or a pipe.
[[nodiscard]] std::string live_line(const live_sample& sample, const std::string& stage,
                                    double elapsed);

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
  void draw_from_time_to_time(const std::stop_token& end);
  void draw();
  void wipe();

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const std::string stage_;
  const std::chrono::milliseconds period_;
  const bool in_place_;
  live_sampler sampler_;
  std::size_t drawn_lines_ = 0;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread drawer_;  // the last: it uses all others
};

}  // namespace evencube::cli
