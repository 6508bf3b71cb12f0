// Manual pages and completions are made of what the commands say of themselves: they name all of
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

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

TEST(manual, refuses_places_that_it_cannot_write) {
  for (const char* const place : {"/dev/null", "/proc/no"}) {
    const auto result = evencube({"manual", "--all", place});
    EXPECT_EQ(result.status, 2) << place;
    EXPECT_THAT(result.err, StartsWith("evencube: " + std::string(place) + "/man/man1: cannot"));
  }
  EXPECT_EQ(evencube({"manual", "fly", "--all", "/dev/null"}).status, 2);
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
  EXPECT_EQ(completed("evencube manual sim"), "simulate\n");
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
    return run("/bin/sh", {"-c", "fish --no-config -c '" EVENCUBE_PROGRAM
                                 " completion fish | source; complete -C \"" +
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
    const auto shell = run("/bin/sh", {"-c", R"(zsh -f -c '
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
          source <()" EVENCUBE_PROGRAM R"( completion zsh)
          words=()" + line + R"(); CURRENT=${#words}; PREFIX=${words[CURRENT]}
          _evencube')"});
    EXPECT_EQ(shell.err, "") << line;
    return shell.out;
  };
  EXPECT_EQ(words("evencube top"), "topology");
  EXPECT_EQ(words("evencube run ma"), "mandelbrot matmul");
  EXPECT_EQ(words("evencube run --placem"), "--placement");
  EXPECT_EQ(words("evencube run edges --placement s"), "spread skewed");
  EXPECT_EQ(words("evencube run --balancer=oe"), "oem");
  EXPECT_EQ(words("evencube run --json --balancer oem edges ma"), "files");
  EXPECT_EQ(words("evencube compare --balancer dem,oe"), "oem");
  EXPECT_EQ(words("evencube topology --topology hyper"), "hypercube:");
  EXPECT_EQ(words("evencube trace a"), "files");
}

/// What a completion offers where an option's value stands: "run --mode" and its words.
std::map<std::string, std::vector<std::string>> offered_values() {
  const std::string script = evencube({"completion", "bash"}).out;
  const std::regex entry(R"(\n    ('[^)]*)\)\n      known='([^']*)')");
  const std::regex place("'([^']*)'");
  std::map<std::string, std::vector<std::string>> all;
  for (std::sregex_iterator found(script.begin(), script.end(), entry), none; found != none;
       ++found) {
    const std::string places = (*found)[1];
    for (std::sregex_iterator at(places.begin(), places.end(), place); at != none; ++at) {
      std::istringstream words((*found)[2]);
      for (std::string word; words >> word;) all[(*at)[1]].push_back(word);
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
