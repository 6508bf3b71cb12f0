#pragma once

#include <stdexcept>

namespace evencube::cli {

// What the program returns to its caller.
inline constexpr int exit_success = 0;
inline constexpr int exit_failure = 1;    // the run itself failed, or its result did not verify
inline constexpr int exit_bad_usage = 2;  // the arguments or the input are no good

/// Bad arguments or input: the message goes to stderr and the program ends with exit_bad_usage.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace evencube::cli
