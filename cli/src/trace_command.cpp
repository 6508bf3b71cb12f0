#include <fmt/core.h>

#include <evencube/trace/events.hpp>
#include <evencube/workloads/output_file.hpp>
#include <memory>
#include <optional>
#include <string>

#include "commands.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "recordings.hpp"
#include "trace_report.hpp"

namespace evencube::cli {
namespace {

struct trace_arguments {
  std::string file;
  std::optional<std::string> perfetto;
  std::optional<std::string> html;
  bool as_json = false;
};

/// Before anything is read: that the file can be written, and is not the trace itself.
void check_output(const trace_arguments& arguments, const char* option,
                  const std::optional<std::string>& file) {
  if (!file) return;
  refusals_as_usage_errors([&] { workloads::require_writable(*file); });
  if (workloads::same_file(*file, arguments.file)) {
    throw usage_error{fmt::format("{} {}: this is the trace itself", option, *file)};
  }
}

void look(const trace_arguments& arguments) {
  check_output(arguments, "--perfetto", arguments.perfetto);
  check_output(arguments, "--html", arguments.html);
  if (arguments.perfetto && arguments.html &&
      workloads::same_file(*arguments.perfetto, *arguments.html)) {
    throw usage_error{
        fmt::format("--html {}: this is also the file of --perfetto", *arguments.html)};
  }
  const auto given =
      with_memory_for(arguments.file, [&] { return read_checked_trace(arguments.file); });
  const auto figures = with_memory_for(arguments.file, [&] { return figures_of(given); });
  const auto write = [&](const std::optional<std::string>& file, auto write_it) {
    if (!file) return;
    with_memory_for(arguments.file, [&] { workloads::replace_file(*file, write_it); });
  };
  write(arguments.perfetto,
        [&](const workloads::byte_sink& to) { traces::write_events(given.source, to); });
  write(arguments.html, [&](const workloads::byte_sink& to) {
    write_trace_page(given, figures, arguments.file, to);
  });
  if (arguments.as_json) {
    print_json(cli::to_json(given, figures));
    return;
  }
  print(cli::to_text(given, figures));
  if (arguments.perfetto) {
    print(fmt::format("wrote {}: open it in ui.perfetto.dev or chrome://tracing\n",
                      *arguments.perfetto));
  }
  if (arguments.html) print(fmt::format("wrote {}: open it in any browser\n", *arguments.html));
}

}  // namespace

void add_trace_command(CLI::App& app) {
  auto arguments = std::make_shared<trace_arguments>();
  auto* command =
      app.add_subcommand("trace", "Print figures about a recorded run, or write files for viewers");
  command->add_option("file", arguments->file, "A trace written by `evencube run --trace`")
      ->required();
  command->add_option("--perfetto", arguments->perfetto,
                      "Write this JSON file for Perfetto or Chrome's tracing");
  command->add_option("--html", arguments->html,
                      "Write this page, which shows the run in any browser, even offline");
  command->add_flag("--json", arguments->as_json, "Print one JSON object");
  command->footer(
      "Examples:\n"
      "  evencube run edges --size 4096 --workers 2 --trace edges.trace\n"
      "  evencube trace edges.trace\n"
      "  evencube trace edges.trace --perfetto edges.json --html edges.html");
  command->callback([arguments] { look(*arguments); });
}

}  // namespace evencube::cli
