// Command lines, a line of input for each argument. All commands are parsed; only those that plan
// and list do their work too.

#include <cstdio>
#include <functional>
#include <utility>

#include "application.hpp"
#include "failure.hpp"
#include "support.hpp"

namespace {

/// The way to what a command does, which keeps the variables alive that its options are read into.
struct with_work : CLI::App {
  static std::function<void()>& of(CLI::App& command) {
    return command.*(&with_work::final_callback_);
  }
};

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  using namespace evencube;
  fuzz::require(std::freopen("/dev/null", "w", stdout) != nullptr, "results go nowhere");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evencube;
  const auto lines = fuzz::lines_of(fuzz::text_of(data, size), 24);
  std::vector<const char*> arguments{"evencube"};
  for (const auto& line : lines) arguments.push_back(line.c_str());
  CLI::App app;
  cli::add_everything(app);
  for (CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = command->get_name();
    if (name == "plan" || name == "balancers") continue;
    auto& work = with_work::of(*command);
    work = [kept = std::move(work)] {};
  }
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::Error& problem) {
    fuzz::require(problem.what() != nullptr, "a refusal says why");
  } catch (const cli::usage_error&) {
  }
  return 0;
}
