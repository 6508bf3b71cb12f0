#include "commands.hpp"

#include <fmt/format.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "console.hpp"
#include "nearest_word.hpp"
#include "workload_arguments.hpp"

namespace evencube::cli {
namespace {

struct known_command {
  std::string_view name;
  void (*add)(CLI::App&);
  const char* heading;
};

constexpr const char* under_measuring = "Run and measure";
constexpr const char* under_looking = "Look at a run or at the machine";
constexpr const char* under_planning = "Plan, simulate and forecast";
constexpr const char* under_helping = "Help";

/// In the order in which the help lists them.
constexpr std::array<known_command, 14> commands{
    {{"run", add_run_command, under_measuring},
     {"speedup", add_speedup_command, under_measuring},
     {"compare", add_compare_command, under_measuring},
     {"demo", add_demo_command, under_measuring},
     {"trace", add_trace_command, under_looking},
     {"topology", add_topology_command, under_looking},
     {"plan", add_plan_command, under_planning},
     {"balancers", add_balancers_command, under_planning},
     {"simulate", add_simulate_command, under_planning},
     {"whatif", add_whatif_command, under_planning},
     {"reproduce", add_reproduce_command, under_planning},
     {"lab", add_lab_command, under_planning},
     {"help", add_help_command, under_helping},
     {"completion", add_completion_command, under_helping}}};

/// What the program says if it is called without arguments.
constexpr const char* short_help =
    "Begin with:\n"
    "  evencube demo                  compare strategies on the edges of a picture\n"
    "  evencube run mandelbrot        run a program on all cores and serially\n"
    "  evencube speedup mandelbrot    measure it on more and more workers\n"
    "  evencube topology              show this machine and its workers' places\n"
    "  evencube --help                list all commands";

std::string quoted(const std::string& word) { return '"' + word + '"'; }

bool is_option(const std::string& word) { return word.starts_with('-'); }

/// CLI11 says "NAME: At Most 1 required but received 2" and "NAME: 1 required TEXT missing".
std::string wrong_number(const std::string& text) {
  const auto colon = text.find(": ");
  if (colon == std::string::npos) return text;
  const std::string name = text.substr(0, colon);
  const std::string_view rest = std::string_view(text).substr(colon + 2);
  if (rest.starts_with("At Most 1 ")) return name + " is given more than once";
  if (rest.ends_with(" missing")) return name + ": the value is missing";
  return text;
}

/// The names of all commands, in the order of the help.
std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  return names;
}

CLI::App& command_named(CLI::App& program, const std::string& name) {
  const auto named = program.get_subcommands([&](CLI::App* c) { return c->get_name() == name; });
  if (named.empty()) throw usage_error(unknown_word("command", name, names_of_commands(program)));
  return *named.front();
}

/// `unknown option "--siz"; did you mean "--size"?` for the options of the chosen command, or of
/// the program if none was chosen.
std::string unknown_option(const CLI::App& app, const std::string& word) {
  const auto chosen = app.get_subcommands();
  std::vector<std::string> known;
  for (const CLI::Option* const option : (chosen.empty() ? app : *chosen.front()).get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    for (const std::string& name : option->get_fnames()) known.push_back("--" + name);
  }
  return "unknown option " + quoted(word) + suggestion(word.substr(0, word.find('=')), known);
}

/// What CLI11 found wrong with the words of a command line, said so that the word is named, and for
/// a command also which ones there are.
std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& problem) {
  // The first that nobody took: those after it may be its values.
  const std::vector<std::string> words = app.remaining(true);
  const bool any = !words.empty();
  const bool no_command = app.get_subcommands().empty();
  const bool left = problem.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (any && (no_command || left) && is_option(words.front())) {
    return unknown_option(app, words.front());
  }
  if (no_command) {
    const std::vector<std::string> known = names_of_commands(app);
    return any ? unknown_word("command", words.front(), known)
               : fmt::format("the command is missing; known: {}", fmt::join(known, ", "));
  }
  if (any && left) return "one argument too many: " + quoted(words.front());
  if (problem.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) {
    return wrong_number(problem.what());
  }
  return problem.what();
}

}  // namespace

void add_everything(CLI::App& app, std::string_view only) {
  app.name("evencube");
  app.description(
      "EvenCube runs tasks on pinned workers that form a hypercube, and plans where tasks move "
      "instead of stealing at random.");
  app.footer(
      "Examples:\n"
      "  evencube demo\n"
      "  evencube run edges --input photo.png --output edges.png\n"
      "  evencube plan dem --topology hypercube:3 --loads 15,1,1,1,1,1,1,1\n"
      "\n"
      "`evencube COMMAND --help` explains a command.");
  app.set_version_flag("--version", "evencube " EVENCUBE_VERSION);
  app.require_subcommand(1);
  const auto* const chosen = std::ranges::find(commands, only, &known_command::name);
  for (const known_command& command : commands) {
    if (chosen != commands.end() && chosen->name != command.name) continue;
    command.add(app);
    app.get_subcommands({}).back()->group(command.heading);
  }
  refuse_empty_values(app);
}

void refuse_empty_values(CLI::App& app) {
  const CLI::Validator not_empty{
      [](const std::string& value) { return value.empty() ? "the value is empty" : ""; }, ""};
  for (CLI::App* const command : app.get_subcommands({})) {
    for (CLI::Option* const option : command->get_options()) {
      if (option->get_items_expected_max() > 0) option->check(not_empty);
    }
  }
}

void refuse_empty_words(int count, const char* const* arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (word == "--") return;
    if (word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1) {
      throw usage_error{std::string(word.substr(0, word.size() - 1)) + ": the value is empty"};
    }
  }
}

parse_end parse(CLI::App& app, int count, const char* const* words) {
  try {
    refuse_empty_words(count, words);
    app.parse(count, words);
    return {};
  } catch (const CLI::Success& help) {
    const bool of_all = dynamic_cast<const CLI::CallForAllHelp*>(&help) != nullptr;
    if (const auto chosen = app.get_subcommands(); !chosen.empty() && !of_all) {
      fit_help_to_workload(*chosen.front());
    }
    std::ostringstream text;
    const int status = app.exit(help, text, text);
    return {.status = status, .help = text.str()};
  } catch (const CLI::ParseError& problem) {
    const auto chosen = app.get_subcommands();
    return {.status = exit_bad_usage,
            .problem = what_is_wrong(app, problem),
            .hint = count < 2
                        ? short_help
                        : "Try: evencube " +
                              (chosen.empty() ? "" : chosen.front()->get_name() + " ") + "--help"};
  }
}

void add_help_command(CLI::App& app) {
  auto of = std::make_shared<std::string>();
  CLI::App* const command =
      app.add_subcommand("help", "Print help for the program or for one command");
  command->add_option("COMMAND", *of, "The command to describe (default: the whole program)");
  command->footer("Examples:\n  evencube help\n  evencube help run");
  command->callback([&app, of] {
    // Not app.help(): that is of the command which was chosen, and so of this one.
    CLI::App& chosen = of->empty() ? app : command_named(app, *of);
    const std::string name = of->empty() ? "evencube" : "evencube " + *of;
    fit_help_to_workload(chosen);
    print(app.get_formatter()->make_help(&chosen, name, CLI::AppFormatMode::Normal));
  });
}

}  // namespace evencube::cli
