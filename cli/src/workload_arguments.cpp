#include "workload_arguments.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include <evencube/workloads/output_file.hpp>

#include "completion.hpp"
#include "failure.hpp"
#include "options.hpp"

namespace evencube::cli {

std::vector<std::string> names_of_workloads() {
  std::vector<std::string> names;
  for (const auto& entry : workloads::registered_workloads()) names.push_back(entry.name);
  return names;
}

CLI::Option* add_workload_name(CLI::App& command, std::string& name) {
  std::string known;
  for (const auto& entry : workloads::registered_workloads()) {
    known += fmt::format("{}{} ({})", known.empty() ? "" : "; ", entry.name, entry.summary);
  }
  auto* const option = command.add_option("WORKLOAD", name, known)->required();
  offer_workloads(option);
  require_known(option, "workload", names_of_workloads());
  return option;
}

void add_placement_option(CLI::App& command, std::string& placement) {
  const std::vector<std::string> known{"spread", "one", "skewed", "random"};
  require_known(add_text(command, "--placement", placement, known,
                         "The workers on which tasks begin: spread (task i on worker i mod P), one "
                         "(all on worker 0), skewed (half on worker 0, a quarter on 1, ...) or "
                         "random (drawn at random, but the same in every run)"),
                "placement", known);
}

namespace {

using workloads::workload_option;

std::string default_text(const workload_option& option) {
  return std::visit(
      [](const auto& kind) -> std::string {
        using type = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<type, workloads::file_option>) {
          return "";
        } else {
          return fmt::format(" (default {})", kind.usual);
        }
      },
      option.kind);
}

/// An option as all workloads have it that have one of this name: "edges, matmul: ...; spin: ...".
std::string help_of(const std::string& name) {
  std::vector<std::pair<std::string, std::string>> meanings;  // and of whom
  for (const auto& entry : workloads::registered_workloads()) {
    for (const auto& option : entry.options) {
      if (option.name != name) continue;
      const auto meaning = option.help + default_text(option);
      const auto known =
          std::ranges::find(meanings, meaning, &decltype(meanings)::value_type::first);
      if (known == meanings.end()) {
        meanings.emplace_back(meaning, entry.name);
      } else {
        known->second += ", " + entry.name;
      }
    }
  }
  std::string text;
  for (const auto& [meaning, whose] : meanings) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", whose, meaning);
  }
  return text;
}

void add_option(CLI::App& command, const workload_option& option,
                workloads::workload_options& options) {
  const auto flag = "--" + option.name;
  const auto keep = [&options, name = option.name](workloads::option_value value) {
    options.values.insert_or_assign(name, std::move(value));
  };
  const auto help = help_of(option.name);
  if (std::holds_alternative<workloads::whole_option>(option.kind)) {
    const whole_range any;
    add_number(command, flag, help, [=](const std::string& text) {
      keep(whole_number(flag, text, any.least, any.most));
    });
  } else if (std::holds_alternative<workloads::real_option>(option.kind)) {
    add_number(command, flag, help,
               [=](const std::string& text) { keep(real_number(flag, text)); });
  } else {
    auto* const added = command.add_option_function<std::string>(flag, keep, help);
    if (const auto* text = std::get_if<workloads::text_option>(&option.kind)) {
      offer(added, text->known);
    }
  }
}

}  // namespace

void add_workload_options(CLI::App& command, workloads::workload_options& options) {
  command.set_help_all_flag("--help-all", "Print help that covers the options of every workload")
      ->group(command.get_help_ptr()->get_group());
  const heading here{command, headings::workload};
  std::set<std::string> added;
  for (const auto& entry : workloads::registered_workloads()) {
    for (const auto& option : entry.options) {
      if (added.insert(option.name).second) add_option(command, option, options);
    }
  }
}

namespace {

using workloads::workload_entry;

/// The workload that is given to `command`, or null. `compare` also takes recordings.
const workload_entry* given_workload(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    if (!option->get_positional()) continue;
    for (const auto& entry : workloads::registered_workloads()) {
      const auto& words = option->results();
      if (std::ranges::find(words, entry.name) != words.end()) return &entry;
    }
  }
  return nullptr;
}

/// The options of `command` that belong to workloads.
std::vector<CLI::Option*> options_of_workloads(CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return option->get_group() == headings::workload; });
}

