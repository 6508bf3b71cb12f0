// Manual pages and completions are made of what the commands say of themselves: they name all of
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

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
  return named_in(help.substr(help.find("Run and measure:")), "^  ([a-z]+)  ");
}
std::set<std::string> options(const std::string& command) {
  return named_in(evencube({command, "--help"}).out, "^  (?:-h,)?(--[a-z-]+)");
}

std::string without_backslashes(std::string text) {
  std::erase(text, '\\');
  return text;
}

/// The page of a command, made of its --help by help2man where that is.
std::string page_of(const std::string& command) {
  return EVENCUBE_SHARE "/man/man1/evencube" + (command.empty() ? "" : "-" + command) + ".1";
}

TEST(manual, has_a_page_for_every_command_with_all_its_options) {
  if (!std::filesystem::exists(page_of(""))) GTEST_SKIP() << "built without help2man";
  EXPECT_THAT(commands(), ::testing::IsSupersetOf({"run", "plan", "help", "completion"}));
  for (const std::string& command : commands()) {
    std::ostringstream text;
    text << std::ifstream(page_of(command)).rdbuf();
    const std::string page = without_backslashes(text.str());
    EXPECT_THAT(page, HasSubstr("\nevencube-" + command + " - "));
    EXPECT_THAT(page, HasSubstr(".SH \"EXIT STATUS\""));
    EXPECT_THAT(options(command), Not(::testing::IsEmpty()));
    for (const std::string& option : options(command)) {
      EXPECT_THAT(page, HasSubstr(option)) << command;
    }
  }
  std::ostringstream text;
  text << std::ifstream(page_of("run")).rdbuf();
  EXPECT_THAT(without_backslashes(text.str()), HasSubstr("--zoom"));  // of one workload
}

TEST(manual, is_what_groff_understands) {
  if (!std::filesystem::exists(page_of(""))) GTEST_SKIP() << "built without help2man";
  if (std::system("command -v groff >/dev/null") != 0) GTEST_SKIP() << "no groff here";
  for (const std::string& command : commands()) {
    // It prints a warning for every macro and escape that it does not know.
    EXPECT_EQ(
        run("/bin/sh", {"-c", "groff -man -ww -z -Tutf8 '" + page_of(command) + "' 2>&1"}).out, "");
  }
}

/// Words offered for these, the last of which has been begun; less what they mean.
std::vector<std::string> offered(std::vector<std::string> words) {
  words.insert(words.begin(), "__complete");
  std::istringstream lines(evencube(words).out);
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);) {
    found.push_back(line.substr(0, line.find('\t')));
  }
  return found;
}

TEST(completion, knows_all_commands_and_options) {
  EXPECT_THAT(offered({""}), ::testing::IsSupersetOf(commands()));
  for (const std::string& command : commands()) {
    EXPECT_THAT(offered({command, "--"}), ::testing::IsSupersetOf(options(command))) << command;
  }
  EXPECT_THAT(evencube({"__complete", "run", "--pla"}).out, StartsWith("--placement\t"
                                                                       "The workers on which"));
  EXPECT_THAT(evencube({"--help"}).out, Not(HasSubstr("__complete")));
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    EXPECT_THAT(evencube({"completion", shell}).out, HasSubstr("evencube __complete")) << shell;
  }
  const auto refused = evencube({"completion", "dos"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("'dos'; it is for bash, zsh and fish"));
}

// Whatever stands there, nothing is run and nothing refused.
TEST(completion, takes_any_words) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{},
                                                {"fly", ""},
                                                {"=", "="},
                                                {":", ":"},
                                                {"run", "--balancer"},
                                                {"run", "--fly", "", ""},
                                                {"--help"},
                                                {"run", "--help", "x"},
                                                {"run", "--=", "--="}}) {
    auto all = words;
    all.insert(all.begin(), "__complete");
    const auto result = evencube(all);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.err, "");
  }
}

const std::string with_program_on_path =
    "PATH=" + quoted(std::filesystem::path(EVENCUBE_PROGRAM).parent_path()) + ":$PATH; ";

/// What bash offers for these words, the last of which has been begun.
std::string completed(const std::string& words) {
  const std::string script =
      with_program_on_path + "source <(evencube completion bash); COMP_WORDS=(" + words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _evencube evencube; echo \"${COMPREPLY[*]}\"";
  const auto shell = run("/bin/bash", {"-c", script});
  EXPECT_EQ(shell.err, "");
  return shell.out;
}

