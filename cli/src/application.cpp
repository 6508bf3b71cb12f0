#include "application.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>

#include "commands.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "interruption.hpp"

namespace evencube::cli {
namespace {

/// An empty value is a mistake, of a script mostly, and not the absence of the option.
void refuse_empty_values(CLI::App& app) {
  const CLI::Validator not_empty{
      [](const std::string& value) { return value.empty() ? "the value is empty" : ""; }, ""};
  for (CLI::App* const command : app.get_subcommands({})) {
    for (CLI::Option* const option : command->get_options()) {
      if (option->get_items_expected_max() > 0) option->check(not_empty);
    }
  }
}

/// CLI11 takes `--name=` for `--name`, whose value is the next word.
void refuse_empty_words(int count, const char* const* arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (word == "--") return;
    if (word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1) {
      throw usage_error{std::string(word.substr(0, word.size() - 1)) + ": the value is empty"};
    }
  }
}

int run(CLI::App& app, int count, const char* const* arguments) {
  try {
    app.parse(count, arguments);
    return exit_success;
  } catch (const CLI::Success& help) {
    const int status = app.exit(help);
    if (!std::cout.flush()) {
      complain("cannot write to standard output");
      return exit_failure;
    }
    return status;
  } catch (const CLI::ParseError& problem) {
    const auto chosen = app.get_subcommands();
    complain(
        problem.what(),
        "Try: evencube " + (chosen.empty() ? "" : chosen.front()->get_name() + " ") + "--help");
    return exit_bad_usage;
  }
}

}  // namespace

void add_everything(CLI::App& app) {
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
  add_run_command(app);
  add_speedup_command(app);
  add_compare_command(app);
  add_demo_command(app);
  add_plan_command(app);
  add_topology_command(app);
  add_balancers_command(app);
  add_simulate_command(app);
  add_reproduce_command(app);
  add_whatif_command(app);
  add_trace_command(app);
  add_manual_command(app);
  add_completion_command(app);
  refuse_empty_values(app);
}

int run_application(int count, const char* const* arguments) noexcept {
  try {
    CLI::App app;
    add_everything(app);
    refuse_empty_words(count, arguments);
    return run(app, count, arguments);
  } catch (const usage_error& problem) {
    complain(problem.what());
    return exit_bad_usage;
  } catch (const interrupted& end) {
    if (*end.what() != '\0') complain(end.what());
    return 128 + end.signal();
  } catch (const std::bad_alloc&) {
    complain("there is not enough memory for this");
    return exit_bad_usage;
  } catch (const std::exception& problem) {
    complain(problem.what());
    return exit_failure;
  }
}

}  // namespace evencube::cli
