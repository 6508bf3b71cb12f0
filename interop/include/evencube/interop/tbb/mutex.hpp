#pragma once

#include <atomic>
#include <cstdint>
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

  /// Locks `of`. Call this only while this object does not hold a mutex.
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

/// Holds a reader-writer mutex until this object is destroyed or released.
template <typename Mutex>
class rw_scoped_lock_of {
 public:
  rw_scoped_lock_of() noexcept = default;
  explicit rw_scoped_lock_of(Mutex& of, bool write = true) { acquire(of, write); }
  rw_scoped_lock_of(const rw_scoped_lock_of&) = delete;
  rw_scoped_lock_of& operator=(const rw_scoped_lock_of&) = delete;
  ~rw_scoped_lock_of() {
    if (of_ != nullptr) release();
  }

  /// Locks `of` for writing, or for reading if `write` is false. Call this only while this object
  /// does not hold a mutex.
  void acquire(Mutex& of, bool write = true) {
    if (write) {
      of.lock();
    } else {
      of.lock_shared();
    }
    of_ = &of;
    writes_ = write;
  }
  bool try_acquire(Mutex& of, bool write = true) {
    if (!(write ? of.try_lock() : of.try_lock_shared())) return false;
    of_ = &of;
    writes_ = write;
    return true;
  }
  void release() {
    Mutex& of = *of_;
    of_ = nullptr;
    if (writes_) {
      of.unlock();
    } else {
      of.unlock_shared();
    }
  }
  /// Turns a reader into a writer. Returns false if another writer may have held the mutex
  /// meanwhile.
  bool upgrade_to_writer() {
    if (writes_) return true;
    writes_ = true;
    return of_->upgrade();
  }
  /// Turns a writer into a reader; no other writer gets the mutex in between.
  bool downgrade_to_reader() {
    if (writes_) of_->downgrade();
    writes_ = false;
    return true;
  }
  [[nodiscard]] bool is_writer() const noexcept { return writes_; }

 private:
  Mutex* of_ = nullptr;
  bool writes_ = false;
};

/// The constants by which programs query the kind of a mutex.
template <bool Rw, bool Fair>
struct mutex_kind {
  static constexpr bool is_rw_mutex = Rw;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = Fair;
};

}  // namespace detail

/// A mutex on which a waiting thread spins, and sometimes yields to other threads. Use it to guard
/// a few instructions that do not wait for tasks, lock other mutexes or throw.
class spin_mutex : public detail::mutex_kind<false, false> {
 public:
  using scoped_lock = detail::scoped_lock_of<spin_mutex>;

  spin_mutex() noexcept = default;
  spin_mutex(const spin_mutex&) = delete;
  spin_mutex& operator=(const spin_mutex&) = delete;

  /// Locks the mutex; the calling thread spins while another thread holds it.
  void lock() noexcept {
    for (int looks = 0; !try_lock(); ++looks) {
      if (looks % 64 == 63) std::this_thread::yield();
    }
  }
  /// Locks the mutex if it is free; otherwise returns false.
  bool try_lock() noexcept {
    return !taken_.load(std::memory_order_relaxed) &&
           !taken_.exchange(true, std::memory_order_acquire);  // pairs with `unlock`
  }
  /// Unlocks the mutex.
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }  // as above

 private:
  std::atomic<bool> taken_{false};
};

/// A mutex on which waiting threads sleep.
class mutex : public detail::mutex_kind<false, false> {
 public:
  using scoped_lock = detail::scoped_lock_of<mutex>;

  /// Locks the mutex; the calling thread sleeps while another thread holds it.
  void lock() { of_.lock(); }
  /// Locks the mutex if it is free; otherwise returns false.
  bool try_lock() { return of_.try_lock(); }
  /// Unlocks the mutex.
  void unlock() { of_.unlock(); }

 private:
  std::mutex of_;
};

/// A mutex that threads acquire in the order in which they call `lock`.
class queuing_mutex : public detail::mutex_kind<false, true> {
 public:
  using scoped_lock = detail::scoped_lock_of<queuing_mutex>;

  queuing_mutex() noexcept = default;
  queuing_mutex(const queuing_mutex&) = delete;
  queuing_mutex& operator=(const queuing_mutex&) = delete;

  /// Draws a ticket and waits until its number is next.
  void lock() noexcept {
    const std::uint32_t mine = next_.fetch_add(1, std::memory_order_relaxed);
    for (int looks = 0;; ++looks) {
      const std::uint32_t now = now_.load(std::memory_order_acquire);  // pairs with `unlock`
      if (now == mine) return;
      if (looks < 64) continue;
      now_.wait(now, std::memory_order_acquire);  // as above
    }
  }
  /// Locks the mutex if it is free; otherwise returns false.
  bool try_lock() noexcept {
    std::uint32_t now = now_.load(std::memory_order_acquire);  // pairs with `unlock`
    return next_.compare_exchange_strong(now, now + 1, std::memory_order_relaxed);
  }
  /// Unlocks the mutex for the next thread in order.
  void unlock() noexcept {
    now_.fetch_add(1, std::memory_order_release);  // pairs with `lock` and `try_lock`
    now_.notify_all();
  }

 private:
  std::atomic<std::uint32_t> next_{0};
  std::atomic<std::uint32_t> now_{0};
};

namespace detail {

/// A reader-writer mutex. Waiting writers block new readers. If `Sleeps` is true, waiting threads
/// sleep instead of spinning.
template <bool Sleeps, bool Fair>
class basic_rw_mutex : public mutex_kind<true, Fair> {
 public:
  using scoped_lock = rw_scoped_lock_of<basic_rw_mutex>;

