#pragma once

// The public interface, as far as random programs use it, with a thread for every task: so simple
// that it can be seen to be right. A program that does not end, or fails its checks, with this one
// is itself wrong.

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <evencube/balancers/registry.hpp>

namespace evencube {

class error : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

enum class balancer_mode { automatic, thread, on_idle, on_demand };
enum class hotness { never, learned, always };

class observer {
 public:
  virtual ~observer() = default;
  virtual void worker_started(unsigned) {}
  virtual void worker_stopped(unsigned) {}
  virtual void worker_parks(unsigned) {}
  virtual void worker_wakes(unsigned) {}
};
class task_observer : public observer {
 public:
  virtual void task_begins(unsigned) {}
  virtual void task_ended(unsigned) {}
};

struct experimental_options {
  bool measured_speeds = false;
};

struct runtime_options {
  unsigned workers = 0;
  unsigned spare_workers = 0;
  std::string balancer = "oem";
  std::string transmission = "direct";
  balancer_mode mode = balancer_mode::automatic;
  bool pulls = true;
  bool largest_first = true;
  bool pin = true;
  std::chrono::microseconds period{0};
  std::uint64_t threshold = 256;
  unsigned injection_capacity = 4096;
  evencube::hotness hotness = evencube::hotness::learned;
  std::optional<bool> check_waits = std::nullopt;
  bool measured_costs = false;
  experimental_options experimental = {};
  std::shared_ptr<evencube::observer> observer = nullptr;
};

enum class priority : std::uint8_t { high, normal, low };

struct spawn_options {
  std::uint32_t cost = 1;
  std::optional<unsigned> home = std::nullopt;
  evencube::priority priority = evencube::priority::normal;
  const char* name = nullptr;
};

struct loop_options {
  std::size_t grain = 0;
};

namespace reference {

/// Calls `f` in a thread that nobody joins. The thread is detached from its beginning: glibc's
/// pthread_detach (2.36), and so std::thread::detach, reads from the descriptor of the thread even
/// if the thread has ended meanwhile and its memory has been unmapped.
template <typename F>
void begin_thread(F f) {
  auto call = std::make_unique<F>(std::move(f));
  pthread_attr_t detached;
  ::pthread_attr_init(&detached);
  ::pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const auto body = [](void* at) -> void* {
    const std::unique_ptr<F> own(static_cast<F*>(at));
    (*own)();
    return nullptr;
  };
  const int refused = ::pthread_create(&thread, &detached, body, call.get());
  ::pthread_attr_destroy(&detached);
  if (refused != 0) throw std::system_error(refused, std::generic_category(), "pthread_create");
  static_cast<void>(call.release());
}

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
    begin_thread([by, task = std::optional<F>(std::move(f))]() mutable {
      std::exception_ptr failure;
      try {
        (*task)();
      } catch (...) {
        failure = std::current_exception();
      }
      task.reset();
      by->end_one(std::move(failure));
    });
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return count_ == 0; });
  }
  /// One more of what a runtime runs: refused from outside where it was stopped.
  void enter(bool inside) {
    const std::lock_guard lock(mutex_);
    if (closed_ && !inside) throw error("this runtime has been stopped");
    ++count_;
  }
  void leave() { end_one(nullptr); }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  [[nodiscard]] bool closed() {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  void set_observer(std::shared_ptr<observer> told) { told_ = std::move(told); }
  /// Of a task on a worker that does nothing else.
  void tell() const {
    if (told_ == nullptr) return;
    const std::lock_guard lock(telling_);
    told_->worker_started(0);
    if (auto* const tasks = dynamic_cast<task_observer*>(told_.get()); tasks != nullptr) {
      try {
        tasks->task_begins(0);
      } catch (...) {
      }
      try {
        tasks->task_ended(0);
      } catch (...) {
      }
    }
    told_->worker_stopped(0);
  }
  void wait_and_rethrow() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return count_ == 0; });
    rethrow();
  }
  /// False if `time` comes first.
  template <typename Time>
  bool wait_until_and_rethrow(const Time& time) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_until(lock, time, [this] { return count_ == 0; })) return false;
    rethrow();
    return true;
  }

 private:
  void rethrow() {
    if (auto failure = std::exchange(failure_, nullptr)) {
      std::rethrow_exception(std::move(failure));
    }
  }
  // The exception is left to who waits: a thread sanitizer does not see who counts its owners.
  void end_one(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = std::move(failure);
    if (--count_ == 0) changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
  bool closed_ = false;
  std::exception_ptr failure_;
  std::shared_ptr<observer> told_;
  mutable std::mutex telling_;
};

