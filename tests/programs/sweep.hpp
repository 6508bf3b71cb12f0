#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "generate.hpp"
#include "interpret.hpp"
#include "program.hpp"

namespace evencube::programs {

/// How a process ends that ran programs: 0 if all was well; `wrong` if a check failed, the
/// watchdog's status if one hung, 128 + the number of a signal.
inline constexpr int wrong = 1;

struct sweep_options {
  std::uint64_t first_seed = 1;
  std::int64_t programs = 1000;  ///< at each number of workers
  std::vector<unsigned> workers = {1, 2, 3, 8, 64};
  std::chrono::milliseconds time{0};      ///< 0: until all programs have run
  std::chrono::milliseconds patience{0};  ///< without progress; 0: 20 s, longer under sanitizers
  features with = {};
  mutation mistake_at = {};
};

/// A program that failed.
struct finding {
  std::uint64_t seed = 0;
  unsigned workers = 0;
  int status = 0;
};

struct sweep_result {
  std::int64_t programs = 0;
  std::optional<finding> failed;
};

/// Runs the programs of consecutive seeds, each number of workers in a child process, all at once.
/// A child prints to stderr what it finds: the program, what went wrong and what the runtimes say
/// of themselves. Stops at the first failure. To be called while this process has no other thread
/// or child.
sweep_result sweep(const sweep_options& options);

/// Runs `p` in a child process again and again, until it fails, or has run `runs` times, or `time`
/// is over. The child's status.
int run_repeatedly(const program& p, std::int64_t runs, std::chrono::milliseconds time,
                   std::chrono::milliseconds patience, bool silent);

}  // namespace evencube::programs