  basic_rw_mutex() noexcept = default;
  basic_rw_mutex(const basic_rw_mutex&) = delete;
  basic_rw_mutex& operator=(const basic_rw_mutex&) = delete;

  /// Locks the mutex for writing.
  void lock() noexcept {
    for (unsigned looks = 0; !try_lock(); ++looks) {
      std::uint32_t seen = state_.load(std::memory_order_relaxed);
      if ((seen & ~wanted) == 0) continue;
      if ((seen & wanted) == 0 &&
          !state_.compare_exchange_strong(seen, seen | wanted, std::memory_order_relaxed)) {
        continue;
      }
      pause(looks, seen | wanted);
    }
  }
  /// Locks the mutex for writing if it is free; otherwise returns false.
  bool try_lock() noexcept {
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    return (seen & ~wanted) == 0 &&
           // Acquire: pairs with the releases of the unlocks.
           state_.compare_exchange_strong(seen, writer, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  /// Releases a writer's lock.
  void unlock() noexcept {
    state_.fetch_and(wanted, std::memory_order_release);  // pairs with the locks
    wake();
  }
  /// Locks the mutex for reading.
  void lock_shared() noexcept {
    for (unsigned looks = 0; !try_lock_shared(); ++looks) {
      const std::uint32_t seen = state_.load(std::memory_order_relaxed);
      if ((seen & (writer | wanted)) != 0) pause(looks, seen);
    }
  }
  /// Locks the mutex for reading if no writer holds it or waits for it; otherwise returns false.
  bool try_lock_shared() noexcept {
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    while ((seen & (writer | wanted)) == 0) {
      // Acquire: pairs with the releases of the unlocks.
      if (state_.compare_exchange_weak(seen, seen + reader, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
  /// Releases a reader's lock.
  void unlock_shared() noexcept {
    state_.fetch_sub(reader, std::memory_order_release);  // pairs with the locks
    wake();
  }
  /// Turns a reader into a writer. Returns false if the mutex was unlocked in between.
  bool upgrade() noexcept {
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    while ((seen & ~wanted) == reader) {  // the only reader
      // Acquire: pairs with the releases of the unlocks.
      if (state_.compare_exchange_weak(seen, writer | (seen & wanted), std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    unlock_shared();
    lock();
    return false;
  }
  /// Turns a writer into a reader.
  void downgrade() noexcept {
    // Release: pairs with the locks.
    state_.fetch_add(reader - writer, std::memory_order_release);
    wake();
  }

 private:
  static constexpr std::uint32_t writer = 1;
  static constexpr std::uint32_t wanted =
      2;  // a writer waits; the writer clears this bit when it locks
  static constexpr std::uint32_t reader = 4;

  void pause(unsigned looks, std::uint32_t seen) noexcept {
    if (looks % 64 != 63) return;
    if constexpr (Sleeps) {
      state_.wait(seen, std::memory_order_relaxed);
    } else {
      std::this_thread::yield();
    }
  }
  void wake() noexcept {
    if constexpr (Sleeps) state_.notify_all();
  }

  std::atomic<std::uint32_t> state_{0};
};

}  // namespace detail

/// A reader-writer mutex on which waiting threads spin.
using spin_rw_mutex = detail::basic_rw_mutex<false, false>;
/// A reader-writer mutex on which waiting threads sleep.
using rw_mutex = detail::basic_rw_mutex<true, false>;
/// A reader-writer mutex that does not strictly preserve the order of calls: waiting writers
/// precede new readers.
using queuing_rw_mutex = detail::basic_rw_mutex<true, true>;
/// A mutex that, unlike oneTBB's, never uses hardware transactions.
using speculative_spin_mutex = spin_mutex;
using speculative_spin_rw_mutex = spin_rw_mutex;

/// A mutex that does nothing, for code that takes the type of its mutex as a parameter.
class null_mutex : public detail::mutex_kind<false, true> {
 public:
  using scoped_lock = detail::scoped_lock_of<null_mutex>;
  static constexpr bool is_recursive_mutex = true;

  null_mutex() noexcept = default;
  null_mutex(const null_mutex&) = delete;
  null_mutex& operator=(const null_mutex&) = delete;

  void lock() noexcept {}
  bool try_lock() noexcept { return true; }
  void unlock() noexcept {}
};
/// A reader-writer mutex that does nothing.
class null_rw_mutex : public detail::mutex_kind<true, true> {
 public:
  using scoped_lock = detail::rw_scoped_lock_of<null_rw_mutex>;
  static constexpr bool is_recursive_mutex = true;

  null_rw_mutex() noexcept = default;
  null_rw_mutex(const null_rw_mutex&) = delete;
  null_rw_mutex& operator=(const null_rw_mutex&) = delete;

  void lock() noexcept {}
  bool try_lock() noexcept { return true; }
  void unlock() noexcept {}
  void lock_shared() noexcept {}
  bool try_lock_shared() noexcept { return true; }
  void unlock_shared() noexcept {}
  bool upgrade() noexcept { return true; }
  void downgrade() noexcept {}
};

namespace profiling {

/// Does nothing: EvenCube does not pass mutex names to profiling tools. oneTBB does so only if the
/// program is compiled for such a tool.
template <bool Rw, bool Fair>
void set_name(const detail::mutex_kind<Rw, Fair>& /*mutex*/, const char* /*name*/) noexcept {}

}  // namespace profiling

}  // namespace evencube::tbb