TEST(completion, completes_in_bash) {
  EXPECT_EQ(completed("evencube top"), "topology\n");
  EXPECT_EQ(completed("evencube run --placem"), "--placement\n");
  EXPECT_EQ(completed("evencube run edges --placement s"), "spread skewed\n");
  EXPECT_EQ(completed("evencube plan --loads send"), "\n");  // nothing that can be known
  EXPECT_EQ(completed("evencube trace my"), "\n");  // a file's name, which bash finds itself
}

TEST(completion, completes_what_stands_without_a_name) {
  for (const std::string command : {"run", "speedup", "compare"}) {
    EXPECT_EQ(completed("evencube " + command + " ma"), "mandelbrot matmul\n") << command;
  }
  EXPECT_EQ(completed("evencube plan sender"), "sender_initiated\n");
  EXPECT_EQ(completed("evencube simulate ba"), "batch\n");
  EXPECT_EQ(completed("evencube reproduce al"), "all\n");
  EXPECT_EQ(completed("evencube reproduce rim-table-1 loh-t"),
            "loh-table-a loh-table-1 loh-table-2-3\n");
  EXPECT_EQ(completed("evencube help sim"), "simulate\n");
  EXPECT_EQ(completed("evencube completion ''"), "bash zsh fish\n");
  // Not twice where one is enough, wherever options stand and however their values do.
  EXPECT_EQ(completed("evencube run edges ma"), "\n");
  EXPECT_EQ(completed("evencube run --json --balancer oem ma"), "mandelbrot matmul\n");
  EXPECT_EQ(completed("evencube run --balancer = oem ma"), "mandelbrot matmul\n");
  EXPECT_EQ(completed("evencube run --balancer = oem edges ma"), "\n");
  EXPECT_EQ(completed("evencube compare edges ma"), "mandelbrot matmul\n");
}

TEST(completion, completes_values_of_options) {
  EXPECT_EQ(completed("evencube run --balancer = oe"), "oem\n");
  EXPECT_EQ(completed("evencube run --balancer random_"), "random_stealing\n");
  EXPECT_EQ(completed("evencube simulate --balancer random_"), "\n");  // which only plans
  EXPECT_EQ(completed("evencube topology --topology hyper"), "hypercube:\n");
  EXPECT_EQ(completed("evencube compare --balancer dem,oe"), "dem,oem\n");
  EXPECT_EQ(completed("evencube run --engine evencube,op"), "evencube,openmp\n");
  EXPECT_EQ(completed("evencube plan dem --quota h"), "halving\n");
  EXPECT_EQ(completed("evencube plan dem --option quo"), "quota=\n");
  // An option of this name has words of its own in other commands.
  EXPECT_EQ(completed("evencube plan dem --order ''"), "ascending descending\n");
  EXPECT_EQ(completed("evencube run --order ''"), "largest newest\n");
}

TEST(completion, completes_in_fish) {
  if (std::system("command -v fish >/dev/null") != 0) GTEST_SKIP() << "no fish here";
  const auto words = [](const std::string& line) {
    return run("/bin/sh", {"-c", with_program_on_path +
                                     "fish --no-config -c 'evencube completion fish | source; "
                                     "complete -C \"" +
                                     line + "\"' | cut -f 1 | sort | tr '\\n' ' '"})
        .out;
  };
  EXPECT_EQ(words("evencube top"), "topology ");
  EXPECT_EQ(words("evencube run ma"), "mandelbrot matmul ");
  EXPECT_EQ(words("evencube run --placement s"), "skewed spread ");
  EXPECT_EQ(words("evencube compare --balancer dem,oe"), "dem,oem ");
}

