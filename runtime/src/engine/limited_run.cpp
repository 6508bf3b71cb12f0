// Runs that give up when a time has passed.

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/worker.hpp>
#include <evencube/run_for.hpp>

#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>

#include "life/refused_thread.hpp"

namespace evencube::detail {

namespace {

/// Requests a stop of a group at a time, on a thread of its own, unless it is destroyed before.
class stop_at_time {
 public:
  stop_at_time(task_group& group, std::int64_t deadline_ns)
      : group_(group), deadline_ns_(deadline_ns) {
    if (deadline_ns == no_deadline) return;
    try {
      thread_ = std::thread([this] { watch(); });
    } catch (const std::system_error& failure) {
      throw_refused_thread(failure, "run_for, which watches the time,");
    }
  }
  stop_at_time(const stop_at_time&) = delete;
  stop_at_time& operator=(const stop_at_time&) = delete;
  ~stop_at_time() {
    if (!thread_.joinable()) return;
    // Relaxed, here and in `watch`: the thread only has to end, and is joined.
    over_.store(1, std::memory_order_relaxed);
    futex_wake(over_, 1);
    thread_.join();
  }

 private:
  void watch() noexcept {
    while (over_.load(std::memory_order_relaxed) == 0) {
      const std::int64_t left = deadline_ns_ - now_ns();
      if (left <= 0) {
        group_.request_stop();
        return;
      }
      futex_wait_for(over_, 0, left);
    }
  }

  task_group& group_;
  const std::int64_t deadline_ns_;
  std::atomic<std::uint32_t> over_{0};
  std::thread thread_;
};

}  // namespace

wait_status run_limited(task_group& group, std::int64_t deadline_ns,
                        void (*call)(void*, const std::stop_token&), void* context) {
  const std::stop_token token = group.stop_token();
  const auto task = [&] { call(context, token); };
  const std::int64_t left = deadline_ns - now_ns();
  if (left <= 0) group.request_stop();
  if (token.stop_requested()) return group.wait();
  if (current_worker != nullptr) {
    const stop_at_time watch(group, deadline_ns);
    group.spawn(task);
    return group.wait();
  }
  // Not of normal priority, because such a spawn may have to wait for room.
  group.spawn(task, {.priority = priority::high});
  if (const auto ended = group.wait_for(std::chrono::nanoseconds(left))) return *ended;
  group.request_stop();
  return group.wait();
}

}  // namespace evencube::detail
