// What has to do with nothing else in a program but the runtimes that it uses.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "execution.hpp"

namespace evencube::programs {

namespace {

#if !defined(_WIN32)
/// Calls something when its thread ends.
struct last_words {
  std::function<void()> say;
  ~last_words() {
    if (say) say();
  }
};
thread_local last_words of_this_thread;
#endif

}  // namespace

// The group and the graph are asked, stopped and destroyed when their runtime is gone.
void execution::outlive(const step& s) {
  std::atomic<int> tasks{0};
  std::atomic<int> nodes{0};
  std::optional<task_group> group;
  std::optional<task_graph> graph(std::in_place);
  for (int i = 0; i < s.amount; ++i) {
    graph->add([&nodes] { nodes.fetch_add(1, std::memory_order_relaxed); });
  }
  {
    runtime own(runtime_options{.workers = s.variant == 0 ? 1U : s.variant});
    group.emplace(own);
    for (int i = 0; i < s.amount; ++i) {
      group->spawn([&tasks] { tasks.fetch_add(1, std::memory_order_relaxed); });
    }
    graph->run(own);
    static_cast<void>(group->wait());
  }
  if (tasks != s.amount) fail("tasks of a group that outlives its runtime were lost");
  if (nodes != s.amount) fail("nodes of a graph that outlives its runtime were lost");
  if (group->wait() != wait_status::completed) fail("a group was stopped with its runtime");
  group->request_stop();
  if (group->wait() != wait_status::stopped) fail("a group cannot be stopped after its runtime");
  group.reset();
  // Another one may run it.
  const wait_status again = graph->run(on(s.of));
  // Another thread may stop that runtime while the graph runs.
  if (again == wait_status::stopped && program_.ends_early) return;
  if (again != wait_status::completed || nodes != 2 * s.amount) {
    fail("a graph was not run again by another runtime");
  }
}

void execution::end_a_thread(const step& s) {
  std::atomic<int> ran{0};
  std::jthread([&] {
    on(s.of).run(
        [] {});  // what the runtime keeps for this thread is made after the object, or before
    const auto say = [&] {
      task_group group(on(s.of));
      for (int i = 0; i < s.amount; ++i) {
        group.spawn([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
      }
      static_cast<void>(group.wait());
      on(s.of).run([&] {
        parallel_for(0, s.amount, [&ran](int) { ran.fetch_add(1, std::memory_order_relaxed); });
      });
      ran.fetch_add(on(s.of).async([] { return 1; }).get(), std::memory_order_relaxed);
    };
#if defined(_WIN32)
    // GCC 12 frees the variables of a thread there before it calls their destructors.
    say();
#else
    of_this_thread.say = say;
#endif
  }).join();
  if (ran != 2 * s.amount + 1) fail("what a thread spawned as it ended was lost");
}

void execution::burst(const step& s) {
  std::atomic<bool> over{false};
  std::atomic<int> ran{0};
  task_group renewed(on(s.of));
  const std::function<void()> again = [&] {
    if (!over.load(std::memory_order_relaxed)) renewed.spawn([&again] { again(); });
  };
  // Or the workers sleep in waits until all these tasks have come.
  std::vector<promise<long>> promises;
  task_group sleepers(on(s.of));
  if (s.amount % 2 == 1) {
    for (unsigned k = 0; k < on(s.of).workers(); ++k) promises.emplace_back(on(s.of));
  }
  for (promise<long>& one : promises) {
    sleepers.spawn([until = one.get_future()]() mutable { until.get(); });
  }
  if (!promises.empty()) std::this_thread::sleep_for(std::chrono::microseconds(300));
  for (unsigned k = 0; k < on(s.of).workers(); ++k) renewed.spawn([&again] { again(); });
  task_group all(on(s.of));
  for (int i = 0; i < s.amount; ++i) {
    all.spawn([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
  }
  for (promise<long>& one : promises) one.set_value(0L);
  static_cast<void>(all.wait());
  over.store(true, std::memory_order_relaxed);
  static_cast<void>(renewed.wait());
  static_cast<void>(sleepers.wait());
  if (ran != s.amount) fail("tasks of a burst from outside were lost");
}

// The tasks from outside are ahead of the workers before the blocking task queues its own.
void execution::stream(const step& s) {
  runtime of(runtime_options{.workers = s.variant, .spare_workers = 1, .pulls = s.amount == 1});
  std::atomic<bool> began{false};
  std::atomic<int> ran{0};
  task_group outer(of);
  outer.spawn([&] {
    blocking([&] {
      while (ran.load(std::memory_order_relaxed) < 50) std::this_thread::yield();
    });
    task_group own(of);
    own.spawn([&] { began.store(true, std::memory_order_relaxed); });
    blocking([&] {
      while (!began.load(std::memory_order_relaxed)) std::this_thread::yield();
    });
    static_cast<void>(own.wait());
  });
  task_group all(of);
  int spawned = 0;
  for (; !began.load(std::memory_order_relaxed); ++spawned) {
    all.spawn([&ran] {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      ran.fetch_add(1, std::memory_order_relaxed);
    });
  }
  static_cast<void>(all.wait());
  static_cast<void>(outer.wait());
  if (ran != spawned) fail("tasks of a stream from outside were lost");
}

// Nothing waits in the scope, so that it needs no spare worker.
void execution::flood(const step& s) {
  std::atomic<int> ran{0};
  on(s.of).run([&] {
    task_group group(on(s.of));
    blocking([&] {
      for (int i = 0; i < s.amount; ++i) {
        group.spawn([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
      }
    });
    static_cast<void>(group.wait());
  });
  if (ran != s.amount) fail("tasks that were spawned in a blocking scope were lost");
}

}  // namespace evencube::programs
