#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "platform/platform.hpp"

namespace evencube::detail {

static_assert(std::is_same_v<thread_clock, clockid_t>);

void name_current_thread(std::string_view prefix, std::string_view suffix) noexcept {
  std::array<char, 16> name{};
  const std::size_t room = name.size() - 2 - suffix.size();  // less a dash and the final zero
  char* end = std::ranges::copy(prefix.substr(0, room), name.begin()).out;
  *end++ = '-';
  std::ranges::copy(suffix, end);
  pthread_setname_np(pthread_self(), name.data());
}

thread_clock own_clock() noexcept {
  thread_clock clock = nobodys_clock;
  return ::pthread_getcpuclockid(::pthread_self(), &clock) == 0 ? clock : nobodys_clock;
}

std::optional<std::int64_t> read_clock(thread_clock clock) noexcept {
  timespec used{};
  if (clock == nobodys_clock || ::clock_gettime(clock, &used) != 0) return std::nullopt;
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

std::optional<std::int64_t> time_of_thread() noexcept {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

end_of_stack end_of_own_stack(std::uintptr_t /*here*/) noexcept {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* lowest = nullptr;
  std::size_t size = 0;
  std::size_t guard = 0;
  end_of_stack found;
  if (pthread_attr_getstack(&attributes, &lowest, &size) == 0 &&
      pthread_attr_getguardsize(&attributes, &guard) == 0) {
    found = {reinterpret_cast<std::uintptr_t>(lowest), guard + size / 4};
  }
  pthread_attr_destroy(&attributes);
  return found;
}

}  // namespace evencube::detail
