#include <unistd.h>

#include <exception>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>

#include "commands.hpp"
#include "completion.hpp"
#include "console.hpp"
#include "failure.hpp"
#include "interruption.hpp"
#include "ranks_program.hpp"

namespace evencube::cli {
namespace {

/// Not parsed: if anything else is wrong with them, the ranks have to agree on who says so.
bool asks_for_ranks(int count, char** arguments) {
  if (count < 2) return false;
  const std::string_view command = arguments[1];
  if (command != "run" && command != "simulate") return false;
  for (int i = 2; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (word == "--") return false;
    if (word == "--cluster") return true;
  }
  return false;
}

/// Goes on as the program of ranks if the arguments ask for it. Returns if they do not, or if it is
/// not there.
void go_on_as_ranks_program(int count, char** arguments) {
  if (!asks_for_ranks(count, arguments)) return;
  std::error_code unknown;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (unknown) return;
  const auto other = own.parent_path() / ranks_program;
  ::execv(other.c_str(), arguments);
}

/// Parses the arguments, which does what they ask for, and tells on stderr what is wrong. Returns
/// the program's exit code.
int run_application(int count, const char* const* arguments) noexcept {
  try {
    CLI::App app;
    add_everything(app);
    if (count > 1 && std::string_view{arguments[1]} == "__complete") {
      print(completions(app, {arguments + 2, arguments + count}));
      return exit_success;
    }
    const parse_end end = parse(app, count, arguments);
    if (!end.help.empty()) print(end.help);
    if (!end.problem.empty()) complain(end.problem, end.hint);
    return end.status;
  } catch (const usage_error& problem) {
    complain(problem.what());
    return exit_bad_usage;
  } catch (const interrupted& end) {
    if (*end.what() != '\0') complain(end.what());
    return 128 + end.signal();
  } catch (const std::bad_alloc&) {
    complain("there is not enough memory for this");
    return exit_bad_usage;
  } catch (const std::exception& problem) {
    complain(problem.what());
    return exit_failure;
  }
}

}  // namespace
}  // namespace evencube::cli

int main(int count, char** arguments) {
  evencube::cli::occupy_standard_streams();
  evencube::cli::go_on_as_ranks_program(count, arguments);
  evencube::cli::clean_up_on_signals();
  evencube::cli::describe_on_signal();
  return evencube::cli::run_application(count, arguments);
}
