#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "platform/platform.hpp"
#include "platform/windows/system.hpp"

namespace evencube::detail {
namespace {

struct thread_handle {
  HANDLE value = nullptr;

  explicit thread_handle(HANDLE opened) noexcept : value(opened) {}
  thread_handle(const thread_handle&) = delete;
  thread_handle& operator=(const thread_handle&) = delete;
  ~thread_handle() {
    if (value != nullptr) CloseHandle(value);
  }
};

std::optional<std::int64_t> time_used_by(HANDLE thread) noexcept {
  FILETIME created;
  FILETIME ended;
  FILETIME in_system;
  FILETIME in_program;
  if (GetThreadTimes(thread, &created, &ended, &in_system, &in_program) == 0) return std::nullopt;
  const auto count = [](const FILETIME& time) {
    return static_cast<std::int64_t>(std::uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime);
  };
  return (count(in_system) + count(in_program)) * 100;  // of a hundred nanoseconds each
}

// Windows has this function since version 10, 1607; import libraries may lack it.
using describe_thread = HRESULT(WINAPI*)(HANDLE, PCWSTR);

describe_thread find_describe_thread() noexcept {
  const HMODULE library = GetModuleHandleW(L"kernelbase.dll");
  if (library == nullptr) return nullptr;
  const FARPROC found = GetProcAddress(library, "SetThreadDescription");
  // By way of a pointer that fits all functions: the types have nothing in common.
  return reinterpret_cast<describe_thread>(reinterpret_cast<void (*)()>(found));
}

}  // namespace

// The system keeps names of any length. They are cut as elsewhere, so that a runtime's threads have
// the same names on all systems.
void name_current_thread(std::string_view prefix, std::string_view suffix) noexcept {
  static const describe_thread describe = find_describe_thread();
  if (describe == nullptr) return;
  std::array<char, 16> bytes{};
  const std::size_t room = bytes.size() - 2 - suffix.size();  // less a dash and the final zero
  char* end = std::ranges::copy(prefix.substr(0, room), bytes.begin()).out;
  *end++ = '-';
  std::ranges::copy(suffix, end);
  std::array<wchar_t, bytes.size()> name{};  // as many are enough for any text
  MultiByteToWideChar(CP_UTF8, 0, bytes.data(), -1, name.data(), static_cast<int>(name.size()));
  describe(GetCurrentThread(), name.data());
}

static_assert(sizeof(thread_clock) == sizeof(DWORD));

// The clock is the number of the thread.
thread_clock own_clock() noexcept { return static_cast<thread_clock>(GetCurrentThreadId()); }

std::optional<std::int64_t> read_clock(thread_clock clock) noexcept {
  if (clock == nobodys_clock) return std::nullopt;
  const thread_handle thread{
      OpenThread(THREAD_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, static_cast<DWORD>(clock))};
  if (thread.value == nullptr) return std::nullopt;
  // The number may belong to a thread of another process by now. A thread that has ended is kept
  // while anybody has a handle of it.
  if (GetProcessIdOfThread(thread.value) != GetCurrentProcessId() ||
      WaitForSingleObject(thread.value, 0) == WAIT_OBJECT_0) {
    return std::nullopt;
  }
  return time_used_by(thread.value);
}

std::optional<std::int64_t> time_of_thread() noexcept { return time_used_by(GetCurrentThread()); }

end_of_stack end_of_own_stack(std::uintptr_t /*here*/) noexcept {
  ULONG_PTR low = 0;
  ULONG_PTR high = 0;
  GetCurrentThreadStackLimits(&low, &high);
  // The lowest pages are the guard, which moves down as the stack grows and is never used up.
  constexpr std::size_t guard = std::size_t{16} << 10;
  return {low, guard + (high - low) / 4};
}

}  // namespace evencube::detail
