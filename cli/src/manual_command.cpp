#include <evencube/workloads/output_file.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "commands.hpp"
#include "completion.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "manual_pages.hpp"
#include "workload_arguments.hpp"
#include "wrong_words.hpp"

namespace evencube::cli {
namespace {

/// Everything, where man and the shells look for it below a prefix's share/.
void write_all(const CLI::App& program, const std::filesystem::path& share) {
  const auto write = [&](const char* folder, const std::string& name, const std::string& text) {
    const auto made = refusals_as_usage_errors([&] {
      workloads::results_folder ready{share / folder, true};
      workloads::require_writable(share / folder / name);
      return ready;
    });
    workloads::replace_file(share / folder / name, workloads::bytes_of(text));
  };
  write("man/man1", "evencube.1", manual_page(program));
  for (const CLI::App* const command : program.get_subcommands({})) {
    write("man/man1", "evencube-" + command->get_name() + ".1", manual_page(program, *command));
  }
  write("bash-completion/completions", "evencube", completion_script(program, "bash"));
  write("zsh/site-functions", "_evencube", completion_script(program, "zsh"));
  write("fish/vendor_completions.d", "evencube.fish", completion_script(program, "fish"));
}

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

void add_manual_command(CLI::App& app) {
  auto of = std::make_shared<std::string>();
  auto share = std::make_shared<std::string>();
  CLI::App* const command =
      app.add_subcommand("manual", "Print a manual page, of the program or of one of its commands");
  auto* const named = command->add_option("COMMAND", *of, "Of which command; none: of the program");
  command
      ->add_option(
          "--all", *share,
          "Write all pages, and completions for shells, into this folder instead, as below "
          "/usr/share")
      ->excludes(named);
  command->footer("Examples:\n  evencube manual run | man -l -");
  command->callback([&app, of, share] {
    if (!share->empty()) {
      write_all(app, *share);
    } else if (of->empty()) {
      print(manual_page(app));
    } else {
      print(manual_page(app, command_named(app, *of)));
    }
  });
}

void add_completion_command(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* const command = app.add_subcommand(
      "completion", "Print a script that completes this command line in a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  command->footer("Examples:\n  source <(evencube completion bash)");
  command->callback([&app, shell] { print(completion_script(app, *shell)); });
}

}  // namespace evencube::cli
