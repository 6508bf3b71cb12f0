#include "wrong_words.hpp"

#include <string_view>
#include <vector>

namespace evencube::cli {
namespace {

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

}  // namespace

std::string names_of_commands(const CLI::App& app) {
  std::string names;
  for (const CLI::App* const command : app.get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

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

}  // namespace evencube::cli
