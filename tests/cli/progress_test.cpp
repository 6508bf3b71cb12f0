// The progress bar: only on a terminal, only for runs longer than a second, never with --json.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>

#include <algorithm>
#include <future>
#include <string>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// Runs the program with a terminal for stderr and returns what appeared there.
std::string shown_on_terminal(const std::string& arguments, unsigned short columns = 80) {
  int screen = -1;
  int terminal = -1;
  const winsize size{24, columns, 0, 0};
  if (::openpty(&screen, &terminal, nullptr, nullptr, &size) != 0) {
    throw std::runtime_error{"cannot open a terminal"};
  }
  // Reading goes on while the program runs, because the terminal's buffer holds only 4 KB. When the
  // last holder of the terminal has closed it, reading ends with an error.
  auto reading = std::async(std::launch::async, [screen] {
    std::string shown;
    char piece[4096];
    for (auto count = ::read(screen, piece, sizeof piece); count > 0;
         count = ::read(screen, piece, sizeof piece)) {
      shown.append(piece, static_cast<std::size_t>(count));
    }
    return shown;
  });
  const auto result = shell("\"$0\" " + arguments + " 2>/dev/fd/" + std::to_string(terminal));
  EXPECT_EQ(result.status, 0) << arguments;
  EXPECT_THAT(result.out, Not(HasSubstr("\r"))) << arguments;
  ::close(terminal);
  auto shown = reading.get();
  ::close(screen);
  return shown;
}

constexpr const char* wiped = "\r\x1b[K";

TEST(progress, appears_in_long_runs_and_is_wiped_away) {
  const auto shown = shown_on_terminal("run spin --size 1500 --task-us 1000 --workers 1");
  EXPECT_THAT(shown, HasSubstr("serial twin"));
  EXPECT_THAT(shown, ContainsRegex("spin \\[#*\\.*\\] +[0-9]+ %"));
  EXPECT_EQ(shown.substr(shown.size() - 4), wiped);
}

TEST(progress, stays_on_one_line_of_a_narrow_terminal) {
  const std::string wipe = wiped;
  auto shown = shown_on_terminal("run spin --size 1500 --task-us 1000 --workers 1", 20);
  ASSERT_NE(shown, "");
  std::size_t widest = 0;
  while (!shown.empty()) {
    ASSERT_EQ(shown.substr(0, wipe.size()), wipe);
    shown.erase(0, wipe.size());
    const auto width = std::min(shown.find('\r'), shown.size());
    widest = std::max(widest, width);
    shown.erase(0, width);
  }
  EXPECT_EQ(widest, 19U);
}

TEST(progress, tells_simulations_and_what_is_left_of_them) {
  const auto shown = shown_on_terminal(
      "simulate mm1-array --topology hypercube:8 --horizon 30000 --replications 4 --threads 1");
  EXPECT_THAT(shown,
              ContainsRegex("simulate mm1-array \\[#*\\.*\\] +[0-9]+ %  [0-9.]+ s, [0-9]+ s left"));
  EXPECT_EQ(shown.substr(shown.size() - 4), wiped);
}

TEST(progress, stays_away_in_short_runs_and_with_json) {
  EXPECT_EQ(shown_on_terminal("run spin --size 100 --workers 1"), "");
  EXPECT_EQ(shown_on_terminal("run spin --size 1200 --task-us 1000 --workers 1 --json"), "");
}

}  // namespace
}  // namespace evencube::cli::testing
