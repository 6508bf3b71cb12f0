#pragma once

#include <fmt/core.h>

#include <string>
#include <system_error>

namespace evencube::cli {

/// What is said where the system does not start `count` threads for workers; 0: as many as there
/// happen to be.
[[nodiscard]] inline std::string refused_threads_text(unsigned count,
                                                      const std::system_error& problem) {
  return fmt::format(
      "cannot start {} worker threads: {}; the processes (ulimit -u) or the address space (ulimit "
      "-v) that this user may have are used up",
      count == 0 ? "the" : std::to_string(count), problem.code().message());
}

}  // namespace evencube::cli
