#pragma once

#include <CLI/App.hpp>

namespace evencube::cli {

// As those of commands.hpp: each adds one subcommand, which does its work when it is parsed.
void add_simulate_command(CLI::App& app);
void add_reproduce_command(CLI::App& app);

}  // namespace evencube::cli
