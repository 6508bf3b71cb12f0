#include "live_view.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "console.hpp"
#include "interruption.hpp"
#include "live_text.hpp"

namespace evencube::cli {
namespace {

constexpr const char* hide_cursor = "\x1b[?25l";
constexpr const char* show_cursor = "\x1b[?25h";

/// In one piece. Where stderr takes nothing there is nobody to tell.
void put(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

live_view::live_view(runtime& of, std::string stage, std::chrono::milliseconds period)
    : stage_{std::move(stage)},
      period_{period},
      in_place_{period.count() > 0 && stderr_is_terminal()},
      sampler_{of} {
  if (period_.count() <= 0) return;
  if (in_place_) {
    write_on_ending_signal(show_cursor);
    put(hide_cursor);
  }
  drawer_ = std::thread{[this] { draw_from_time_to_time(); }};
}

live_view::~live_view() {
  if (!drawer_.joinable()) return;
  {
    const std::lock_guard lock{mutex_};
    done_ = true;
  }
  changed_.notify_all();
  drawer_.join();
  if (in_place_) {
    wipe();
    put(show_cursor);
    write_on_ending_signal(nullptr);
  } else {
    draw();
  }
}

void live_view::draw_from_time_to_time() {
  std::unique_lock lock{mutex_};
  while (!changed_.wait_for(lock, period_, [this] { return done_; })) draw();
}

void live_view::draw() {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const live_sample sample = sampler_.sample();
  if (!in_place_) {
    put(live_line(sample, stage_, elapsed.count()) + "\n");
    return;
  }
  wipe();
  std::string text;
  const auto lines = live_lines(sample, stage_, elapsed.count(), screen_of_stderr());
  for (const std::string& line : lines) text += line + "\n";
  put(text);
  drawn_lines_ = lines.size();
}

/// Back to where the first line began, and nothing below it.
void live_view::wipe() {
  if (drawn_lines_ != 0) put(fmt::format("\x1b[{}A\r\x1b[J", drawn_lines_));
  drawn_lines_ = 0;
}

}  // namespace evencube::cli
