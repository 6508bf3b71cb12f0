// evencube run --live: in place on a terminal, which is left as it was; plain lines otherwise.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>
#include <pty.h>

#include <algorithm>
#include <csignal>
#include <string>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* hide_cursor = "\x1b[?25l";
constexpr const char* show_cursor = "\x1b[?25h";

/// The program with a terminal for stderr.
class on_terminal {
 public:
  explicit on_terminal(const std::vector<std::string>& arguments) {
    child_ = ::forkpty(&screen_, nullptr, nullptr, nullptr);
    if (child_ < 0) throw std::runtime_error{"cannot open a terminal"};
    if (child_ != 0) return;
    std::vector<std::string> all{EVENCUBE_PROGRAM};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (auto& one : all) pointers.push_back(one.data());
    pointers.push_back(nullptr);
    ::execv(EVENCUBE_PROGRAM, pointers.data());
    ::_exit(127);
  }
  on_terminal(const on_terminal&) = delete;
  on_terminal& operator=(const on_terminal&) = delete;
  ~on_terminal() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      static_cast<void>(status());
    }
    ::close(screen_);
  }

  /// Until `text` has appeared; false if the program ended, or a minute passed, without it.
  bool shows(const std::string& text) {
    while (shown_.find(text) == std::string::npos) {
      if (!read_more()) return false;
    }
    return true;
  }
  /// All that appeared until the program ended.
  const std::string& rest() {
    while (read_more()) {
    }
    return shown_;
  }
  void interrupt() const { ::kill(child_, SIGINT); }
  /// Exit code, or 128 and the signal that ended it.
  int status() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  bool read_more() {
    pollfd ready{screen_, POLLIN, 0};
    if (::poll(&ready, 1, 60'000) <= 0) return false;
    char piece[4096];
    const auto count = ::read(screen_, piece, sizeof piece);
    if (count <= 0) return false;
    shown_.append(piece, static_cast<std::size_t>(count));
    return true;
  }

  int screen_ = -1;
  pid_t child_ = -1;
  std::string shown_;
};

TEST(live, redraws_in_place_and_leaves_the_terminal_as_it_was) {
  on_terminal program{words("run spin --size 2000 --task-us 1000 --workers 2 --live --live-ms 20")};
  const std::string shown = program.rest();
  EXPECT_EQ(program.status(), 0);
  EXPECT_THAT(shown, AllOf(HasSubstr("worker       load"), HasSubstr("tasks/s"),
                           HasSubstr("tasks moved over dimension 0: ")));
  // Two lines, two workers and the moves: back up over them.
  EXPECT_THAT(shown, HasSubstr("\x1b[5A\r\x1b[J"));
  const auto hidden = shown.find(hide_cursor);
  ASSERT_NE(hidden, std::string::npos);
  EXPECT_GT(shown.rfind(show_cursor), hidden);
  EXPECT_GT(shown.rfind("verified"), shown.rfind(show_cursor));
}

TEST(live, gives_the_cursor_back_when_it_is_interrupted) {
  on_terminal program{
      words("run spin --size 3000 --task-us 1000 --workers 1 --live --live-ms 20 --no-verify")};
  ASSERT_TRUE(program.shows(hide_cursor));
  ASSERT_TRUE(program.shows("tasks/s"));
  program.interrupt();
  EXPECT_GT(program.rest().rfind(show_cursor), program.rest().rfind(hide_cursor));
  EXPECT_EQ(program.status(), 128 + SIGINT);
}

TEST(live, is_a_plain_line_each_time_elsewhere) {
  const auto result =
      evencube(words("run spin --size 2000 --task-us 1000 --workers 2 --live --live-ms 20 --json"));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.as_json().at("tasks"), 2000);
  EXPECT_THAT(result.err, AllOf(HasSubstr("spin 0."), HasSubstr("worker 1: load "),
                                HasSubstr("moved over dimension 0: "), Not(HasSubstr("\x1b"))));
  EXPECT_GE(std::ranges::count(result.err, '\n'), 2);
}

TEST(live, tells_the_rest_of_a_short_run_at_its_end) {
  const auto result = evencube(words("run spin --size 10 --task-us 1 --workers 1 --live"));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1);
  EXPECT_THAT(result.err, HasSubstr("worker 0: load 0"));
}

TEST(live, refuses_what_cannot_be_shown) {
  const auto refusal = [](const std::string& options) {
    const auto result = evencube(words("run spin --size 10 " + options));
    EXPECT_EQ(result.status, 2) << options;
    return result.err;
  };
  EXPECT_THAT(refusal("--live --forecast"), HasSubstr("--forecast with --live"));
  EXPECT_THAT(refusal("--live-ms 100"), HasSubstr("--live-ms 100: is allowed only with --live"));
  EXPECT_THAT(refusal("--live --live-ms 5"), HasSubstr("from 10 to 3600000"));
}

}  // namespace
}  // namespace evencube::cli::testing
