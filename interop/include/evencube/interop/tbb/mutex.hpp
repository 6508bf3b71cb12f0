#pragma once

#include <atomic>
#include <mutex>
#include <thread>

namespace evencube::tbb {

namespace detail {

/// Holds a mutex until this object is destroyed or released.
template <typename Mutex>
class scoped_lock_of {
 public:
  scoped_lock_of() noexcept = default;
  explicit scoped_lock_of(Mutex& of) { acquire(of); }
  scoped_lock_of(const scoped_lock_of&) = delete;
  scoped_lock_of& operator=(const scoped_lock_of&) = delete;
  ~scoped_lock_of() {
    if (of_ != nullptr) of_->unlock();
  }

  /// Locks `of`. Call this only while no mutex is held.
  void acquire(Mutex& of) {
    of.lock();
    of_ = &of;
  }
  bool try_acquire(Mutex& of) {
    if (!of.try_lock()) return false;
    of_ = &of;
    return true;
  }
  void release() {
    of_->unlock();
    of_ = nullptr;
  }

 private:
  Mutex* of_ = nullptr;
};

}  // namespace detail

/// A mutex for which a thread waits by checking again and again; at times it lets other threads go
/// first. For a few instructions that do not wait for tasks, take other locks or throw.
class spin_mutex {
 public:
  using scoped_lock = detail::scoped_lock_of<spin_mutex>;
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;

  spin_mutex() noexcept = default;
  spin_mutex(const spin_mutex&) = delete;
  spin_mutex& operator=(const spin_mutex&) = delete;

  /// Locks the mutex, and checks again and again while another thread holds it.
  void lock() noexcept {
    for (int looks = 0; !try_lock(); ++looks) {
      if (looks % 64 == 63) std::this_thread::yield();
    }
  }
  /// Locks the mutex if it is free, and returns true if it did.
  bool try_lock() noexcept {
    return !taken_.load(std::memory_order_relaxed) &&
           !taken_.exchange(true, std::memory_order_acquire);  // pairs with `unlock`
  }
  /// Unlocks the mutex.
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }  // as above

 private:
  std::atomic<bool> taken_{false};
};

/// A mutex for which a thread sleeps while another thread holds it.
class mutex {
 public:
  using scoped_lock = detail::scoped_lock_of<mutex>;
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;

  /// Locks the mutex; the calling thread sleeps while another thread holds it.
  void lock() { of_.lock(); }
  /// Locks the mutex if it is free, and returns true if it did.
  bool try_lock() { return of_.try_lock(); }
  /// Unlocks the mutex.
  void unlock() { of_.unlock(); }

 private:
  std::mutex of_;
};

}  // namespace evencube::tbb
