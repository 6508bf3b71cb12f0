#include "workload_arguments.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include <evencube/workloads/output_file.hpp>

#include "completion.hpp"
#include "failure.hpp"
#include "options.hpp"

namespace evencube::cli {

CLI::Option* add_workload_name(CLI::App& command, std::string& name) {
  std::string known;
  for (const auto& entry : workloads::registered_workloads()) {
    known += fmt::format("{}{} ({})", known.empty() ? "" : "; ", entry.name, entry.summary);
  }
  auto* const option = command.add_option("WORKLOAD", name, known)->required();
  offer_workloads(option);
  return option;
}

void add_placement_option(CLI::App& command, std::string& placement) {
  add_text(command, "--placement", placement, {"spread", "one", "skewed", "random"},
           "Where tasks begin: spread (task i on worker i mod P), one (all on worker 0), skewed "
           "(half on worker 0, a quarter on 1, ...) or random (drawn, the same in every run)");
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
  std::set<std::string> added;
  for (const auto& entry : workloads::registered_workloads()) {
    for (const auto& option : entry.options) {
      if (added.insert(option.name).second) add_option(command, option, options);
    }
  }
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
  throw usage_error{fmt::format("{} {}: this is the {} of --input too", option, file.string(),
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
      "--input {}: it is read several times, so that it must be a file or a folder, not "
      "a pipe or a device",
      input->string())};
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
