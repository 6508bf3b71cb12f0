#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <evencube/workloads/output_file.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "commands.hpp"
#include "console.hpp"
#include "failure.hpp"

namespace evencube::cli {
namespace {

struct lab_arguments {
  std::string output = "evencube-lab.html";
  bool as_json = false;
};

/// The page of the lab as it was built or installed next to this program. Throws usage_error if it
/// is not there.
std::filesystem::path built_page() {
  std::error_code unknown;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  const std::array<std::filesystem::path, 2> places{
      folder / "lab" / "evencube-lab.html",
      folder.parent_path() / "share" / "evencube" / "evencube-lab.html"};
  for (const auto& place : places) {
    if (std::filesystem::is_regular_file(place, unknown)) return place;
  }
  throw usage_error{
      fmt::format("the lab's page was not built with this program (this requires emscripten; in a "
                  "clone, ./dev lab builds the page): neither {} nor {} exists",
                  places[0].string(), places[1].string())};
}

void hand_out(const lab_arguments& arguments) {
  const auto page = built_page();
  std::ifstream file(page, std::ios::binary);
  std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file || bytes.empty()) throw usage_error{page.string() + ": cannot be read"};
  refusals_as_usage_errors([&] { workloads::replace_file(arguments.output, bytes); });
  const auto written = std::filesystem::absolute(arguments.output).string();
  if (arguments.as_json) {
    print_json({{"file", written}, {"bytes", bytes.size()}});
    return;
  }
  print(fmt::format("wrote {}: open it in any browser\n", written));
}

}  // namespace

void add_lab_command(CLI::App& app) {
  auto arguments = std::make_shared<lab_arguments>();
  auto* command = app.add_subcommand(
      "lab", "Write a page that shows balancers at work on a cube, in any browser");
  command->add_option("--output", arguments->output, "The page to write")->capture_default_str();
  command->add_flag("--json", arguments->as_json, "Print one JSON object");
  command->footer(
      "Examples:\n"
      "  evencube lab\n"
      "  evencube lab --output /tmp/lab.html");
  command->callback([arguments] { hand_out(*arguments); });
}

}  // namespace evencube::cli
