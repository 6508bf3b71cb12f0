#include <chrono>
#include <cstdlib>
#include <exception>
#include <limits>
#include <random>

#include "platform/platform.hpp"

namespace evencube::detail {

// The standard has no `fork`, and tells of none.
bool follow_forks(void (* /*before*/)(), void (* /*in_parent*/)(),
                  void (* /*in_child*/)()) noexcept {
  return false;
}

namespace {

int random_number() noexcept {
  try {
    std::random_device source;
    return std::uniform_int_distribution<int>(1, (std::numeric_limits<int>::max)())(source);
  } catch (const std::exception&) {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    return static_cast<int>(now % (std::numeric_limits<int>::max)()) + 1;
  }
}

}  // namespace

// The standard does not number processes. A random number is as good for the names of files.
int process_number() noexcept {
  static const int number = random_number();
  return number;
}

// Only `main` gets the name of the program.
std::string program_name() { return "program"; }

// The standard does not tell whether the program has more rights than its caller.
const char* trusted_environment(const char* name) noexcept { return std::getenv(name); }

}  // namespace evencube::detail