// The builtins of zsh's completion are there in its line editor alone: here they print what they
// are given, less what does not match.
TEST(completion, completes_in_zsh) {
  EXPECT_THAT(evencube({"completion", "zsh"}).out, Not(HasSubstr("mapfile")));  // bash's own
  if (std::system("command -v zsh >/dev/null") != 0) GTEST_SKIP() << "no zsh here";
  const auto words = [](const std::string& line) {
    const auto shell = run("/bin/sh", {"-c", with_program_on_path + R"(zsh -f -c '
          compdef() { }
          compset() { [[ $PREFIX == ${~2}* ]] && PREFIX=${PREFIX##${~2}} }
          compadd() {
            while [[ $1 != -- ]]; do shift; done
            shift
            print -rn -- ${(j: :)${(M)@:#$PREFIX*}}
            ((${#${(M)@:#$PREFIX*}} > 0))
          }
          _describe() { compadd -- ${${(P)4}%%:*} }
          _files() { print -rn -- files }
          source <(evencube completion zsh)
          words=()" + line + R"(); CURRENT=${#words}; PREFIX=${words[CURRENT]}
          _evencube')"});
    EXPECT_EQ(shell.err, "") << line;
    return shell.out;
  };
  EXPECT_EQ(words("evencube top"), "topology");
  EXPECT_EQ(words("evencube run ma"), "mandelbrot matmul");
  EXPECT_EQ(words("evencube run --placem"), "--placement");
  EXPECT_EQ(words("evencube run edges --placement s"), "spread skewed");
  EXPECT_EQ(words("evencube run --balancer=oe"), "--balancer=oem");
  EXPECT_EQ(words("evencube run --json --balancer oem edges ma"), "files");
  EXPECT_EQ(words("evencube compare --balancer dem,oe"), "dem,oem");
  EXPECT_EQ(words("evencube topology --topology hyper"), "hypercube:");
  EXPECT_EQ(words("evencube trace a"), "files");
}

/// What completion offers where an option's value stands: "run --mode" and its words.
std::map<std::string, std::vector<std::string>> offered_values() {
  std::map<std::string, std::vector<std::string>> all;
  for (const std::string command : {"run", "simulate", "topology"}) {
    for (const std::string& option : options(command)) {
      const auto words = offered({command, option, ""});
      // After what takes no value comes an argument.
      if (words != offered({command, ""})) all[command + " " + option] = words;
    }
  }
  return all;
}

// The values that completions offer are what the program takes; with something behind those that
// go on.
TEST(completion, offers_values_that_are_allowed) {
  const std::map<std::string, std::vector<std::string>> commands{
      {"run", {"run", "spin", "--size", "4", "--task-us", "1", "--workers", "2", "--json"}},
      {"simulate", {"simulate", "batch", "--topology", "cube:4", "--horizon", "1", "--json"}},
      {"topology", {"topology", "--json"}}};
  const std::map<std::string, std::string> rests{{"mesh:", "2x2"},
                                                 {"torus:", "3x3"},
                                                 {"edges:", "0-1"},
                                                 {"threshold:", "1,3"},
                                                 {"uniform:", "1,2"},
                                                 {"pareto:", "1,3"},
                                                 {"hypercube:", "2"},
                                                 {"fibonacci:", "3"},
                                                 {"utilisation:", "1,0.5"},
                                                 {"bimodal:", "1,2,0.5"},
                                                 {"fibonacci-composite:", "16"}};
  std::map<std::string, int> tried;
  for (const auto& [place, words] : offered_values()) {
    const std::string command = place.substr(0, place.find(' '));
    const std::string option = place.substr(place.find(' ') + 1);
    const auto base = commands.find(command);
    if (base == commands.end() || option == "--balancer-option") continue;
    if (place == "simulate --topology") continue;  // not every balancer works on every network
    if (place == "run --sharing") continue;  // between ranks: tests/cluster/run_over_ranks_test.py
    for (std::string word : words) {
      if (word == "proximity:") continue;  // of balancers that nodes call by themselves
      std::vector<std::string> arguments = base->second;
      if (const auto rest = rests.find(word); rest != rests.end()) {
        word += rest->second;
      } else if (word.ends_with(':')) {
        word += "4";
      }
      if (option == "--engine") word = "evencube," + word;
      if (option == "--tree" || option == "--kernel") {
        arguments[1] = option == "--tree" ? "uts" : "matmul";
        arguments.erase(arguments.begin() + 4, arguments.begin() + 6);
        if (option == "--tree") arguments.erase(arguments.begin() + 2, arguments.begin() + 4);
        if (word != "tiny" && option == "--tree") continue;  // which take their time
      }
      if (const auto given = std::ranges::find(arguments, option); given != arguments.end()) {
        arguments.erase(given, given + 2);
      }
      arguments.insert(arguments.end(), {option, word});
      const auto result = evencube(arguments);
      EXPECT_EQ(result.status, 0) << place << ' ' << word << ": " << result.err;
      ++tried[command];
    }
  }
  EXPECT_GT(tried["run"], 40);
  EXPECT_GT(tried["simulate"], 40);
  EXPECT_GT(tried["topology"], 9);
}

}  // namespace
}  // namespace evencube::cli::testing
