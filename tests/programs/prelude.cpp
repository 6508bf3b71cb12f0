#include "prelude.hpp"

namespace evencube::programs {

std::string printed_prelude() {
  return R"(#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <evencube/algorithms.hpp>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stop_token>
#include <sys/wait.h>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <vector>

using namespace evencube;

struct thrown {};

// Calls f; an exception of a task ends here.
template <typename F>
void expect(F f) {
  try {
    f();
  } catch (const thrown&) {
  }
}

// The future of a promise. Its value is set here, or by a thread after a number of microseconds.
std::mutex keeping;
std::list<std::jthread> keepers;
future<long> promised(runtime& of, int after, bool throws) {
  promise<long> made(of);
  future<long> result = made.get_future();
  const auto set = [throws](promise<long>& unset) {
    throws ? unset.set_exception(std::make_exception_ptr(thrown())) : unset.set_value(0L);
  };
  if (after < 0) {
    set(made);
  } else {
    const std::lock_guard lock(keeping);
    keepers.emplace_back([after, set, own = std::move(made)]() mutable {
      std::this_thread::sleep_for(std::chrono::microseconds(after));
      set(own);
    });
  }
  return result;
}

// A child that makes a runtime of its own, and hangs or ends.
void fork_a_child() {
  const pid_t child = fork();
  if (child == 0) {
    {
      runtime own({.workers = 2});
      own.run([] { fork_join([] {}, [] {}); });
      own.async([] {}).get();
    }
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

// A child that calls std::exit after a number of microseconds, while a runtime is at work: in a task,
// in a blocking scope, in a half of a fork, or outside.
[[noreturn]] void exit_after(int microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
  std::exit(0);
}
void exit_in_a_child(int where, int moment) {
  const pid_t child = fork();
  if (child == 0) {
    static runtime own({.workers = 3});
    for (int i = 0; i < 50; ++i) static_cast<void>(own.async([] {}));
    if (where == 0) own.async([&] { exit_after(moment); }).wait();
    if (where == 1) own.async([&] { blocking([&] { exit_after(moment); }); }).wait();
    if (where == 2) own.run([&] { fork_join([] {}, [&] { exit_after(moment); }); });
    exit_after(moment);
  }
  waitpid(child, nullptr, 0);
}

// A group and a graph that outlive their runtime.
void outlive(runtime& other, int workers, int tasks) {
  std::optional<task_group> group;
  task_graph graph;
  for (int i = 0; i < tasks; ++i) graph.add([] {});
  {
    runtime own({.workers = static_cast<unsigned>(workers == 0 ? 1 : workers)});
    group.emplace(own);
    for (int i = 0; i < tasks; ++i) group->spawn([] {});
    graph.run(own);
    group->wait();
  }
  group->wait();
  group->request_stop();
  group->wait();
  group.reset();
  graph.run(other);
}

// A thread whose thread_local object uses a runtime as the thread ends.
struct last_words {
  std::function<void()> say;
  ~last_words() {
    if (say) say();
  }
};
thread_local last_words of_this_thread;
void end_a_thread(runtime& of, int tasks) {
  std::jthread([&] {
    of.run([] {});
    of_this_thread.say = [&of, tasks] {
      task_group group(of);
      for (int i = 0; i < tasks; ++i) group.spawn([] {});
      group.wait();
      of.run([&] { parallel_for(0, tasks, [](int) {}); });
      of.async([] {}).get();
    };
  }).join();
}

// Tasks from outside, while other tasks spawn themselves again. An odd number comes while the
// workers sleep in waits.
void burst(runtime& of, int tasks) {
  std::atomic<bool> over{false};
  task_group renewed(of);
  const std::function<void()> again = [&] {
    if (!over) renewed.spawn([&again] { again(); });
  };
  std::vector<promise<long>> awaited;
  task_group waiters(of);
  if (tasks % 2 == 1) {
    for (unsigned k = 0; k < of.workers(); ++k) awaited.emplace_back(of);
  }
  for (auto& one : awaited) {
    waiters.spawn([until = one.get_future()]() mutable { until.get(); });
  }
  if (!awaited.empty()) std::this_thread::sleep_for(std::chrono::microseconds(300));
  for (unsigned k = 0; k < of.workers(); ++k) renewed.spawn([&again] { again(); });
  task_group all(of);
  for (int i = 0; i < tasks; ++i) all.spawn([] {});
  for (auto& one : awaited) one.set_value(0L);
  all.wait();
  over = true;
  renewed.wait();
  waiters.wait();
}

// Tasks from outside, until one that was queued by a blocking task has begun.
void stream(unsigned workers, bool pulls) {
  runtime of({.workers = workers, .spare_workers = 1, .pulls = pulls});
  std::atomic<bool> began{false};
  std::atomic<int> ran{0};
  task_group outer(of);
  outer.spawn([&] {
    blocking([&] {
      while (ran < 50) std::this_thread::yield();
    });
    task_group own;
    own.spawn([&] { began = true; });
    blocking([&] {
      while (!began) std::this_thread::yield();
    });
    own.wait();
  });
  task_group all(of);
  while (!began) {
    all.spawn([&ran] {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      ++ran;
    });
  }
  all.wait();
  outer.wait();
}

// Coroutines that go to and fro between two runtimes, started in either.
task<long> to_and_fro(runtime& one, runtime& other, int times) {
  for (int i = 0; i < times; ++i) {
    co_await one.schedule();
    co_await other.schedule();
  }
  co_return times;
}
void hop(unsigned workers, int coroutines, int times) {
  runtime one({.workers = workers});
  runtime other({.workers = 4 - workers});
  std::vector<future<long>> all;
  for (int i = 0; i < coroutines; ++i) {
    all.push_back(start(i % 2 == 0 ? one : other, to_and_fro(one, other, times)));
  }
  for (auto& f : all) f.get();
}

// A task that spawns within a blocking scope.
void flood(runtime& of, int tasks) {
  of.run([&] {
    task_group group(of);
    blocking([&] {
      for (int i = 0; i < tasks; ++i) group.spawn([] {});
    });
    group.wait();
  });
}

// Runs in the arena at once or, if no place is free, as soon as one is.
struct here_first {
  arena in;
  template <typename F>
  void run(F f) {
    bool begun = false;
    try {
      in.run(
          [&] {
            begun = true;
            f();
          },
          {.here_only = true});
      return;
    } catch (const error&) {
      if (begun) throw;
    }
    in.run(f);
  }
};

// Calls f, which may find that a runtime was stopped.
template <typename F>
void refused(F f) {
  try {
    f();
  } catch (const error&) {
  }
}

// An algorithm, of which element number `failing` throws.
struct element {
  int key;
  int number;
};
void scan(int n, int failing) {
  std::vector<int> sums(n, 1);
  std::vector<int> all(n);
  std::iota(all.begin(), all.end(), 0);
  parallel_inclusive_scan(all.begin(), all.end(), sums.begin(), [&](int a, int b) {
    if (b >= failing && failing >= 0) throw thrown{};
    return a > b ? a : b;
  });
}
void exclusive_scan(int n, int failing) {
  std::vector<int> all(n);
  std::iota(all.begin(), all.end(), 0);
  parallel_exclusive_scan(all.begin(), all.end(), all.begin(), -1, [&](int a, int b) {
    if (b >= failing && failing >= 0) throw thrown{};
    return a > b ? a : b;
  });
}
void sort(int n, int failing, bool stable) {
  std::vector<element> all;
  for (int i = 0; i < n; ++i) all.push_back({i * 7919 % 100, i});
  const auto first = [&](const element& a, const element& b) {
    if (a.number == failing || b.number == failing) throw thrown{};
    return a.key < b.key;
  };
  stable ? parallel_stable_sort(all, first) : parallel_sort(all, first);
}
void search(int n, int failing) {
  std::vector<int> all(n);
  std::iota(all.begin(), all.end(), 0);
  static_cast<void>(parallel_find_if(all, [&](int i) {
    if (i == failing) throw thrown{};
    return i >= n * 2 / 3;
  }));
}

// n calls of f at once, in tasks or in threads of their own.
template <typename F>
void at_once(int n, const F& f) {
  n == 1 ? f() : static_cast<void>(fork_join([&] { at_once(n - 1, f); }, f));
}
template <typename F>
void from_threads(int n, const F& f) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < n; ++i) threads.emplace_back(f);
}

// A loop whose first iteration blocks for all later ones.
void block_for_a_loop() {
  std::atomic<int> ran{0};
  parallel_for(
      0, 8,
      [&](int i) {
        if (i != 0) {
          ++ran;
          return;
        }
        const blocking_scope here;
        while (ran < 7) std::this_thread::yield();
      },
      {.grain = 1});
}

// Waits with a limit and, if it passes, without.
void wait_for(task_group& group, std::chrono::microseconds limit) {
  if (!group.wait_for(limit)) group.wait();
}
void wait_until(task_group& group, std::chrono::microseconds limit) {
  if (!group.wait_until(std::chrono::steady_clock::now() + limit)) group.wait();
}

// A future that any thread may ask for, if it has been made.
struct shared {
  std::atomic<int> state{0};
  future<long> asked;
  void make(future<long> f) {
    asked = std::move(f);
    state = 1;
  }
  void wait() {
    if (state == 1) asked.wait();
  }
  void wait_for(std::chrono::microseconds limit) {
    if (state == 1 && asked.wait_for(limit) != future_status::ready) asked.wait();
  }
  void wait_until(std::chrono::microseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    if (state == 1 && asked.wait_until(end) != future_status::ready) asked.wait();
  }
  void poll() {
    while (state == 1 && !asked.ready()) std::this_thread::yield();
  }
  void get() {
    int made = 1;
    if (state.compare_exchange_strong(made, 2)) expect([&] { asked.get(); });
  }
  task<> take() {
    int made = 1;
    if (!state.compare_exchange_strong(made, 2)) co_return;
    try {
      co_await std::move(asked);
    } catch (const thrown&) {
    }
  }
  template <typename F>
  void then(shared& result, F f, const spawn_options& options = {}) {
    int made = 1;
    if (state.compare_exchange_strong(made, 2)) result.make(asked.then(std::move(f), options));
  }
};

template <typename... Futures>
std::vector<future<long>> list(Futures... futures) {
  std::vector<future<long>> all;
  (all.push_back(std::move(futures)), ...);
  return all;
}
void ask(std::vector<future<long>>& all) {
  for (auto& f : all) expect([&] { f.get(); });
}
void ask(std::tuple<future<long>, future<long>>& both) {
  expect([&] { std::get<0>(both).get(); });
  expect([&] { std::get<1>(both).get(); });
}

// A coroutine with all that its function object has.
template <typename F>
task<long> kept(F f) {
  co_return co_await f();
}
// Awaits it; an exception of a task ends here.
task<> quiet(future<long> awaited) {
  try {
    co_await std::move(awaited);
  } catch (const thrown&) {
  }
}
task<> quiet(task<long> awaited) {
  try {
    co_await std::move(awaited);
  } catch (const thrown&) {
  }
}
template <typename... Tasks>
task<> quiet(task<long> first, Tasks... others) {
  try {
    static_cast<void>(co_await when_all(std::move(first), std::move(others)...));
  } catch (const thrown&) {
  }
}

template <typename... Tasks>
task<> quiet_race(task<long> first, Tasks... others) {
  try {
    static_cast<void>(
        co_await when_any(std::stop_source(), std::move(first), std::move(others)...));
  } catch (const thrown&) {
  }
}

void work(int microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}
void pause(int microseconds) { std::this_thread::sleep_for(std::chrono::microseconds(microseconds)); }
)";
}

}  // namespace evencube::programs
