#pragma once

// The public interface, as far as random programs use it, with a thread for every task: so simple
// that it can be seen to be right. A program that does not end, or fails its checks, with this one
// is itself wrong.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <evencube/balancers/registry.hpp>

namespace evencube {

enum class balancer_mode { automatic, thread, on_idle, on_demand };

struct runtime_options {
  unsigned workers = 0;
  std::string balancer = "oem";
  std::string transmission = "direct";
  balancer_mode mode = balancer_mode::automatic;
  bool pulls = true;
  bool pin = true;
  std::chrono::microseconds period{0};
  std::uint64_t threshold = 256;
  unsigned injection_capacity = 4096;
};

struct spawn_options {
  std::uint32_t cost = 1;
  std::optional<unsigned> home = std::nullopt;
};

struct loop_options {
  std::size_t grain = 0;
};

namespace reference {

/// How many tasks of a kind have not ended, and the first exception of those that have.
class unended {
 public:
  /// Calls `f` in a thread of its own.
  template <typename F>
  static void begin(const std::shared_ptr<unended>& by, F f) {
    {
      const std::lock_guard lock(by->mutex_);
      ++by->count_;
    }
    std::thread([by, task = std::optional<F>(std::move(f))]() mutable {
      std::exception_ptr failure;
      try {
        (*task)();
      } catch (...) {
        failure = std::current_exception();
      }
      task.reset();
      by->end_one(std::move(failure));
    }).detach();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return count_ == 0; });
  }
  void wait_and_rethrow() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return count_ == 0; });
    if (auto failure = std::exchange(failure_, nullptr)) {
      std::rethrow_exception(std::move(failure));
    }
  }

 private:
  // The exception is left to who waits: a thread sanitizer does not see who counts its owners.
  void end_one(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = std::move(failure);
    if (--count_ == 0) changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
  std::exception_ptr failure_;
};

}  // namespace reference

template <typename T>
class future {
 public:
  struct state {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    std::optional<T> value;
    std::exception_ptr failure;
  };
  explicit future(std::shared_ptr<state> of) : state_(std::move(of)) {}
  [[nodiscard]] bool ready() const {
    const std::lock_guard lock(state_->mutex);
    return state_->done;
  }
  void wait() const {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [this] { return state_->done; });
  }
  T get() {
    wait();
    const auto mine = std::move(state_);
    const std::lock_guard lock(mine->mutex);
    if (auto failure = std::exchange(mine->failure, nullptr)) {
      std::rethrow_exception(std::move(failure));
    }
    return std::move(*mine->value);
  }

 private:
  std::shared_ptr<state> state_;
};

struct worker_statistics {};
struct statistics {
  std::vector<worker_statistics> workers;
};

struct recording_options {
  std::size_t memory = 0;
};
struct recording {
  struct task {
    std::uint64_t spawned = 0, started = 0, ended = 0;
    std::uint32_t worker = 0;
  };
  std::vector<task> tasks;
};

class runtime {
 public:
  explicit runtime(const runtime_options& options) : workers_(options.workers) {}
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  ~runtime() { asyncs_->wait(); }

  template <typename F>
  auto run(F&& f) {
    return f();
  }
  template <typename F>
  auto async(F f, const spawn_options& = {}) -> future<std::invoke_result_t<F&>> {
    using state = typename future<std::invoke_result_t<F&>>::state;
    auto made = std::make_shared<state>();
    reference::unended::begin(asyncs_, [made, task = std::move(f)]() mutable {
      std::optional<std::invoke_result_t<F&>> value;
      std::exception_ptr failure;
      try {
        value.emplace(task());
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(made->mutex);
      made->value = std::move(value);
      made->failure = std::move(failure);
      made->done = true;
      made->changed.notify_all();
    });
    return future<std::invoke_result_t<F&>>(std::move(made));
  }

  [[nodiscard]] unsigned workers() const noexcept { return workers_; }
  bool balance() { return false; }
  void use_balancer(const std::string&, const balancer_options& = {}, const std::string& = {}) {}
  [[nodiscard]] statistics stats() const { return {std::vector<worker_statistics>(workers_)}; }
  void reset_stats() {}
  void start_recording(const recording_options&) {}
  [[nodiscard]] recording stop_recording() { return {}; }
  [[nodiscard]] std::string describe() const { return "a thread for every task\n"; }

  class held {
   public:
    [[nodiscard]] std::vector<load_type> loads() const { return {}; }
    int balance() { return 0; }
    [[nodiscard]] std::vector<std::vector<const void*>> tasks() const { return {}; }
  };
  [[nodiscard]] held hold() { return {}; }

 private:
  unsigned workers_;
  std::shared_ptr<reference::unended> asyncs_ = std::make_shared<reference::unended>();
};

inline unsigned this_worker() { return 0; }

class task_group {
 public:
  explicit task_group(runtime&) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  ~task_group() { tasks_->wait(); }

  template <typename F>
  void spawn(F f, const spawn_options& = {}) {
    reference::unended::begin(tasks_, std::move(f));
  }
  void wait() { tasks_->wait_and_rethrow(); }

 private:
  std::shared_ptr<reference::unended> tasks_ = std::make_shared<reference::unended>();
};

template <typename F, typename G>
auto fork_join(F f, G g) {
  std::optional<std::invoke_result_t<G&>> right;
  std::exception_ptr failure;
  std::thread other([&] {
    try {
      right.emplace(g());
    } catch (...) {
      failure = std::current_exception();
    }
  });
  struct joined {
    std::thread& thread;
    ~joined() {
      if (thread.joinable()) thread.join();
    }
  } const at_end{other};
  auto left = f();
  other.join();
  if (failure != nullptr) std::rethrow_exception(std::move(failure));
  return std::pair{std::move(left), std::move(*right)};
}

template <typename Body>
void parallel_for(int first, int last, const Body& body, const loop_options& = {}) {
  for (int i = first; i < last; ++i) body(i);
}

template <typename Value, typename Body, typename Combine>
Value parallel_reduce(int first, int last, Value init, const Body& body, const Combine& combine,
                      const loop_options& = {}) {
  for (int i = first; i < last; ++i) init = combine(std::move(init), body(i));
  return init;
}

}  // namespace evencube
