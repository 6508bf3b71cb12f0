#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace evencube::cli {

/// Tells completion which words an option or argument takes. A word that ends in ':' or '=' goes
/// on. Several words may stand with commas between them where `list` is true. The command itself
/// checks what it is given.
void offer(CLI::Option* option, const std::vector<std::string>& words, bool list = false);

[[nodiscard]] std::vector<std::string> names_of_balancers();

/// The balancers and, unless they only plan, random_stealing.
void offer_balancers(CLI::Option* option, bool only_planning = false);
/// The options of all balancers as "key=".
void offer_balancer_options(CLI::Option* option);
/// The kinds of network.
void offer_topologies(CLI::Option* option);
/// The registered workloads.
void offer_workloads(CLI::Option* option);

/// What may stand in the place of the last of `words`, those after the program's name: a line for
/// each, with a tabulator and what it means if there is more to say. Nothing where a shell should
/// offer files.
[[nodiscard]] std::string completions(CLI::App& program, std::vector<std::string> words);

}  // namespace evencube::cli
