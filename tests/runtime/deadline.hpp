#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <evencube/evencube.hpp>
#include <mutex>
#include <thread>

namespace evencube::test {

/// Ends the program, with the states of all workers printed, unless it goes out of scope in time.
class deadline {
 public:
  explicit deadline(const runtime& watched, std::chrono::seconds limit = std::chrono::seconds{30})
      : watcher_([this, &watched, limit] {
          std::unique_lock lock(mutex_);
          if (changed_.wait_for(lock, limit, [this] { return over_; })) return;
          std::fprintf(stderr, "deadline of %lld s passed\n%s",
                       static_cast<long long>(limit.count()), watched.describe().c_str());
          std::abort();
        }) {}
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

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread watcher_;
};

/// The worker counts every behaviour is tested at: powers of two, others, oversubscribed.
inline constexpr unsigned worker_counts[] = {1, 2, 3, 5, 8, 16, 64};

}  // namespace evencube::test
