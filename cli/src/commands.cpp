#include "commands.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <sstream>
#include <vector>

#include "console.hpp"

namespace evencube::cli {
namespace {

struct known_command {
  std::string_view name;
  void (*add)(CLI::App&);
};

/// In the order in which the help lists them.
constexpr std::array<known_command, 14> commands{{{"run", add_run_command},
                                                  {"speedup", add_speedup_command},
                                                  {"compare", add_compare_command},
                                                  {"demo", add_demo_command},
                                                  {"plan", add_plan_command},
                                                  {"topology", add_topology_command},
                                                  {"balancers", add_balancers_command},
                                                  {"simulate", add_simulate_command},
                                                  {"reproduce", add_reproduce_command},
                                                  {"whatif", add_whatif_command},
                                                  {"trace", add_trace_command},
                                                  {"lab", add_lab_command},
                                                  {"help", add_help_command},
                                                  {"completion", add_completion_command}}};

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

/// The names of all commands, in the order of the help: "run, speedup, ...".
std::string names_of_commands(const CLI::App& app) {
  std::string names;
  for (const CLI::App* const command : app.get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

const CLI::App& command_named(const CLI::App& program, const std::string& name) {
  const auto named =
      program.get_subcommands([&](const CLI::App* c) { return c->get_name() == name; });
  if (named.empty()) {
    throw usage_error("unknown command \"" + name + "\"; known: " + names_of_commands(program));
  }
  return *named.front();
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
    return "unknown option " + quoted(words.front());
  }
  if (no_command) {
    return (any ? "unknown command " + quoted(words.front()) : "the command is missing") +
           "; known: " + names_of_commands(app);
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
      "EvenCube runs tasks on pinned workers that form a hypercube, and plans where work "
      "goes instead of stealing at random.");
  app.footer(
      "Examples:\n"
      "  evencube demo\n"
      "  evencube run edges --input photo.png --output edges.png\n"
      "  evencube plan dem --topology hypercube:3 --loads 15,1,1,1,1,1,1,1\n"
      "\n"
      "`evencube COMMAND --help` tells more.");
  app.set_version_flag("--version", "evencube " EVENCUBE_VERSION);
  app.require_subcommand(1);
  const auto* const chosen = std::ranges::find(commands, only, &known_command::name);
  for (const known_command& command : commands) {
    if (chosen == commands.end() || chosen->name == command.name) command.add(app);
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
    std::ostringstream text;
    const int status = app.exit(help, text, text);
    return {.status = status, .help = text.str()};
  } catch (const CLI::ParseError& problem) {
    const auto chosen = app.get_subcommands();
    return {.status = exit_bad_usage,
            .problem = what_is_wrong(app, problem),
            .hint = "Try: evencube " + (chosen.empty() ? "" : chosen.front()->get_name() + " ") +
                    "--help"};
  }
}

void add_help_command(CLI::App& app) {
  auto of = std::make_shared<std::string>();
  CLI::App* const command =
      app.add_subcommand("help", "Print what --help prints, of the program or of a command");
  command->add_option("COMMAND", *of, "Of which command; none: of the program");
  command->footer("Examples:\n  evencube help\n  evencube help run");
  command->callback([&app, of] {
    // Not app.help(): that is of the command which was chosen, and so of this one.
    const auto& chosen = of->empty() ? app : command_named(app, *of);
    const std::string name = of->empty() ? "evencube" : "evencube " + *of;
    print(app.get_formatter()->make_help(&chosen, name, CLI::AppFormatMode::Normal));
  });
}

}  // namespace evencube::cli
