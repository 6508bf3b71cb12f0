#include "manual_pages.hpp"

#include <CLI/Option.hpp>
#include <evencube/balancers/registry.hpp>
#include <map>
#include <sstream>
#include <vector>

#include "failure.hpp"

namespace evencube::cli {
namespace {

/// Of text, what man(7) would take for its own.
std::string roff(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }

std::string heading(const std::string& title, const std::string& name, const std::string& about) {
  return ".TH \"" + roff(title) +
         "\" \"1\" \"\" \"EvenCube " EVENCUBE_VERSION "\" \"User Commands\"\n.SH NAME\n" +
         roff(name) + " \\- " + roff(about) + "\n";
}

/// What follows the options in --help: text with examples, line by line as it is.
std::string as_it_is(const std::string& text) {
  return text.empty() ? "" : ".SH NOTES\n.nf\n" + roff(text) + "\n.fi\n";
}

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands(
      [](const CLI::App* command) { return !command->get_group().empty(); });
}

/// The names by which it is given, "--workers", "-h,--help"; of a positional its name.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  if (names.empty()) names.push_back(option.get_name(true));
  return names;
}

std::string usage(const CLI::App& command) {
  std::string line = bold("evencube " + command.get_name()) + " [OPTIONS]";
  for (const CLI::Option* const option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = roff(option->get_name(true));
    line += option->get_required() ? " " + name : " [" + name + "]";
  }
  return line + "\n";
}

std::string entry(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : names_of(option))
    names += (names.empty() ? "" : ", ") + bold(name);
  const bool takes_value = option.get_items_expected_max() > 0 && !option.get_positional();
  std::string text = ".TP\n" + names;
  if (takes_value) text += " \\fI" + roff(option.get_type_name()) + "\\fR";
  text += "\n" + roff(option.get_description());
  if (takes_value && !option.get_default_str().empty()) {
    text += " (default: " + roff(option.get_default_str()) + ")";
  }
  return text + "\n";
}

const char* const exit_status =
    ".SH EXIT STATUS\n.TP\n0\nall went well\n.TP\n1\na run failed, or its result was wrong\n"
    ".TP\n2\nthe command line, a file or the machine does not allow it; the message names the "
    "value\n"
    ".TP\n128 + N\nended by signal N, with what was found so far\n";

/// Words that an option takes. What else there is, such as numbers, the shell cannot know.
std::map<std::string, std::string> values_of_options() {
  std::string balancers = "random_stealing";
  for (const balancer_descriptor& known : registered_balancers()) balancers += " " + known.name;
  return {{"--balancer", balancers},
          {"--mode", "auto thread on_idle on_demand"},
          {"--pinning", "unit core cache numa none"},
          {"--placement", "spread one skewed random"},
          {"--pulls", "on off"},
          {"--transmission", "direct phased overlapped overlapped_rounds pipelined"}};
}

std::string long_options(const CLI::App& of) {
  std::string all;
  for (const CLI::Option* const option : of.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      all += (all.empty() ? "--" : " --") + name;
    }
  }
  return all;
}

std::string bash_script(const CLI::App& program) {
  std::ostringstream out;
  std::string names;
  std::string cases;
  for (const CLI::App* const command : commands_of(program)) {
    names += command->get_name() + " ";
    cases += "    " + command->get_name() + ") options='" + long_options(*command) + "' ;;\n";
  }
  out << "# Completion of evencube's command line.\n_evencube() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} "
         "options=''\n"
         "  COMPREPLY=()\n  if ((COMP_CWORD == 1)); then\n"
         "    mapfile -t COMPREPLY < <(compgen -W '"
      << names << "--help --version' -- \"$current\")\n    return\n  fi\n  case $previous in\n";
  for (const auto& [option, words] : values_of_options()) {
    out << "    " << option << ")\n      mapfile -t COMPREPLY < <(compgen -W '" << words
        << "' -- \"$current\")\n      return\n      ;;\n";
  }
  out << "  esac\n  case ${COMP_WORDS[1]} in\n"
      << cases
      << "  esac\n  [[ $current != -* ]] || mapfile -t COMPREPLY < <(compgen -W \"$options\" -- "
         "\"$current\")\n}\ncomplete -o default -F _evencube evencube\n";
  return out.str();
}

/// In single quotes.
std::string fish_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

std::string fish_script(const CLI::App& program) {
  std::ostringstream out;
  out << "# Completion of evencube's command line.\n";
  const auto values = values_of_options();
  for (const CLI::App* const command : commands_of(program)) {
    const std::string& name = command->get_name();
    out << "complete -c evencube -n __fish_use_subcommand -a " << name << " -d "
        << fish_text(command->get_description()) << '\n';
    for (const CLI::Option* const option : command->get_options()) {
      for (const std::string& word : option->get_lnames()) {
        out << "complete -c evencube -n '__fish_seen_subcommand_from " << name << "' -l " << word
            << " -d " << fish_text(option->get_description());
        if (option->get_items_expected_max() > 0) out << " -r";
        if (const auto known = values.find("--" + word); known != values.end()) {
          out << " -f -a " << fish_text(known->second);
        }
        out << '\n';
      }
    }
  }
  return out.str();
}

}  // namespace

std::string manual_page(const CLI::App& program) {
  std::string page =
      heading("EVENCUBE", "evencube", "tasks on a hypercube of workers, and plans where work goes");
  page += ".SH SYNOPSIS\n" + bold("evencube") + " COMMAND [OPTIONS]\n.SH DESCRIPTION\n" +
          roff(program.get_description()) + "\n.SH COMMANDS\n";
  for (const CLI::App* const command : commands_of(program)) {
    page += ".TP\n" + bold(command->get_name()) + "\n" + roff(command->get_description()) +
            "; see " + bold("evencube-" + command->get_name()) + "(1)\n";
  }
  page += ".SH OPTIONS\n";
  for (const CLI::Option* const option : program.get_options()) page += entry(*option);
  page += std::string(exit_status) +
          ".SH ENVIRONMENT\n.TP\n.B EVENCUBE_WORKERS\nworkers, where no option says how many\n";
  return page + as_it_is(program.get_footer());
}

std::string manual_page(const CLI::App& program, const CLI::App& command) {
  const std::string name = "evencube-" + command.get_name();
  std::string title = name;
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  std::string page = heading(title, name, command.get_description());
  page += ".SH SYNOPSIS\n" + usage(command);
  for (const bool positional : {true, false}) {
    std::string entries;
    for (const CLI::Option* const option : command.get_options()) {
      if (option->get_positional() == positional) entries += entry(*option);
    }
    if (!entries.empty()) page += (positional ? ".SH ARGUMENTS\n" : ".SH OPTIONS\n") + entries;
  }
  page += as_it_is(command.get_footer()) + exit_status + ".SH SEE ALSO\n" +
          bold(program.get_name()) + "(1)\n";
  return page;
}

std::string completion_script(const CLI::App& program, const std::string& shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "fish") return fish_script(program);
  if (shell == "zsh") {
    return "#compdef evencube\nautoload -U +X bashcompinit && bashcompinit\n" +
           bash_script(program);
  }
  throw usage_error("there is no completion for '" + shell + "'; bash, zsh and fish have one");
}

}  // namespace evencube::cli