/// The examples of `footer` with the word `name`, or a plain one if there is none. Everything
/// before the examples is kept.
std::string footer_of(const std::string& footer, const std::string& command,
                      const std::string& name) {
  std::istringstream lines{footer};
  std::string made;
  bool any = false;
  for (std::string line; std::getline(lines, line);) {
    const bool example = line.starts_with("  ");
    const bool named = (line + " ").find(" " + name + " ") != std::string::npos;
    if (!example || named) made += line + "\n";
    any = any || (example && named);
  }
  if (!any) made += fmt::format("  evencube {} {}\n", command, name);
  made.pop_back();
  return made;
}

void describe_one(CLI::App& command, const workload_entry& entry) {
  for (CLI::Option* const option : options_of_workloads(command)) {
    const auto own = std::ranges::find_if(
        entry.options, [&](const workload_option& one) { return option->check_lname(one.name); });
    if (own == entry.options.end()) {
      option->group("");
    } else {
      option->description(own->help + default_text(*own));
    }
  }
  if (CLI::Option* const output = command.get_option_no_throw("--output")) {
    entry.output.empty() ? output->group("") : output->description(entry.output);
  }
  if (CLI::Option* const name = command.get_option_no_throw("WORKLOAD")) {
    name->description(fmt::format("{}: {}", entry.name, entry.summary));
  }
  command.footer(footer_of(command.get_footer(), command.get_name(), entry.name));
}

void list_all(CLI::App& command) {
  for (CLI::Option* const option : options_of_workloads(command)) option->group("");
  if (CLI::Option* const output = command.get_option_no_throw("--output")) {
    output->description(
        "The file for the result: a picture, a table or text, depending on the workload");
  }
  if (CLI::Option* const name = command.get_option_no_throw("WORKLOAD")) {
    name->description("One of the workloads listed below");
  }
  std::string list =
      fmt::format("Workloads and their options (evencube {} WORKLOAD --help explains them):\n",
                  command.get_name());
  for (const auto& entry : workloads::registered_workloads()) {
    list += fmt::format("  {:<12}{}\n{:14}", entry.name, entry.summary, "");
    for (const workload_option& option : entry.options) {
      list += fmt::format("--{}{}", option.name, &option == &entry.options.back() ? "\n" : " ");
    }
  }
  command.footer(list + "\n" + command.get_footer());
}

}  // namespace

void fit_help_to_workload(CLI::App& command) {
  if (options_of_workloads(command).empty()) return;
  const workload_entry* const given = given_workload(command);
  given != nullptr ? describe_one(command, *given) : list_all(command);
}

std::string output_help() {
  std::string text;
  for (const auto& entry : workloads::registered_workloads()) {
    if (entry.output.empty()) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", entry.name, entry.output);
  }
  return text;
}

std::optional<std::filesystem::path> input_file(const workloads::workload_options& options) {
  const auto given = options.values.find("input");
  if (given == options.values.end()) return std::nullopt;
  return std::get<std::string>(given->second);
}

known_inputs::known_inputs(const workloads::workload_options& options) {
  const auto input = input_file(options);
  if (!input) return;
  const auto add = [&](const std::filesystem::path& file) {
    struct stat found = {};
    if (::stat(file.c_str(), &found) == 0) files_.emplace(found.st_dev, found.st_ino);
  };
  add(*input);
  std::error_code unknown;
  for (const auto& one : std::filesystem::directory_iterator{*input, unknown}) add(one.path());
}

void known_inputs::refuse(const char* option, const std::filesystem::path& file) const {
  struct stat found = {};
  if (::stat(file.c_str(), &found) != 0 || !files_.contains({found.st_dev, found.st_ino})) return;
  throw usage_error{fmt::format("{} {}: this is also the {} of --input", option, file.string(),
                                S_ISDIR(found.st_mode) ? "folder" : "file")};
}

void require_lasting_input(const workloads::workload_options& options) {
  const auto input = input_file(options);
  std::error_code unknown;
  if (!input || !std::filesystem::exists(*input, unknown) ||
      std::filesystem::is_regular_file(*input, unknown) ||
      std::filesystem::is_directory(*input, unknown)) {
    return;
  }
  throw usage_error{fmt::format(
      "--input {}: it is read several times, so it must be a file or a folder", input->string())};
}

void check_plot_file(const std::string& file, const workloads::workload_options& options) {
  if (!file.ends_with(".svg")) {
    throw usage_error{fmt::format("--plot \"{}\": must end in .svg", file)};
  }
  workloads::require_writable(file);
  known_inputs{options}.refuse("--plot", file);
}

std::string input_of(const std::string& workload, const workloads::workload_options& options) {
  if (const auto input = input_file(options)) return input->string();
  const auto size = options.values.find("size");
  return size == options.values.end()
             ? "run " + workload
             : fmt::format("--size {}", std::get<std::int64_t>(size->second));
}

}  // namespace evencube::cli