/// A group that may be stopped, and what it stands below.
struct stoppable {
  std::atomic<bool> requested{false};
  std::shared_ptr<const stoppable> above;

  [[nodiscard]] bool stopped() const { return requested || (above != nullptr && above->stopped()); }
};

/// What the calling thread runs: of which runtime, by its tasks, and as part of which group's task.
struct running {
  const unended* runtime = nullptr;
  std::shared_ptr<const stoppable> group;
};
inline thread_local running now;
/// In a blocking scope, which changes nothing but what it is asked.
inline thread_local bool blocks = false;

/// The calling thread begins something in a runtime, or is refused.
struct entering {
  unended& of;
  explicit entering(unended& runtime) : of(runtime) { of.enter(now.runtime == &of); }
  entering(const entering&) = delete;
  entering& operator=(const entering&) = delete;
  ~entering() { of.leave(); }
};

/// Calls `f` as a task of that.
template <typename F>
auto as(running what, F&& f) {
  struct restored {
    running before;
    ~restored() { now = std::move(before); }
  } const at_end{std::exchange(now, std::move(what))};
  return f();
}

}  // namespace reference

namespace this_task {
inline bool stop_requested() {
  return reference::now.group != nullptr && reference::now.group->stopped();
}
inline std::optional<unsigned> worker() {
  const bool inside = reference::now.runtime != nullptr && !reference::blocks;
  return inside ? std::optional(0U) : std::nullopt;
}
}  // namespace this_task

enum class future_status { ready, timeout };

template <typename T>
class future {
 public:
  struct state {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    std::optional<T> value;
    std::exception_ptr failure;
    std::shared_ptr<reference::unended> tasks;  // of the runtime

    void wait() {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return done; });
    }
    template <typename F>
    void end_with(const F& f) {
      std::optional<T> result;
      std::exception_ptr thrown;
      try {
        result.emplace(f());
      } catch (...) {
        thrown = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      value = std::move(result);
      failure = std::move(thrown);
      done = true;
      changed.notify_all();
    }
    T take() {
      wait();
      const std::lock_guard lock(mutex);
      if (auto thrown = std::exchange(failure, nullptr)) std::rethrow_exception(std::move(thrown));
      return std::move(*value);
    }
  };
  future() = default;
  explicit future(std::shared_ptr<state> of) : state_(std::move(of)) {}
  [[nodiscard]] bool valid() const { return state_ != nullptr; }
  [[nodiscard]] const std::shared_ptr<state>& inside() const { return state_; }
  [[nodiscard]] bool ready() const {
    const std::lock_guard lock(state_->mutex);
    return state_->done;
  }
  void wait() const { state_->wait(); }
  template <typename Time>
  future_status wait_for(const Time& time) const {
    return wait_until(std::chrono::steady_clock::now() + time);
  }
  template <typename Time>
  future_status wait_until(const Time& time) const {
    std::unique_lock lock(state_->mutex);
    return state_->changed.wait_until(lock, time, [this] { return state_->done; })
               ? future_status::ready
               : future_status::timeout;
  }
  T get() { return std::exchange(state_, nullptr)->take(); }

  template <typename F>
  auto then(F f, const spawn_options& = {}) {
    using result = std::invoke_result_t<F&, T>;
    auto made = std::make_shared<typename future<result>::state>();
    made->tasks = state_->tasks;
    const reference::entering one(*made->tasks);
    reference::unended::begin(made->tasks, [made, before = std::exchange(state_, nullptr),
                                            task = std::move(f)]() mutable {
      // A task of the runtime like others: groups and graphs within are below those around them.
      made->end_with([&] {
        return reference::as({made->tasks.get(), nullptr}, [&] { return task(before->take()); });
      });
    });
    return future<result>(std::move(made));
  }

 private:
  std::shared_ptr<state> state_;
};

