// A program's own function stands before that of the C library, for the C++ library too.
#include "cluster/late_clock.hpp"

#include <dlfcn.h>
#include <time.h>

namespace evencube::test {

std::atomic<bool> late_clock::closed{false};
std::atomic<bool> late_clock::somebody_waits{false};

namespace {

thread_local bool is_late = false;

using clock_function = int (*)(clockid_t, timespec*);

int real_clock(clockid_t clock, timespec* into) noexcept {
  // Relaxed: whoever looks it up finds the same. No static local, whose guard may itself wait.
  static std::atomic<clock_function> found{nullptr};
  clock_function real = found.load(std::memory_order_relaxed);
  if (real == nullptr) {
    real = reinterpret_cast<clock_function>(dlsym(RTLD_NEXT, "clock_gettime"));
    found.store(real, std::memory_order_relaxed);
  }
  return real(clock, into);
}

long long nanoseconds() noexcept {
  timespec now{};
  real_clock(CLOCK_MONOTONIC, &now);
  return static_cast<long long>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

void late_clock::be_late() noexcept { is_late = true; }

}  // namespace evencube::test

extern "C" int clock_gettime(clockid_t clock, timespec* into) noexcept {
  using evencube::test::late_clock;
  if (evencube::test::is_late && late_clock::closed) {
    late_clock::somebody_waits = true;
    const long long end = evencube::test::nanoseconds() + 2'000'000;
    while (late_clock::closed && evencube::test::nanoseconds() < end) continue;
  }
  return evencube::test::real_clock(clock, into);
}
