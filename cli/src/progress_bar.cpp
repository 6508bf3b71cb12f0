#include "progress_bar.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <system_error>
#include <utility>

#include "console.hpp"
#include "visible_text.hpp"

namespace evencube::cli {
namespace {

constexpr std::chrono::milliseconds silence{1000};
constexpr std::chrono::milliseconds pause{200};
constexpr std::size_t bar_width = 30;

// Back to the first column and wipe to the end of the line.
constexpr const char* wipe = "\r\x1b[K";

}  // namespace

progress_bar::progress_bar(bool enabled) {
  if (!enabled) return;
  try {
    drawer_ = std::jthread{[this](const std::stop_token& end) { draw_from_time_to_time(end); }};
  } catch (const std::system_error&) {
    // Where no more threads can be had the work goes on without a bar.
  }
}

progress_bar::~progress_bar() {
  if (!drawer_.joinable()) return;
  drawer_.request_stop();
  drawer_.join();
  if (drawn_) std::fputs(wipe, stderr);
}

void progress_bar::show(std::string stage, std::function<double()> fraction) {
  const std::lock_guard lock{mutex_};
  stage_ = std::move(stage);
  stage_start_ = std::chrono::steady_clock::now();
  fraction_ = std::move(fraction);
}

void progress_bar::draw_from_time_to_time(const std::stop_token& end) {
  std::unique_lock lock{mutex_};
  const auto ended = [&end] { return end.stop_requested(); };
  for (auto next = start_ + silence; !changed_.wait_until(lock, end, next, ended);
       next = std::chrono::steady_clock::now() + pause) {
    try {
      draw();
    } catch (const std::exception&) {
      return;  // the work matters more than its bar
    }
  }
}

void progress_bar::draw() {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  std::string bar;
  std::string remaining;
  if (fraction_) {
    const double share = std::clamp(fraction_(), 0.0, 1.0);
    const auto full = static_cast<std::size_t>(share * bar_width);
    bar = fmt::format(" [{}{}] {:3.0f} %", std::string(full, '#'),
                      std::string(bar_width - full, '.'), share * 100);
    // At the pace of this stage so far; before the first percent that says nothing.
    const std::chrono::duration<double> staged = std::chrono::steady_clock::now() - stage_start_;
    if (share >= 0.01) {
      remaining = fmt::format(", {:.0f} s left", staged.count() * (1 - share) / share);
    }
  }
  auto line = fmt::format("{}{}  {:.1f} s{}", visible(stage_), bar, elapsed.count(), remaining);
  // What goes on in the next line of the screen could not be wiped away.
  line.resize(std::min(line.size(), screen_of_stderr().columns - 1));
  // Not by fmt::print: it throws where the terminal is gone, and here is nobody to catch it.
  std::fputs((wipe + line).c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace evencube::cli
