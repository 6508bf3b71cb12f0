#include "ranks_program.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "failure.hpp"

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

}  // namespace

void go_on_as_ranks_program(int count, char** arguments) {
  if (!asks_for_ranks(count, arguments)) return;
  std::error_code unknown;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (unknown) return;
  const auto other = own.parent_path() / ranks_program;
  ::execv(other.c_str(), arguments);
}

void refuse_without_ranks_program() {
  throw usage_error{fmt::format(
      "--cluster: {} is not beside this program: it is built where MPI and cereal are found",
      ranks_program)};
}

}  // namespace evencube::cli