struct worker_statistics {};
struct statistics {
  std::vector<worker_statistics> workers;
};

class trace_region {
 public:
  explicit trace_region(const char*) noexcept {}
  trace_region(const trace_region&) = delete;
  trace_region& operator=(const trace_region&) = delete;
  ~trace_region() {}
};
inline void trace_counter(const char*, double) noexcept {}

struct recording_options {
  std::size_t memory = 0;
};
struct recording {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct task {
    std::uint64_t spawned = 0, started = 0, ended = 0;
    std::uint32_t worker = 0;
    std::uint32_t name = none, cost = 1;
  };
  struct region {
    std::uint32_t within = 0, name = 0;
    std::uint64_t began = 0, ended = 0;
  };
  struct count {
    std::uint32_t name = 0;
    double value = 0;
  };
  std::vector<task> tasks;
  std::vector<region> regions;
  std::vector<count> counts;
  std::vector<std::string> names;
};

class runtime {
 public:
  explicit runtime(const runtime_options& options) : workers_(options.workers) {
    asyncs_->set_observer(options.observer);
  }
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  /// A task that calls std::exit does not wait for itself.
  ~runtime() {
    if (reference::now.runtime != asyncs_.get()) asyncs_->wait();
  }

  /// On another thread where the caller is a task of another runtime.
  template <typename F>
  auto run(F&& f) {
    const bool within = reference::now.runtime == asyncs_.get();
    const reference::entering one(*asyncs_);
    const reference::running inside{asyncs_.get(), within ? reference::now.group : nullptr};
    if (within || reference::now.runtime == nullptr) return reference::as(inside, f);
    std::packaged_task<std::invoke_result_t<F&>()> whole([&] { return reference::as(inside, f); });
    std::thread(std::ref(whole)).join();
    return whole.get_future().get();
  }
  [[nodiscard]] auto schedule();
  template <typename F>
  auto async(F f, const spawn_options& = {}) -> future<std::invoke_result_t<F&>> {
    using state = typename future<std::invoke_result_t<F&>>::state;
    auto made = std::make_shared<state>();
    made->tasks = asyncs_;
    const reference::entering one(*asyncs_);
    reference::unended::begin(asyncs_, [made, task = std::move(f)]() mutable {
      made->end_with([&] { return reference::as({made->tasks.get(), nullptr}, task); });
    });
    return future<std::invoke_result_t<F&>>(std::move(made));
  }

  [[nodiscard]] unsigned workers() const noexcept { return workers_; }
  [[nodiscard]] unsigned spare_workers() const noexcept { return 0; }
  bool balance() { return false; }
  void stop() {
    asyncs_->close();
    asyncs_->wait();
  }
  [[nodiscard]] bool stopped() const { return asyncs_->closed(); }
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
  [[nodiscard]] const std::shared_ptr<reference::unended>& tasks() const { return asyncs_; }

 private:
  unsigned workers_;
  std::shared_ptr<reference::unended> asyncs_ = std::make_shared<reference::unended>();
};

/// Changes nothing of what a program does.
class hot_phase {
 public:
  hot_phase(runtime&, std::chrono::nanoseconds) {}
  ~hot_phase() {}
};

struct arena_options {
  unsigned workers = 1;
};

/// Limits nothing, and says so.
struct run_options {
  bool here_only = false;
};

class arena {
 public:
  arena(runtime& of, const arena_options&) : of_(&of) {}
  template <typename F>
  auto run(F&& f, const run_options& /*options*/ = {}) {
    return of_->run(f);
  }
  template <typename F>
  auto async(F f, const spawn_options& options = {}) {
    return of_->async(std::move(f), options);
  }
  [[nodiscard]] unsigned workers() const noexcept { return ~0U; }
  [[nodiscard]] runtime& of() const noexcept { return *of_; }

