// Manual pages and completions are made of what the commands say of themselves: they name all of
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "../workloads/test_images.hpp"
#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Of --help: its commands, or its options' long names.
std::set<std::string> named_in(const std::string& help, const char* expression) {
  std::set<std::string> names;
  const std::regex name(expression);
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_search(line, found, name)) names.insert(found[1]);
  }
  return names;
}
std::set<std::string> commands() {
  const std::string help = evencube({"--help"}).out;
  return named_in(help.substr(help.find("Subcommands:")), "^  ([a-z]+)  ");
}
std::set<std::string> options(const std::string& command) {
  return named_in(evencube({command, "--help"}).out, "^  (?:-h,)?(--[a-z-]+)");
}

std::string without_backslashes(std::string text) {
  std::erase(text, '\\');
  return text;
}

TEST(manual, has_a_page_for_every_command_with_all_its_options) {
  const std::string whole = without_backslashes(evencube({"manual"}).out);
  EXPECT_THAT(whole, StartsWith(".TH"));
  EXPECT_THAT(commands(), ::testing::IsSupersetOf({"run", "plan", "manual", "completion"}));
  for (const std::string& command : commands()) {
    EXPECT_THAT(whole, HasSubstr("evencube-" + command));
    const auto page = evencube({"manual", command});
    EXPECT_EQ(page.status, 0);
    EXPECT_THAT(page.out, StartsWith(".TH \"EVENCUBE\\-"));
    EXPECT_THAT(options(command), Not(::testing::IsEmpty()));
    for (const std::string& option : options(command)) {
      EXPECT_THAT(without_backslashes(page.out), HasSubstr("fB" + option + "fR")) << command;
    }
  }
}

TEST(manual, refuses_a_command_that_is_not_there) {
  const auto result = evencube({"manual", "fly"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("unknown command \"fly\""));
}

TEST(manual, is_what_groff_understands) {
  if (std::system("command -v groff >/dev/null") != 0) GTEST_SKIP() << "no groff here";
  const workloads::testing::scratch_folder folder;
  const std::string share = (folder.path() / "share").string();
  ASSERT_EQ(evencube({"manual", "--all", share}).status, 0);
  for (const std::string& command : commands()) {
    const std::string page = share + "/man/man1/evencube-" + command + ".1";
    ASSERT_TRUE(std::filesystem::exists(page)) << page;
    // It prints a warning for every macro and escape that it does not know.
    EXPECT_EQ(std::system(("test -z \"$(groff -man -ww -z -Tutf8 '" + page + "' 2>&1)\"").c_str()),
              0)
        << page;
  }
}

TEST(completion, knows_all_commands_and_options) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string script = evencube({"completion", shell}).out;
    for (const std::string& command : commands()) EXPECT_THAT(script, HasSubstr(command)) << shell;
    EXPECT_THAT(script, HasSubstr(shell == "fish" ? "-l balancer" : "--balancer")) << shell;
    EXPECT_THAT(script, HasSubstr("sender_initiated")) << shell;
  }
  const auto refused = evencube({"completion", "dos"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("'dos'; bash, zsh and fish"));
}

/// What bash offers for these words, the last of which has been begun.
std::string completed(const std::string& words) {
  const std::string script =
      "source <(" EVENCUBE_PROGRAM " completion bash); COMP_WORDS=(" + words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _evencube; echo \"${COMPREPLY[*]}\"";
  const auto shell = run("/bin/bash", {"-c", script});
  EXPECT_EQ(shell.err, "");
  return shell.out;
}

TEST(completion, completes_in_bash) {
  EXPECT_EQ(completed("evencube top"), "topology\n");
  EXPECT_EQ(completed("evencube run --placem"), "--placement\n");
  EXPECT_EQ(completed("evencube run edges --placement s"), "spread skewed\n");
  EXPECT_EQ(completed("evencube plan sender"), "\n");  // a file's name, which bash finds itself
}

// The values that completions offer are what the program takes.
TEST(completion, offers_values_that_are_allowed) {
  const std::string script = evencube({"completion", "bash"}).out;
  const std::regex entry("(--[a-z]+)\\)\n +mapfile -t COMPREPLY < <\\(compgen -W '([^']*)'");
  int tried = 0;
  for (std::sregex_iterator found(script.begin(), script.end(), entry), none; found != none;
       ++found) {
    std::istringstream words((*found)[2]);
    for (std::string word; words >> word;) {
      const auto result = evencube({"run", "spin", "--size", "4", "--task-us", "1", "--workers",
                                    "2", (*found)[1], word, "--json"});
      EXPECT_EQ(result.status, 0) << (*found)[1] << ' ' << word << ": " << result.err;
      ++tried;
    }
  }
  EXPECT_GT(tried, 30);
}

}  // namespace
}  // namespace evencube::cli::testing
