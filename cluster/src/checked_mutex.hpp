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
/// A member that is read and written only by a thread that has this role.
#define EVENCUBE_GUARDED_BY(role) EVENCUBE_CHECKED(guarded_by(role))
/// A function that is called only by a thread that has these roles.
#define EVENCUBE_REQUIRES(...) EVENCUBE_CHECKED(requires_capability(__VA_ARGS__))

namespace evencube::detail {

/// What a thread of a rank may have. The parts of a rank are objects of their own, and clang cannot
/// know that they mean the same mutex. So they say which role a member or a function needs, and
/// each mutex gives one. Nothing has the roles of two ranks at once.
class EVENCUBE_CHECKED(capability("role")) thread_role {};
/// Of the thread that has the `data_mutex`.
inline constexpr thread_role shared_data;
/// Of the thread that has the `turn_mutex`.
inline constexpr thread_role the_turn;

/// Guards the data that all threads of a rank share. Taken after the turn.
class data_mutex {
 public:
  void lock() EVENCUBE_CHECKED(acquire_capability(shared_data))
      EVENCUBE_CHECKED(no_thread_safety_analysis) {
    mutex_.lock();
  }
  void unlock() EVENCUBE_CHECKED(release_capability(shared_data))
      EVENCUBE_CHECKED(no_thread_safety_analysis) {
    mutex_.unlock();
  }

 private:
  friend class data_lock;

  std::mutex mutex_;
};

/// Has the shared data as long as it lives, except between `unlock` and `lock`.
class EVENCUBE_CHECKED(scoped_lockable) data_lock {
 public:
  explicit data_lock(data_mutex& of) EVENCUBE_CHECKED(acquire_capability(shared_data))
      : lock_(of.mutex_) {}
  data_lock(const data_lock&) = delete;
  data_lock& operator=(const data_lock&) = delete;
  ~data_lock() EVENCUBE_CHECKED(release_capability()) {}

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

/// The turn of a rank (T in cluster/docs/ranks.md). Its thread calls the transport.
class turn_mutex {
 public:
  [[nodiscard]] bool try_lock() EVENCUBE_CHECKED(try_acquire_capability(true, the_turn)) {
    return mutex_.try_lock();
  }

 private:
  friend class turn_lock;

  std::mutex mutex_;
};

/// Has the turn as long as it lives.
class EVENCUBE_CHECKED(scoped_lockable) turn_lock {
 public:
  explicit turn_lock(turn_mutex& of) EVENCUBE_CHECKED(acquire_capability(the_turn))
      : lock_(of.mutex_) {}
  /// For a thread that has the turn.
  turn_lock(turn_mutex& of, std::adopt_lock_t adopt) EVENCUBE_CHECKED(requires_capability(the_turn))
      : lock_(of.mutex_, adopt) {}
  turn_lock(const turn_lock&) = delete;
  turn_lock& operator=(const turn_lock&) = delete;
  ~turn_lock() EVENCUBE_CHECKED(release_capability()) {}

 private:
  const std::unique_lock<std::mutex> lock_;
};

}  // namespace evencube::detail
