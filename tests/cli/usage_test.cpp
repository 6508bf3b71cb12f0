// Help, version, the list of balancers, and how the program fails.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <evencube/balancers/registry.hpp>

#include "../workloads/test_images.hpp"
#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(help, every_command_has_one_with_examples) {
  EXPECT_THAT(evencube({"--help"}).out, HasSubstr("Examples:"));
  for (const std::string command :
       {"run", "demo", "plan", "topology", "balancers", "simulate", "reproduce", "whatif"}) {
    const auto result = evencube({command, "--help"});
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_EQ(result.err, "") << command;
    EXPECT_THAT(result.out, HasSubstr("Example")) << command;
    EXPECT_THAT(result.out, HasSubstr("  evencube " + command)) << command;
    EXPECT_THAT(evencube({"--help"}).out, HasSubstr("  " + command)) << command;
  }
}

TEST(help, is_a_command_too) {
  EXPECT_EQ(evencube({"help"}).out, evencube({"--help"}).out);
  for (const std::string command : {"run", "plan", "help", "completion"}) {
    EXPECT_EQ(evencube({"help", command}).out, evencube({command, "--help"}).out) << command;
  }
}

TEST(help, lists_the_commands_in_groups) {
  const std::string help = evencube({"--help"}).out;
  std::size_t before = 0;
  for (const std::string line :
       {"\nRun and measure:\n  run ", "\n  demo ", "\nLook at a run or at the machine:\n  trace ",
        "\nPlan, simulate and forecast:\n  plan ", "\nHelp:\n  help "}) {
    const std::size_t found = help.find(line);
    ASSERT_NE(found, std::string::npos) << line;
    EXPECT_GT(found, before) << line;
    before = found;
  }
}

TEST(help, of_a_workload_shows_its_own_options_defaults_and_examples) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "mandelbrot", "--help"}, {"run", "--help", "mandelbrot"}}) {
    const auto result = evencube(words);
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.out, HasSubstr("mandelbrot: the Mandelbrot set"));
    EXPECT_THAT(result.out, HasSubstr("\nOptions of the workload:\n  --size NUMBER "));
    EXPECT_THAT(result.out, HasSubstr(" side of the picture (default 1024)\n"));
    EXPECT_THAT(result.out, HasSubstr("--zoom"));
    EXPECT_THAT(result.out, HasSubstr("lightning.png"));
    EXPECT_THAT(result.out, HasSubstr("--workers"));
    for (const char* const other : {"--task-us", "--samples", "pagerank", "photo.png", "nbody"}) {
      EXPECT_THAT(result.out, Not(HasSubstr(other)));
    }
  }
  EXPECT_THAT(evencube({"speedup", "uts", "--help"}).out, HasSubstr("--tree"));
  EXPECT_THAT(evencube({"speedup", "uts", "--help"}).out, Not(HasSubstr("--zoom")));
  EXPECT_THAT(evencube({"compare", "heat", "--help"}).out, HasSubstr("--frames"));
  EXPECT_THAT(evencube({"run", "pagerank", "--help"}).out, HasSubstr("  evencube run pagerank\n"));
  // What writes nothing has no --output.
  EXPECT_THAT(evencube({"run", "uts", "--help"}).out, Not(HasSubstr("--output TEXT")));
}

TEST(help, without_a_workload_lists_them_with_the_names_of_their_options) {
  for (const std::string command : {"run", "speedup", "compare"}) {
    const std::string help = evencube({command, "--help"}).out;
    EXPECT_THAT(help, HasSubstr("evencube " + command + " WORKLOAD --help"));
    EXPECT_THAT(help, HasSubstr("\n  uts "));
    EXPECT_THAT(help, HasSubstr("\n              --size --tile"));
    EXPECT_THAT(help, HasSubstr("\nStrategy:\n"));
    EXPECT_THAT(help, HasSubstr("\nResults:\n"));
    EXPECT_THAT(help, Not(HasSubstr("(default 5000)")));  // of one workload
    EXPECT_THAT(evencube({command, "--help-all"}).out, HasSubstr("(default 5000)"));
  }
}

