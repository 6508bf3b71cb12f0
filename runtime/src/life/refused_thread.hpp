#pragma once

#include <string>
#include <system_error>

namespace evencube::detail {

/// Throws the error of a system that made no thread, with a text that names the thread.
[[noreturn]] inline void throw_refused_thread(const std::system_error& failure,
                                              const std::string& owner) {
  throw std::system_error(failure.code(), "the thread of " + owner + " could not be made");
}

}  // namespace evencube::detail
