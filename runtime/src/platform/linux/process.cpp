#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "platform/platform.hpp"

namespace evencube::detail {

bool follow_forks(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  return pthread_atfork(before, in_parent, in_child) == 0;
}

int process_number() noexcept { return ::getpid(); }

std::string program_name() { return program_invocation_short_name; }

const char* trusted_environment(const char* name) noexcept { return secure_getenv(name); }

}  // namespace evencube::detail
