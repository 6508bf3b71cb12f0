#include "watchdog.hpp"

#if !defined(_WIN32)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace evencube::programs {

watchdog::watchdog(std::chrono::milliseconds limit, const std::atomic<std::uint64_t>& progress,
                   std::function<void()> report)
    : limit_(limit), progress_(progress), report_(std::move(report)), thread_([this] { look(); }) {}

watchdog::~watchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void watchdog::watch() { turn_.fetch_add(1, std::memory_order_relaxed); }
void watchdog::rest() { turn_.fetch_add(1, std::memory_order_relaxed); }

// Ten looks without a change make the limit: a stop of the whole machine costs one look, not all.
void watchdog::look() {
  constexpr int looks = 10;
  std::unique_lock lock(mutex_);
  std::uint64_t turn = 0;
  std::uint64_t progress = 0;
  int without_change = 0;
  while (!changed_.wait_for(lock, limit_ / looks, [this] { return over_; })) {
    const std::uint64_t turn_now = turn_.load(std::memory_order_relaxed);
    const std::uint64_t progress_now = progress_.load(std::memory_order_relaxed);
    if (turn_now % 2 == 0 || turn_now != turn || progress_now != progress) {
      turn = turn_now;
      progress = progress_now;
      without_change = 0;
      continue;
    }
    if (++without_change < looks) continue;
    report_();
    std::fflush(nullptr);
#if defined(_WIN32)
    std::_Exit(hung);
#else
    ::syscall(SYS_exit_group, hung);  // no sanitizer adds its own report of what was left
#endif
  }
}

int slowness() {
#if defined(_WIN32)
  return 10;  // under Wine, a server with one thread takes part in many wake-ups
#elif defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return 5;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
  return 5;
#else
  return 1;
#endif
#else
  return 1;
#endif
}

}  // namespace evencube::programs