 private:
  runtime* of_;
};

template <typename T>
future<T> make_ready_future(runtime& of, T value) {
  auto made = std::make_shared<typename future<T>::state>();
  made->tasks = of.tasks();
  made->end_with([&] { return std::move(value); });
  return future<T>(std::move(made));
}

template <typename T>
class promise {
 public:
  explicit promise(runtime& of) : state_(std::make_shared<typename future<T>::state>()) {
    state_->tasks = of.tasks();
    state_->tasks->enter(reference::now.runtime == state_->tasks.get());
  }
  promise(promise&& other) noexcept : state_(std::move(other.state_)) {}
  promise& operator=(promise&&) = delete;
  ~promise() {
    if (state_ != nullptr) set_exception(std::make_exception_ptr(error("a broken promise")));
  }
  [[nodiscard]] future<T> get_future() const { return future<T>(state_); }
  void set_value(T value) {
    end([&] { return std::move(value); });
  }
  void set_exception(const std::exception_ptr& failure) {
    end([&]() -> T { std::rethrow_exception(failure); });
  }

 private:
  template <typename F>
  void end(const F& f) {
    const auto ended = std::exchange(state_, nullptr);
    ended->end_with(f);
    ended->tasks->leave();
  }

  std::shared_ptr<typename future<T>::state> state_;
};

template <typename Futures>
struct when_any_result {
  std::size_t index = 0;
  Futures futures;
};

namespace reference {

/// `Result` once `is_there` gives it, from a thread that looks now and then.
template <typename Result, typename F>
future<Result> when(const std::shared_ptr<unended>& tasks, F is_there) {
  auto made = std::make_shared<typename future<Result>::state>();
  made->tasks = tasks;
  unended::begin(tasks, [made, look = std::move(is_there)]() mutable {
    made->end_with([&] {
      for (;;) {
        if (std::optional<Result> result = look()) return std::move(*result);
        std::this_thread::sleep_for(std::chrono::microseconds{20});
      }
    });
  });
  return future<Result>(std::move(made));
}

}  // namespace reference

template <typename T>
future<std::vector<future<T>>> when_all(std::vector<future<T>> futures) {
  using result = std::vector<future<T>>;
  const auto tasks = futures.at(0).inside()->tasks;
  return reference::when<result>(tasks, [all = std::move(futures)]() mutable {
    for (const auto& f : all) f.wait();
    return std::optional<result>(std::move(all));
  });
}
template <typename T>
future<std::tuple<future<T>, future<T>>> when_all(future<T> a, future<T> b) {
  using result = std::tuple<future<T>, future<T>>;
  const auto tasks = a.inside()->tasks;
  return reference::when<result>(tasks, [all = result(std::move(a), std::move(b))]() mutable {
    std::get<0>(all).wait();
    std::get<1>(all).wait();
    return std::optional<result>(std::move(all));
  });
}
template <typename T>
future<when_any_result<std::vector<future<T>>>> when_any(std::vector<future<T>> futures) {
  using result = when_any_result<std::vector<future<T>>>;
  const auto tasks = futures.at(0).inside()->tasks;
  return reference::when<result>(tasks, [all = std::move(futures)]() mutable {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].ready()) return std::optional<result>(result{i, std::move(all)});
    }
    return std::optional<result>();
  });
}

template <typename T>
future<when_any_result<std::vector<future<T>>>> when_any(std::stop_source others,
                                                         std::vector<future<T>> futures) {
  using result = when_any_result<std::vector<future<T>>>;
  const auto tasks = futures.at(0).inside()->tasks;
  return reference::when<result>(tasks, [others, all = std::move(futures)]() mutable {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].ready()) continue;
      others.request_stop();
      for (const auto& f : all) f.wait();
      return std::optional<result>(result{i, std::move(all)});
    }
    return std::optional<result>();
  });
}

inline unsigned this_worker() { return 0; }

template <typename F>
decltype(auto) blocking(const F& f) {
  struct restored {
    bool before = std::exchange(reference::blocks, true);
    ~restored() { reference::blocks = before; }
  } const at_end;
  return f();
}

