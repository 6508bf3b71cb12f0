#include <array>
#include <cstdlib>

#include "platform/platform.hpp"
#include "platform/windows/system.hpp"

namespace evencube::detail {

// Windows has no `fork`.
bool follow_forks(void (* /*before*/)(), void (* /*in_parent*/)(),
                  void (* /*in_child*/)()) noexcept {
  return false;
}

int process_number() noexcept { return static_cast<int>(GetCurrentProcessId()); }

std::string program_name() {
  std::array<char, MAX_PATH> path{};
  const DWORD length = GetModuleFileNameA(nullptr, path.data(), static_cast<DWORD>(path.size()));
  std::string_view name{path.data(), length < path.size() ? length : 0};  // 0: it does not fit
  name = name.substr(name.find_last_of("\\/") + 1);
  if (name.ends_with(".exe") || name.ends_with(".EXE")) name.remove_suffix(4);
  return std::string(name.empty() ? "program" : name);
}

// A program with more rights than its caller was started through a service of the system, and gets
// the environment of the user who agreed to that. Windows has no other such programs.
const char* trusted_environment(const char* name) noexcept { return std::getenv(name); }

}  // namespace evencube::detail
