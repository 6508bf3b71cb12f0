#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <evencube/interop/tbb/task_group_context.hpp>
#include <evencube/this_task.hpp>

namespace evencube::tbb {

class task_arena;
class task_scheduler_observer;

namespace detail {

/// The state of an observer that threads share; it outlives the observer.
struct observed_scheduler {
  // Null after the observation has ended. `observer` and `callers` are seq_cst: a thread counts
  // itself before it reads the observer, and the end of the observation clears the observer before
  // it reads the count.
  std::atomic<task_scheduler_observer*> observer{nullptr};
  std::atomic<unsigned> callers{0};  // threads in the observer's functions
  const void* arena = nullptr;       // null: every arena
};

/// The observers of the program.
struct observed_schedulers {
  std::mutex lock;
  std::vector<std::shared_ptr<observed_scheduler>> all;  // guarded by the lock
};
/// Incremented when the list changes, so that threads notice. Relaxed, because it is only a hint;
/// the list is read with the lock.
inline constinit std::atomic<std::uint64_t> observers_version{0};
inline observed_schedulers& the_observers() {
  static observed_schedulers* const all = new observed_schedulers;  // threads may outlive main
  return *all;
}

/// The observers that the calling thread has notified of its entry.
struct entered_observers {
  std::vector<std::shared_ptr<observed_scheduler>> entered;
  std::uint64_t version = 0;
  const void* arena = nullptr;
  bool busy = false;
  const observed_scheduler* calling = nullptr;  // the observer whose function this thread runs

  entered_observers() = default;
  entered_observers(const entered_observers&) = delete;
  entered_observers& operator=(const entered_observers&) = delete;
  ~entered_observers();
};
inline thread_local entered_observers observers_here{};

inline void enter_observers() noexcept;
inline void leave_observers(const void* arena, bool all) noexcept;

/// Notifies the observers that the calling thread has not notified yet. Called before each body. If
/// nothing has changed, this costs two loads.
inline void notice_observers() noexcept {
  const std::uint64_t now = observers_version.load(std::memory_order_relaxed);
  if (now != 0 && (now != observers_here.version || observers_here.arena != here.arena)) {
    enter_observers();
  }
}

}  // namespace detail

/// The base class of observers, which are called when threads begin or cease to take part in an
/// arena's work.
class task_scheduler_observer {
 public:
  /// Makes an observer of all arenas.
  task_scheduler_observer() = default;
  /// Makes an observer of the arena `of`.
  explicit task_scheduler_observer(task_arena& of);
  task_scheduler_observer(const task_scheduler_observer&) = delete;
  task_scheduler_observer& operator=(const task_scheduler_observer&) = delete;
  /// Ends the observation. A derived class whose functions use its own members must end the
  /// observation in its own destructor, by calling `observe(false)`.
  virtual ~task_scheduler_observer() { observe(false); }

  /// Begins the observation if `state` is true. Otherwise ends it, and waits for calls of its
  /// functions that are in progress.
  void observe(bool state = true);
  [[nodiscard]] bool is_observing() const noexcept { return state_ != nullptr; }

  /// Called on a thread that begins to take part in an arena. `is_worker` is false for the
  /// program's own threads.
  virtual void on_scheduler_entry(bool /*is_worker*/) {}
  /// Called on a thread that no longer takes part in an arena.
  virtual void on_scheduler_exit(bool /*is_worker*/) {}

 private:
  const void* arena_ = nullptr;
  std::shared_ptr<detail::observed_scheduler> state_;
};

namespace detail {

// False on runtimes' threads; true on a program thread while it is inside a runtime.
inline thread_local bool program_thread_inside = false;

template <typename F>
void call_observer(observed_scheduler& of, const F& f) noexcept {
  of.callers.fetch_add(1, std::memory_order_seq_cst);
  if (task_scheduler_observer* const observer = of.observer.load(std::memory_order_seq_cst)) {
    const observed_scheduler* const before = std::exchange(observers_here.calling, &of);
    try {
      f(*observer);
    } catch (...) {  // as with oneTBB, the functions must not throw
    }
    observers_here.calling = before;
  }
  of.callers.fetch_sub(1, std::memory_order_seq_cst);
  of.callers.notify_all();
}

inline void enter_observers() noexcept {
  entered_observers& mine = observers_here;
  if (mine.busy) return;
  mine.busy = true;
  try {
    std::vector<std::shared_ptr<observed_scheduler>> added;
    {
      observed_schedulers& all = the_observers();
      const std::lock_guard lock(all.lock);
      mine.version = observers_version.load(std::memory_order_relaxed);
      mine.arena = here.arena;
      for (const auto& one : all.all) {
        if (one->arena != nullptr && one->arena != here.arena) continue;
        if (std::find(mine.entered.begin(), mine.entered.end(), one) == mine.entered.end()) {
          added.push_back(one);
        }
      }
    }
    for (const auto& one : added) {
      mine.entered.push_back(one);
      call_observer(
          *one, [](task_scheduler_observer& it) { it.on_scheduler_entry(!program_thread_inside); });
    }
  } catch (...) {  // out of memory: the thread tries again before its next body
    mine.version = 0;
  }
  mine.busy = false;
}

/// Notifies the arena's observers, or all of them, that the calling thread is leaving.
inline void leave_observers(const void* arena, bool all) noexcept {
  entered_observers& mine = observers_here;
  if (mine.busy || mine.entered.empty()) return;
  mine.busy = true;
  for (std::size_t k = mine.entered.size(); k-- > 0;) {
    const std::shared_ptr<observed_scheduler> one = mine.entered[k];
    if (!all && one->arena != arena) continue;
    mine.entered.erase(mine.entered.begin() + static_cast<std::ptrdiff_t>(k));
    call_observer(
        *one, [](task_scheduler_observer& it) { it.on_scheduler_exit(!program_thread_inside); });
  }
  mine.version = 0;
  mine.busy = false;
}

inline entered_observers::~entered_observers() { leave_observers(nullptr, true); }

}  // namespace detail

inline void task_scheduler_observer::observe(bool state) {
  detail::observed_schedulers& all = detail::the_observers();
  if (state) {
    if (state_ != nullptr) return;
    auto made = std::make_shared<detail::observed_scheduler>();
    made->observer.store(this, std::memory_order_seq_cst);
    made->arena = arena_;
    {
      const std::lock_guard lock(all.lock);
      all.all.push_back(made);
      detail::observers_version.fetch_add(1, std::memory_order_relaxed);
    }
    state_ = std::move(made);
    // If the calling thread is in a runtime, it notices the change immediately; other threads
    // notice it before their next bodies.
    if (this_task::runtime() != nullptr) detail::notice_observers();
    return;
  }
  const std::shared_ptr<detail::observed_scheduler> ending = std::exchange(state_, nullptr);
  if (ending == nullptr) return;
  {
    const std::lock_guard lock(all.lock);
    all.all.erase(std::find(all.all.begin(), all.all.end(), ending));
    detail::observers_version.fetch_add(1, std::memory_order_relaxed);
  }
  ending->observer.store(nullptr, std::memory_order_seq_cst);
  // If one of the observer's own functions ends the observation, it does not wait for itself.
  const unsigned own = detail::observers_here.calling == ending.get() ? 1 : 0;
  for (unsigned now = ending->callers.load(std::memory_order_seq_cst); now > own;
       now = ending->callers.load(std::memory_order_seq_cst)) {
    ending->callers.wait(now, std::memory_order_seq_cst);
  }
}

}  // namespace evencube::tbb
