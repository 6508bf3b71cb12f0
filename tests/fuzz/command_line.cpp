// Command lines, a line of input for each argument. All commands are parsed; only those that plan
// and list do their work too. Behind `runtime` and `workload` stand the options of either, from
// which a command would take more than its parser does.

#include <cstdio>
#include <functional>
#include <utility>

#include "commands.hpp"
#include "failure.hpp"
#include "runtime_arguments.hpp"
#include "support.hpp"
#include "workload_arguments.hpp"

namespace {

/// The way to what a command does, which keeps the variables alive that its options are read into.
struct with_work : CLI::App {
  static std::function<void()>& of(CLI::App& command) {
    return command.*(&with_work::final_callback_);
  }
};

void parse_runtime_options(CLI::App& app, int count, const char* const* arguments) {
  evencube::cli::runtime_arguments read;
  evencube::cli::add_runtime_options(*app.add_subcommand("runtime"), read);
  evencube::cli::refuse_empty_values(app);
  app.parse(count, arguments);
  const auto made = evencube::cli::make_runtime_options(read);
  evencube::fuzz::require(evencube::cli::name_of(made.mode) == read.mode, "modes have names");
}

void parse_workload_options(CLI::App& app, int count, const char* const* arguments) {
  std::string name;
  std::string placement;
  evencube::workloads::workload_options read;
  CLI::App& command = *app.add_subcommand("workload");
  evencube::cli::add_workload_name(command, name);
  evencube::cli::add_placement_option(command, placement);
  evencube::cli::add_workload_options(command, read);
  evencube::cli::refuse_empty_values(app);
  app.parse(count, arguments);
  evencube::fuzz::require(!evencube::cli::input_of(name, read).empty(), "the input has a name");
}

void parse_command(CLI::App& app, std::string_view first, int count, const char* const* arguments) {
  evencube::cli::add_everything(app, first);
  for (CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = command->get_name();
    if (name == "plan" || name == "balancers") continue;
    auto& work = with_work::of(*command);
    work = [kept = std::move(work)] {};
  }
  evencube::cli::refuse_empty_words(count, arguments);
  app.parse(count, arguments);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  using namespace evencube;
  fuzz::require(std::freopen("/dev/null", "w", stdout) != nullptr, "results go nowhere");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evencube;
  const auto lines = fuzz::lines_of(fuzz::text_of(data, size), 24);
  const bool of_runtime = lines[0] == "runtime";
  const bool of_workload = lines[0] == "workload";
  std::vector<const char*> arguments{"evencube"};
  for (const auto& line : lines) arguments.push_back(line.c_str());
  const int count = static_cast<int>(arguments.size());
  CLI::App app;
  try {
    if (of_runtime) {
      parse_runtime_options(app, count, arguments.data());
    } else if (of_workload) {
      parse_workload_options(app, count, arguments.data());
    } else {
      parse_command(app, lines[0], count, arguments.data());
    }
  } catch (const CLI::Error& problem) {
    fuzz::require(problem.what() != nullptr, "a refusal says why");
  } catch (const cli::usage_error&) {
  }
  return 0;
}
