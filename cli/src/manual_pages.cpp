#include "manual_pages.hpp"

#include <CLI/Option.hpp>
#include <vector>

#include "completion_words.hpp"

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

std::string entry_of(const CLI::Option& option) {
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

}  // namespace

std::string manual_page(const CLI::App& program) {
  std::string page =
      heading("EVENCUBE", "evencube", "tasks on a hypercube of workers, and plans where work goes");
  page += ".SH SYNOPSIS\n" + bold("evencube") + " COMMAND [OPTIONS]\n.SH DESCRIPTION\n" +
          roff(program.get_description()) + "\n.SH COMMANDS\n";
  for (const CLI::App* const command : listed_commands(program)) {
    page += ".TP\n" + bold(command->get_name()) + "\n" + roff(command->get_description()) +
            "; see " + bold("evencube-" + command->get_name()) + "(1)\n";
  }
  page += ".SH OPTIONS\n";
  for (const CLI::Option* const option : program.get_options()) page += entry_of(*option);
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
      if (option->get_positional() == positional) entries += entry_of(*option);
    }
    if (!entries.empty()) page += (positional ? ".SH ARGUMENTS\n" : ".SH OPTIONS\n") + entries;
  }
  page += as_it_is(command.get_footer()) + exit_status + ".SH SEE ALSO\n" +
          bold(program.get_name()) + "(1)\n";
  return page;
}

}  // namespace evencube::cli