enum class wait_status { completed, stopped };

namespace detail {
struct task_group_access;
}  // namespace detail

class task_group {
 public:
  explicit task_group(runtime& of) : of_(of.tasks()) {
    if (reference::now.runtime == of_.get()) state_->above = reference::now.group;
  }
  explicit task_group(arena& in) : task_group(in.of()) {}
  task_group(runtime& of, std::stop_token token) : task_group(of) {
    on_stop_.emplace(std::move(token), stopper{state_.get()});
  }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  ~task_group() { tasks_->wait(); }

  template <typename F>
  void spawn(F f, const spawn_options& = {}) {
    const reference::entering one(*of_);
    of_->enter(true);
    reference::unended::begin(tasks_, [of = of_, state = state_, task = std::move(f)]() mutable {
      struct at_end {
        reference::unended& of;
        ~at_end() { of.leave(); }
      } const leaving{*of};
      of->tell();
      if (!state->stopped()) reference::as({of.get(), state}, task);
    });
  }
  wait_status wait() {
    tasks_->wait_and_rethrow();
    return outcome();
  }
  template <typename Time>
  std::optional<wait_status> wait_for(const Time& time) {
    return wait_until(std::chrono::steady_clock::now() + time);
  }
  template <typename Time>
  std::optional<wait_status> wait_until(const Time& time) {
    if (!tasks_->wait_until_and_rethrow(time)) return std::nullopt;
    return outcome();
  }
  void request_stop() { state_->requested = true; }

 private:
  friend struct detail::task_group_access;

  struct stopper {
    reference::stoppable* state;
    void operator()() const { state->requested = true; }
  };

  [[nodiscard]] wait_status outcome() const {
    return state_->stopped() ? wait_status::stopped : wait_status::completed;
  }

  std::shared_ptr<reference::unended> of_;
  std::shared_ptr<reference::stoppable> state_ = std::make_shared<reference::stoppable>();
  std::shared_ptr<reference::unended> tasks_ = std::make_shared<reference::unended>();
  std::optional<std::stop_callback<stopper>> on_stop_;
};

namespace detail {
struct task_group_access {
  static void withdraw_stop(task_group& of) { of.state_->requested = false; }
};
}  // namespace detail

/// A thread of its own for `f` is given until `end`.
template <typename Where, typename Time, typename F>
auto run_until(Where& where, const Time& end, const F& f) {
  std::stop_source stops;
  std::optional<std::invoke_result_t<const F&, std::stop_token>> value;
  task_group group(where);
  group.spawn([&] { value.emplace(f(stops.get_token())); });
  if (!group.wait_until(end)) {
    stops.request_stop();
    group.request_stop();
  }
  if (group.wait() == wait_status::stopped) value.reset();
  return value;
}
template <typename Where, typename Time, typename F>
auto run_for(Where& where, const Time& time, const F& f) {
  return run_until(where, std::chrono::steady_clock::now() + time, f);
}

template <typename F, typename G>
auto fork_join(F f, G g) {
  std::optional<std::invoke_result_t<G&>> right;
  std::exception_ptr failure;
  std::thread other([&, part_of = reference::now] {
    try {
      right.emplace(reference::as(part_of, g));
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
  requires std::is_invocable_v<const Body&, int>
void parallel_for(int first, int last, const Body& body, const loop_options& = {}) {
  const auto all_from = [&](int begin) {
    for (int i = begin; i < last; ++i) body(i);
    return 0;
  };
  if (last - first < 2) {
    all_from(first);
    return;
  }
  // The first may block for the others.
  fork_join(
      [&] {
        body(first);
        return 0;
      },
      [&] { return all_from(first + 1); });
}

template <typename Value, typename Body, typename Combine>
Value parallel_reduce(int first, int last, Value init, const Body& body, const Combine& combine,
                      const loop_options& = {}) {
  for (int i = first; i < last; ++i) init = combine(std::move(init), body(i));
  return init;
}

}  // namespace evencube