TEST(version, is_printed) {
  const auto result = evencube({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, ::testing::MatchesRegex("evencube [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(usage, without_or_with_an_unknown_command_fails_with_a_hint) {
  for (const auto& arguments : {std::vector<std::string>{}, {"fly"}, {"--fly"}}) {
    const auto result = evencube(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("evencube: "));
    EXPECT_THAT(result.err, HasSubstr("evencube --help"));
  }
}

TEST(usage, names_the_word_that_is_wrong_and_the_commands_that_there_are) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{}, "evencube: the command is missing; known: run, speedup, "},
      {{"fly"}, "evencube: unknown command \"fly\"; known: run, speedup, "},
      {{"fly", "--high", "7"}, "evencube: unknown command \"fly\"; known: run, speedup, "},
      {{"help", "fly"}, "evencube: unknown command \"fly\"; known: run, speedup, "},
      {{"--fly"}, "evencube: unknown option \"--fly\"\n"},
      {{"--fly", "balancers"}, "evencube: unknown option \"--fly\"\n"},
      {{"run", "spin", "--colour", "5"}, "evencube: unknown option \"--colour\"\n"},
      {{"run", "spin", "more"}, "evencube: one argument too many: \"more\"\n"},
      {{"run", "spin", "--workers"}, "evencube: --workers: the value is missing\n"},
      {{"plan", "dem", "--loads", "1", "--loads", "2"},
       "evencube: --loads is given more than once\n"}};
  for (const auto& [arguments, message] : wrong) {
    const auto result = evencube(arguments);
    EXPECT_EQ(result.status, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    EXPECT_THAT(result.err, StartsWith(message));
  }
}

TEST(usage, without_a_command_begins_with_what_to_try) {
  const std::string err = evencube({}).err;
  EXPECT_THAT(err, HasSubstr("\n  evencube demo  "));
  EXPECT_THAT(err, HasSubstr("\n  evencube --help  "));
  EXPECT_LT(std::ranges::count(err, '\n'), 10);
}

TEST(usage, asks_whether_a_similar_word_was_meant) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"speadup", "spin"}, "unknown command \"speadup\"; did you mean \"speedup\"? known: run, "},
      {{"help", "tpology"}, "unknown command \"tpology\"; did you mean \"topology\"? known: "},
      {{"--hlep"}, "unknown option \"--hlep\"; did you mean \"--help\"?\n"},
      {{"run", "spin", "--siz", "5"}, "unknown option \"--siz\"; did you mean \"--size\"?\n"},
      {{"run", "spin", "--task_us=5"},
       "unknown option \"--task_us=5\"; did you mean \"--task-us\"?\n"},
      {{"run", "Mandelbrod"},
       "unknown workload \"Mandelbrod\"; did you mean \"mandelbrot\"? known: edges, "},
      {{"speedup", "haet"}, "unknown workload \"haet\"; did you mean \"heat\"? known: edges, "},
      {{"compare", "edge"}, "unknown workload \"edge\"; did you mean \"edges\"? known: edges, "},
      {{"run", "spin", "--balancer", "random-stealing"},
       "unknown balancer \"random-stealing\"; did you mean \"random_stealing\"? known: "
       "random_stealing, "},
      {{"plan", "difusion", "--loads", "1"},
       "unknown balancer \"difusion\"; did you mean \"diffusion\"? known: none, "},
      {{"simulate", "batch", "--balancer", "oen"},
       "unknown balancer \"oen\"; did you mean \"oem\"? known: "},
      {{"simulate", "bach"}, "unknown preset \"bach\"; did you mean \"batch\"? known: "},
      {{"reproduce", "loh-tabel-1"},
       "unknown reproduction \"loh-tabel-1\"; did you mean \"loh-table-1\"? known: all, "},
      {{"run", "spin", "--placement", "scewed"}, "; did you mean \"skewed\"?"}};
  for (const auto& [arguments, message] : wrong) {
    const auto result = evencube(arguments);
    EXPECT_EQ(result.status, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
}

TEST(balancers_json, lists_the_registry) {
  const auto listed = evencube({"balancers", "--json"}).as_json();
  EXPECT_EQ(keys(listed), (std::set<std::string>{"balancers"}));
  const auto registered = registered_balancers();
  ASSERT_EQ(listed["balancers"].size(), registered.size());
  for (std::size_t index = 0; index < registered.size(); ++index) {
    const auto& entry = listed["balancers"][index];
    EXPECT_EQ(entry["name"], registered[index].name);
    EXPECT_EQ(entry["difference"], registered[index].guarantees.difference_text);
    EXPECT_EQ(entry["options"].size(), registered[index].options.size());
  }
}

TEST(balancers_text, has_a_row_for_each) {
  const auto text = evencube({"balancers"}).out;
  for (const auto& descriptor : registered_balancers()) {
    EXPECT_THAT(text, HasSubstr("\n" + descriptor.name + " "));
    EXPECT_THAT(text, HasSubstr(descriptor.summary));
  }
}

TEST(output, that_cannot_be_written_is_a_failure) {
  const auto result = shell("\"$0\" balancers >/dev/full");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot write to standard output"));
  for (const std::string text : {"--help", "--version", "run --help", "help run"}) {
    const auto unwritten = shell("\"$0\" " + text + " >/dev/full");
    EXPECT_EQ(unwritten.status, 1);
    EXPECT_EQ(unwritten.err,
              "evencube: cannot write to standard output: No space left on device\n");
  }
}

TEST(environment, that_asks_for_no_number_of_workers_is_refused) {
  // Also where the runtime that reads it would only start when all the work was done.
  for (const std::string command :
       {"run spin --size 1", "topology", "simulate batch", "simulate --calibrate",
        "simulate batch --machine this", "reproduce loh-table-1 --no-plots", "demo --size 64",
        "run spin --size 1 --workers 2 --trace /dev/full",
        "run spin --size 1 --workers 2 --forecast"}) {
    for (const std::string workers : {"many", " 5", "+5", "0", "1025", "2x", "5 "}) {
      const auto result = shell("cd /tmp && EVENCUBE_WORKERS='" + workers + "' \"$0\" " + command);
      EXPECT_EQ(result.status, 2) << command;
      EXPECT_EQ(result.out, "") << command;
      if (command.find("/dev/full") != std::string::npos) continue;
      EXPECT_THAT(result.err, HasSubstr("EVENCUBE_WORKERS=" + workers)) << command;
    }
  }
  EXPECT_EQ(shell("EVENCUBE_WORKERS= \"$0\" topology").status, 0);
}

TEST(messages, are_no_reason_to_end_otherwise_where_nobody_reads_them) {
  for (const char* const nowhere : {"2>&-", "2>/dev/full", "2</dev/null"}) {
    EXPECT_EQ(shell(std::string{"\"$0\" fly "} + nowhere).status, 2);
    EXPECT_EQ(shell(std::string{"\"$0\" plan dem --loads 1,x "} + nowhere).status, 2);
    EXPECT_EQ(shell(std::string{"\"$0\" whatif /nowhere "} + nowhere).status, 2);
    EXPECT_EQ(shell(std::string{"\"$0\" balancers >/dev/full "} + nowhere).status, 1);
  }
  EXPECT_EQ(shell("\"$0\" balancers >&-").status, 1);
  EXPECT_EQ(shell("\"$0\" --version >&- 2>&- <&-").status, 1);
}

// What is opened later must not be given the number of a closed stream, and then its messages.
TEST(messages, do_not_go_into_an_output_file) {
  const workloads::testing::scratch_folder folder;
  const auto file = (folder / "m.json").string();
  const auto result = shell("\"$0\" simulate --calibrate --output " + file + " >&- 2>&- <&-");
  EXPECT_EQ(result.status, 1);  // the table could not be printed
  EXPECT_EQ(workloads::testing::file_bytes(file).front(), '{');
}

TEST(messages, show_control_characters_and_foreign_bytes_and_cut_what_is_long) {
  const auto strange = evencube({"plan", "dem\x1b[2J\x07\n\xff\xc2\x9b\xc3\xa9", "--loads", "1"});
  EXPECT_EQ(strange.status, 2);
  EXPECT_THAT(strange.err, HasSubstr("dem\\x1b[2J\\x07\\x0a\\xff\\xc2\\x9b\xc3\xa9"));
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"plan", "dem", "--loads", std::string(100'000, '7')},
        {"topology", "--topology", "edges:" + std::string(100'000, '1')},
        {"simulate", std::string(100'000, 'a')},
        {std::string(100'000, 'b')},
        {"run", "edges", "--input", std::string(3'000, 'c')}}) {
    const auto result = evencube(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_LT(result.err.size(), 2500U) << result.err;
    EXPECT_THAT(result.err, StartsWith("evencube: "));
  }
}

TEST(output, in_json_takes_names_that_are_no_text) {
  const workloads::testing::scratch_folder folder;
  const auto result = shell("cd " + folder.path().string() + " && name=$(printf 'a\\377b') && " +
                            "\"$0\" demo --size 64 --repeat 1 --json --folder \"$name\"");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.as_json().at("output"),
            "a\xef\xbf\xbd"
            "b/city-edges.png");
}

// A terminal obeys DEL and C1 controls, in UTF-8 as well.
TEST(output, in_json_has_no_control_characters) {
  const workloads::testing::scratch_folder folder;
  const auto result =
      shell("cd " + folder.path().string() + " && name=$(printf 'a\\177\\302\\233z') && " +
            "\"$0\" demo --size 64 --repeat 1 --json --folder \"$name\"");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("a\\u007f\\u009bz/city-edges.png"));
  EXPECT_EQ(result.as_json().at("output"), "a\x7f\xc2\x9bz/city-edges.png");
}

// Opening one would wait for somebody who writes.
TEST(inputs, that_are_pipes_are_refused_where_files_are_read) {
  const workloads::testing::scratch_folder folder;
  const std::string pipe = (folder.path() / "pipe.trace").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string command :
       {"simulate batch --machine ", "whatif ", "trace ", "compare ", "speedup edges --input "}) {
    const auto result = shell("timeout 20 \"$0\" " + command + pipe);
    EXPECT_EQ(result.status, 2) << command;
    EXPECT_THAT(result.err, HasSubstr(pipe)) << command;
  }
}

}  // namespace
}  // namespace evencube::cli::testing
