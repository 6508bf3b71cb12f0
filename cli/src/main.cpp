#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "commands.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "interruption.hpp"

int main(int count, char** arguments) {
  evencube::cli::occupy_standard_streams();
  evencube::cli::clean_up_on_signals();
  CLI::App app{
      "EvenCube runs tasks on pinned workers that form a hypercube, and plans where work "
      "goes instead of stealing at random.",
      "evencube"};
  app.footer(
      "Examples:\n"
      "  evencube demo\n"
      "  evencube run edges --input photo.png --output edges.png\n"
      "  evencube plan dem --topology hypercube:3 --loads 15,1,1,1,1,1,1,1\n"
      "\n"
      "`evencube COMMAND --help` tells more.");
  app.set_version_flag("--version", "evencube " EVENCUBE_VERSION);
  app.require_subcommand(1);
  evencube::cli::add_run_command(app);
  evencube::cli::add_demo_command(app);
  evencube::cli::add_plan_command(app);
  evencube::cli::add_topology_command(app);
  evencube::cli::add_balancers_command(app);
  evencube::cli::add_simulate_command(app);
  evencube::cli::add_reproduce_command(app);
  evencube::cli::add_whatif_command(app);
  try {
    app.parse(count, arguments);
  } catch (const CLI::Success& help) {
    const int status = app.exit(help);
    if (!std::cout.flush()) {
      evencube::cli::complain("cannot write to standard output");
      return evencube::cli::exit_failure;
    }
    return status;
  } catch (const CLI::ParseError& problem) {
    const auto chosen = app.get_subcommands();
    evencube::cli::complain(
        problem.what(),
        "Try: evencube " + (chosen.empty() ? "" : chosen.front()->get_name() + " ") + "--help");
    return evencube::cli::exit_bad_usage;
  } catch (const evencube::cli::usage_error& problem) {
    evencube::cli::complain(problem.what());
    return evencube::cli::exit_bad_usage;
  } catch (const evencube::cli::interrupted& end) {
    if (*end.what() != '\0') evencube::cli::complain(end.what());
    return 128 + end.signal();
  } catch (const std::bad_alloc&) {
    evencube::cli::complain("there is not enough memory for this");
    return evencube::cli::exit_bad_usage;
  } catch (const std::exception& problem) {
    evencube::cli::complain(problem.what());
    return evencube::cli::exit_failure;
  }
  return evencube::cli::exit_success;
}
