#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "platform/platform.hpp"

namespace evencube::detail {

bool follow_forks(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  return pthread_atfork(before, in_parent, in_child) == 0;
}

int process_number() noexcept { return ::getpid(); }

std::string program_name() { return program_invocation_short_name; }

const char* trusted_environment(const char* name) noexcept { return secure_getenv(name); }

std::string readable(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : type.name();
}

}  // namespace evencube::detail
