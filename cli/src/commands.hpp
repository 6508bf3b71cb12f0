#pragma once

#include <CLI/App.hpp>
#include <CLI/Error.hpp>
#include <string>
#include <string_view>

namespace evencube::cli {

// Each adds one subcommand, which does its work when it is parsed. What it throws: usage_error,
// std::invalid_argument and image_error found before the work began are usage_error; everything
// else is a failed run.
void add_balancers_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_completion_command(CLI::App& app);
void add_demo_command(CLI::App& app);
void add_help_command(CLI::App& app);
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

/// What CLI11 found wrong with the words of a command line, said so that the word is named, and for
/// a command also which ones there are.
[[nodiscard]] std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& problem);

}  // namespace evencube::cli
