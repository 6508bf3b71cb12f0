#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>

#include "failure.hpp"

namespace evencube::cli {

// Each adds one subcommand, which does its work when it is parsed. What it throws: usage_error,
// std::invalid_argument and image_error found before the work began are usage_error; everything
// else is a failed run.
void add_balancers_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_completion_command(CLI::App& app);
void add_demo_command(CLI::App& app);
void add_help_command(CLI::App& app);
void add_lab_command(CLI::App& app);
void add_plan_command(CLI::App& app);
void add_reproduce_command(CLI::App& app);
void add_run_command(CLI::App& app);
void add_simulate_command(CLI::App& app);
void add_speedup_command(CLI::App& app);
void add_topology_command(CLI::App& app);
void add_trace_command(CLI::App& app);
void add_whatif_command(CLI::App& app);

/// Gives an application its name, its commands and its help. Where `only` is the name of a command,
/// this command alone: who parses thousands of command lines need not wait for the others.
void add_everything(CLI::App& app, std::string_view only = {});

/// Every command's options take no empty value: that is a mistake, of a script mostly, and not the
/// absence of the option.
void refuse_empty_values(CLI::App& app);

/// CLI11 takes `--name=` for `--name`, whose value is the next word. Throws usage_error.
void refuse_empty_words(int count, const char* const* arguments);

/// How the parsing of a command line ended.
struct parse_end {
  int status = exit_success;
  std::string help = {};     ///< to be printed where that was asked for
  std::string problem = {};  ///< what is wrong with the words, which are named
  std::string hint = {};
};

/// Parses the words, which does what they ask for. Throws usage_error for values that are refused,
/// and what the work throws.
[[nodiscard]] parse_end parse(CLI::App& app, int count, const char* const* words);

}  // namespace evencube::cli
