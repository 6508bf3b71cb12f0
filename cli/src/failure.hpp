#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <evencube/workloads/input_error.hpp>
#include <evencube/workloads/output_file.hpp>

namespace evencube::cli {

// What the program returns to its caller. Ended by a signal it returns 128 and the signal's number,
// as shells show it.
inline constexpr int exit_success = 0;
inline constexpr int exit_failure = 1;    // the run itself failed, or its result did not verify
inline constexpr int exit_bad_usage = 2;  // the arguments or the input are no good

/// Bad arguments or input: the message goes to stderr and the program ends with exit_bad_usage.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs `work`. Where memory does not suffice for it, throws usage_error naming `what`: the option
/// or the file that asked for so much.
template <typename Work>
decltype(auto) with_memory_for(const std::string& what, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  throw usage_error{what + ": this needs more memory than is available"};
}

/// Runs `prepare`, and throws as usage_error what it refuses of the user's input: a value, a
/// file that cannot be read, a file that cannot be written.
template <typename Prepare>
decltype(auto) refusals_as_usage_errors(Prepare&& prepare) {
  try {
    return std::forward<Prepare>(prepare)();
  } catch (const std::invalid_argument& problem) {
    throw usage_error{problem.what()};
  } catch (const workloads::input_error& problem) {
    throw usage_error{problem.what()};
  } catch (const workloads::output_error& problem) {
    throw usage_error{problem.what()};
  }
}

}  // namespace evencube::cli
