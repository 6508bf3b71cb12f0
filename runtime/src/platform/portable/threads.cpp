#include <algorithm>
#include <array>

#include "platform/platform.hpp"

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

namespace evencube::detail {
namespace {

/// Gives the calling thread a name where the system can: glibc, musl and FreeBSD name any thread,
/// macOS the calling one.
template <typename Name>
void name_thread(Name name) noexcept {
  if constexpr (requires { pthread_setname_np(name); }) {
    pthread_setname_np(name);
  } else if constexpr (requires { pthread_setname_np(pthread_self(), name); }) {
    pthread_setname_np(pthread_self(), name);
  }
}

/// The smallest stack of a thread that is counted on, as on macOS; of this, half is kept free.
constexpr std::size_t least_stack = std::size_t{512} << 10;
/// Below this distance from the first look, an address is on the stack of another thread.
constexpr std::size_t most_stack = std::size_t{8} << 20;

}  // namespace

void name_current_thread(std::string_view prefix, std::string_view suffix) noexcept {
  std::array<char, 16> name{};
  const std::size_t room = name.size() - 2 - suffix.size();  // less a dash and the final zero
  char* end = std::ranges::copy(prefix.substr(0, room), name.begin()).out;
  *end++ = '-';
  std::ranges::copy(suffix, end);
  name_thread(name.data());
}

// The standard knows the processor time of the process alone.
thread_clock own_clock() noexcept { return nobodys_clock; }
std::optional<std::int64_t> read_clock(thread_clock /*clock*/) noexcept { return std::nullopt; }
std::optional<std::int64_t> time_of_thread() noexcept { return std::nullopt; }

// The bounds of the stack are not known, so what counts is how deep the thread is below the frame
// that asked first.
end_of_stack end_of_own_stack(std::uintptr_t here) noexcept {
  const std::uintptr_t low = here > most_stack ? here - most_stack : 0;
  return {low, here - low - std::min<std::size_t>(least_stack / 2, here - low)};
}

}  // namespace evencube::detail
