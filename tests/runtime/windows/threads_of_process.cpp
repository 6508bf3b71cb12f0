#include "windows/threads_of_process.hpp"

#ifndef NOMINMAX
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <tlhelp32.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <thread>
#include <utility>

namespace evencube::test {
namespace {

template <typename See>
void each_thread(See&& see) {
  const HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
  THREADENTRY32 one{};
  one.dwSize = sizeof one;
  for (BOOL found = Thread32First(all, &one); found != 0; found = Thread32Next(all, &one)) {
    if (one.th32OwnerProcessID == GetCurrentProcessId()) see(one.th32ThreadID);
  }
  CloseHandle(all);
}

/// What the other threads have used so far, in units of 100 ns.
std::map<DWORD, std::uint64_t> times_of_others() {
  std::map<DWORD, std::uint64_t> times;
  each_thread([&](DWORD thread) {
    if (thread == GetCurrentThreadId()) return;
    const HANDLE opened = OpenThread(THREAD_QUERY_INFORMATION, FALSE, thread);
    if (opened == nullptr) return;
    FILETIME created, ended, in_system, in_program;
    if (GetThreadTimes(opened, &created, &ended, &in_system, &in_program) != 0) {
      times[thread] = std::uint64_t{in_system.dwLowDateTime} + in_program.dwLowDateTime;
    }
    CloseHandle(opened);
  });
  return times;
}

}  // namespace

std::size_t threads_of_process() {
  std::size_t count = 0;
  each_thread([&](DWORD) { ++count; });
  return count;
}

void until_others_sleep() {
  for (auto before = times_of_others();;) {
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    auto now = times_of_others();
    if (now == before) return;
    before = std::move(now);
  }
}

}  // namespace evencube::test
