#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <evencube/evencube.hpp>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace evencube::test {

/// Ends the program, with the states of all workers printed, unless the deadline goes out of scope
/// in time.
class deadline {
 public:
  explicit deadline(const runtime& watched, std::chrono::seconds limit = std::chrono::seconds{30})
      : deadline(std::vector<const runtime*>{&watched}, limit) {}
  /// Watches several runtimes, or none if the runtime ends while the deadline still counts.
  explicit deadline(std::vector<const runtime*> watched,
                    std::chrono::seconds limit = std::chrono::seconds{30})
      : watched_(std::move(watched)), watcher_([this, limit] { watch(limit); }) {}
  deadline(const deadline&) = delete;
  deadline& operator=(const deadline&) = delete;
  ~deadline() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    watcher_.join();
  }

  /// Starts the time again, after a repetition.
  void renew() {
    const std::lock_guard lock(mutex_);
    ++renewals_;
  }

 private:
  void watch(std::chrono::seconds limit) {
    std::unique_lock lock(mutex_);
    for (unsigned long seen = ~0UL; seen != renewals_;) {
      seen = renewals_;
      if (changed_.wait_for(lock, limit, [this] { return over_; })) return;
    }
    std::fprintf(stderr, "deadline of %lld s passed after %lu repetitions\n",
                 static_cast<long long>(limit.count()), renewals_);
    for (const runtime* const rt : watched_) std::fputs(rt->describe().c_str(), stderr);
    std::abort();
  }

  std::vector<const runtime*> watched_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  unsigned long renewals_ = 0;
  std::thread watcher_;
};

/// The worker counts for which all behaviour is tested: powers of two, others, oversubscribed.
inline constexpr unsigned worker_counts[] = {1, 2, 3, 5, 8, 16, 64};

}  // namespace evencube::test
