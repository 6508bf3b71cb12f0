#include "live_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "interruption.hpp"
#include "number_text.hpp"

namespace evencube::cli {
namespace {

constexpr const char* hide_cursor = "\x1b[?25l";
constexpr const char* show_cursor = "\x1b[?25h";

/// In one piece. Where stderr takes nothing there is nobody to tell.
void put(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

constexpr std::size_t widest_bar = 20;

/// "dimension 0: 12, 1: 3", and nothing for a cube without dimensions.
std::string moves_text(const statistics& counters) {
  std::string text;
  for (std::size_t i = 0; i < counters.moved_by_dimension.size(); ++i) {
    text +=
        fmt::format("{}{}: {}", i == 0 ? "dimension " : ", ", i, counters.moved_by_dimension[i]);
  }
  return text;
}

std::string bar(double share) {
  const auto full = static_cast<std::size_t>(std::lround(share * widest_bar));
  return std::string(full, '#') + std::string(widest_bar - full, '.');
}

std::string worker_line(const std::string& who, std::int64_t load, double busy, double rate) {
  return fmt::format("{:>8} {:>10} {:>8} {} {:>12.0f}", who, load, share_text(busy), bar(busy),
                     rate);
}

/// The workers from `first` on, in one line.
std::string rest_line(const live_sample& sample, unsigned first) {
  const auto count = static_cast<unsigned>(sample.counters.workers.size());
  std::int64_t load = 0;
  double busy = 0;
  double rate = 0;
  for (unsigned k = first; k < count; ++k) {
    load += sample.loads[k];
    busy += sample.busy_share(k);
    rate += sample.tasks_per_second(k);
  }
  return worker_line(fmt::format("{} more", count - first), load, busy / (count - first), rate);
}

}  // namespace

std::vector<std::string> live_lines(const live_sample& sample, const std::string& stage,
                                    double elapsed, screen_size screen) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}  {:.1f} s  {:.0f} tasks/s  {} busy", stage, elapsed,
                              sample.tasks_per_second(), share_text(sample.busy_share())));
  lines.push_back(fmt::format("{:>8} {:>10} {:>8} {:{}} {:>12}", "worker", "load", "busy", "",
                              widest_bar, "tasks/s"));
  // The two lines above, that of the moves, and one that stays empty so that nothing scrolls.
  const std::size_t room = std::max<std::size_t>(screen.rows, 6) - 4;
  const auto count = static_cast<unsigned>(sample.counters.workers.size());
  const unsigned alone = count <= room ? count : static_cast<unsigned>(room) - 1;
  for (unsigned k = 0; k < alone; ++k) {
    lines.push_back(worker_line(std::to_string(k), sample.loads[k], sample.busy_share(k),
                                sample.tasks_per_second(k)));
  }
  if (alone < count) lines.push_back(rest_line(sample, alone));
  const std::string moves = moves_text(sample.counters);
  if (!moves.empty()) lines.push_back("tasks moved over " + moves);
  for (std::string& line : lines) {
    if (line.size() > screen.columns) line.resize(screen.columns);
  }
  return lines;
}

std::string live_line(const live_sample& sample, const std::string& stage, double elapsed) {
  std::string line = fmt::format("{} {:.1f} s: {:.0f} tasks/s, {} busy", stage, elapsed,
                                 sample.tasks_per_second(), share_text(sample.busy_share()));
  for (unsigned k = 0; k < sample.counters.workers.size(); ++k) {
    line += fmt::format("; worker {}: load {}, {} busy, {:.0f} tasks/s", k, sample.loads[k],
                        share_text(sample.busy_share(k)), sample.tasks_per_second(k));
  }
  const std::string moves = moves_text(sample.counters);
  if (!moves.empty()) line += "; moved over " + moves;
  return line;
}

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
  drawer_ = std::jthread{[this](const std::stop_token& end) { draw_from_time_to_time(end); }};
}

live_view::~live_view() {
  if (!drawer_.joinable()) return;
  drawer_.request_stop();
  drawer_.join();
  if (in_place_) {
    wipe();
    put(show_cursor);
    write_on_ending_signal(nullptr);
  } else {
    draw();
  }
}

void live_view::draw_from_time_to_time(const std::stop_token& end) {
  std::unique_lock lock{mutex_};
  const auto ended = [&end] { return end.stop_requested(); };
  while (!changed_.wait_for(lock, end, period_, ended)) draw();
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
