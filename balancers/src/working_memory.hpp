#pragma once

#include <atomic>

namespace evencube {

/// The working memory of a planner: a T that no other thread uses meanwhile, with the contents that
/// its last user left. It is kept from one plan to the next, so planning allocates nothing. If
/// several threads plan at once, each has an object, and one of these is kept. T belongs to one
/// source file (it is in an unnamed namespace). Throws std::bad_alloc. Thread-safe.
///
/// It is no thread_local variable: as long as a thread lives, the destructors of its variables keep
/// a library loaded, and the threads of a runtime end with the library that they are in.
template <typename T>
class working_memory {
 public:
  working_memory() : mine_(take()) { static_cast<void>(&at_the_end); }
  working_memory(const working_memory&) = delete;
  working_memory& operator=(const working_memory&) = delete;
  ~working_memory() {
    T* none = nullptr;
    // Release: pairs with the swap in `take`.
    if (!kept.compare_exchange_strong(none, mine_, std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
      delete mine_;
    }
    // Seq_cst, here and in `cleaner`: an object that is kept after the end is seen by one of the
    // two.
    if (ended.load(std::memory_order_seq_cst)) cleaner::drop();
  }

  T& operator*() const noexcept { return *mine_; }
  T* operator->() const noexcept { return mine_; }

 private:
  struct cleaner {
    ~cleaner() {
      ended.store(true, std::memory_order_seq_cst);
      drop();
    }
    static void drop() noexcept { delete kept.exchange(nullptr, std::memory_order_seq_cst); }
  };

  static T* take() {
    T* found = kept.load(std::memory_order_relaxed);
    // Acquire: pairs with the swap in the destructor. The object may have been away meanwhile. What
    // is kept is free, whichever thread brought it back.
    if (found != nullptr && kept.compare_exchange_strong(found, nullptr, std::memory_order_acquire,
                                                         std::memory_order_relaxed)) {
      return found;
    }
    return new T;
  }

  // Planners may run in destructors of static variables, after that of the cleaner.
  static constinit inline std::atomic<T*> kept{nullptr};
  static constinit inline std::atomic<bool> ended{false};
  static inline const cleaner at_the_end;

  T* mine_;
};

}  // namespace evencube
