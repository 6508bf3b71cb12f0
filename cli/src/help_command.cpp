#include <memory>
#include <string>

#include "commands.hpp"
#include "completion.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "wrong_words.hpp"

namespace evencube::cli {
namespace {

const CLI::App& command_named(const CLI::App& program, const std::string& name) {
  const auto named =
      program.get_subcommands([&](const CLI::App* c) { return c->get_name() == name; });
  if (named.empty()) {
    throw usage_error("unknown command \"" + name + "\"; known: " + names_of_commands(program));
  }
  return *named.front();
}

}  // namespace

void add_help_command(CLI::App& app) {
  auto of = std::make_shared<std::string>();
  CLI::App* const command =
      app.add_subcommand("help", "Print what --help prints, of the program or of a command");
  command->add_option("COMMAND", *of, "Of which command; none: of the program");
  command->footer("Examples:\n  evencube help\n  evencube help run");
  command->callback([&app, of] {
    // Not app.help(): that is of the command which was chosen, and so of this one.
    const auto& chosen = of->empty() ? app : command_named(app, *of);
    const std::string name = of->empty() ? "evencube" : "evencube " + *of;
    print(app.get_formatter()->make_help(&chosen, name, CLI::AppFormatMode::Normal));
  });
}

void add_completion_command(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* const command = app.add_subcommand(
      "completion", "Print a script that completes this command line in a shell");
  offer(command->add_option("SHELL", *shell, "bash, zsh or fish")->required(),
        {"bash", "zsh", "fish"});
  command->footer("Examples:\n  source <(evencube completion bash)");
  command->callback([shell] { print(completion_script(*shell)); });
}

}  // namespace evencube::cli
