#pragma once

#include <string>
#include <system_error>

namespace evencube::detail {

/// The system made no thread: says whose it was to be.
[[noreturn]] inline void throw_refused_thread(const std::system_error& failure,
                                              const std::string& whose) {
  throw std::system_error(failure.code(), "the thread of " + whose + " could not be made");
}

}  // namespace evencube::detail
