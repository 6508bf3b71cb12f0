#include "commands.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>
#include <array>
#include <string>

#include "failure.hpp"

namespace evencube::cli {
namespace {

struct known_command {
  std::string_view name;
  void (*add)(CLI::App&);
};

/// In the order in which the help lists them.
constexpr std::array<known_command, 13> commands{{{"run", add_run_command},
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
                                                  {"help", add_help_command},
                                                  {"completion", add_completion_command}}};

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

}  // namespace evencube::cli
