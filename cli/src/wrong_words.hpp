#pragma once

#include <CLI/App.hpp>
#include <CLI/Error.hpp>
#include <string>

namespace evencube::cli {

/// What CLI11 found wrong with the words of a command line, said so that the word is named, and for
/// a command also which ones there are.
std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& problem);

/// The names of all commands, in the order of the help: "run, speedup, ...".
std::string names_of_commands(const CLI::App& app);

}  // namespace evencube::cli
