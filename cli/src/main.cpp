#include <fmt/core.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "commands.hpp"
#include "failure.hpp"

int main(int count, char** arguments) {
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
      fmt::print(stderr, "evencube: cannot write to standard output\n");
      return evencube::cli::exit_failure;
    }
    return status;
  } catch (const CLI::ParseError& problem) {
    const auto chosen = app.get_subcommands();
    fmt::print(stderr, "evencube: {}\nTry: evencube {}--help\n", problem.what(),
               chosen.empty() ? std::string{} : chosen.front()->get_name() + " ");
    return evencube::cli::exit_bad_usage;
  } catch (const evencube::cli::usage_error& problem) {
    fmt::print(stderr, "evencube: {}\n", problem.what());
    return evencube::cli::exit_bad_usage;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "evencube: {}\n", problem.what());
    return evencube::cli::exit_failure;
  }
  return evencube::cli::exit_success;
}
