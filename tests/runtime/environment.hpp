#pragma once

#include <cstdlib>

namespace evencube::test {

/// Sets a variable of this process's environment, or removes it if `value` is null. On Windows, an
/// empty value removes it, too.
inline void set_environment(const char* name, const char* value) {
#if defined(_WIN32)
  ::_putenv_s(name, value != nullptr ? value : "");
#else
  if (value != nullptr) {
    ::setenv(name, value, 1);
  } else {
    ::unsetenv(name);
  }
#endif
}

}  // namespace evencube::test
