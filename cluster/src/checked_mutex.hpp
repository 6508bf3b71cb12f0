#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>

// What clang's -Wthread-safety checks. Other compilers skip it.
#if defined(__clang__)
#define EVENCUBE_CHECKED(...) __attribute__((__VA_ARGS__))
#else
#define EVENCUBE_CHECKED(...)
#endif
/// A member that is read and written only by a thread that has the mutex.
#define EVENCUBE_GUARDED_BY(mutex) EVENCUBE_CHECKED(guarded_by(mutex))
/// A function that is called only by a thread that has these mutexes.
#define EVENCUBE_REQUIRES(...) EVENCUBE_CHECKED(requires_capability(__VA_ARGS__))

namespace evencube::detail {

/// A std::mutex whose users clang checks.
class EVENCUBE_CHECKED(capability("mutex")) checked_mutex {
 public:
  void lock() EVENCUBE_CHECKED(acquire_capability()) { mutex_.lock(); }
  void unlock() EVENCUBE_CHECKED(release_capability()) { mutex_.unlock(); }
  [[nodiscard]] bool try_lock() EVENCUBE_CHECKED(try_acquire_capability(true)) {
    return mutex_.try_lock();
  }

 private:
  friend class checked_lock;

  std::mutex mutex_;
};

/// Has a mutex as long as it lives, except between `unlock` and `lock`.
class EVENCUBE_CHECKED(scoped_lockable) checked_lock {
 public:
  explicit checked_lock(checked_mutex& of) EVENCUBE_CHECKED(acquire_capability(of))
      : lock_(of.mutex_) {}
  /// For a mutex that the thread has.
  checked_lock(checked_mutex& of, std::adopt_lock_t adopt) EVENCUBE_CHECKED(requires_capability(of))
      : lock_(of.mutex_, adopt) {}
  checked_lock(const checked_lock&) = delete;
  checked_lock& operator=(const checked_lock&) = delete;
  ~checked_lock() EVENCUBE_CHECKED(release_capability()) {}

  void lock() EVENCUBE_CHECKED(acquire_capability()) { lock_.lock(); }
  void unlock() EVENCUBE_CHECKED(release_capability()) { lock_.unlock(); }

  template <typename Condition>
  void wait(std::condition_variable& changed, Condition condition) {
    changed.wait(lock_, std::move(condition));
  }
  template <typename Time, typename Condition>
  void wait_for(std::condition_variable& changed, Time most, Condition condition) {
    changed.wait_for(lock_, most, std::move(condition));
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace evencube::detail
