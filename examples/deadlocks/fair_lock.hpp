#pragma once

#include <condition_variable>
#include <mutex>

/// A lock of many readers or one writer. New readers wait behind a writer that waits.
class fair_lock {
 public:
  void lock() {
    std::unique_lock hold(mutex_);
    ++writers_waiting_;
    changed_.wait(hold, [this] { return !writes_ && readers_ == 0; });
    --writers_waiting_;
    writes_ = true;
  }
  void unlock() {
    const std::lock_guard hold(mutex_);
    writes_ = false;
    changed_.notify_all();
  }
  void lock_shared() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return !writes_ && writers_waiting_ == 0; });
    ++readers_;
  }
  void unlock_shared() {
    const std::lock_guard hold(mutex_);
    --readers_;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int readers_ = 0;
  int writers_waiting_ = 0;
  bool writes_ = false;
};
