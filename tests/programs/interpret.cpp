#include "interpret.hpp"

#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "execution.hpp"

namespace evencube::programs {

void execution::run_threads() {
  run_block(program_.prologue, {});
  const std::size_t joined = program_.threads.size() - at(program_.late_threads);
  for (std::size_t t = 1; t < program_.threads.size(); ++t) {
    (t < joined ? threads_ : late_threads_).emplace_back([this, t] {
      run_block(program_.threads[t], {});
    });
  }
  run_block(program_.threads[0], {});
  threads_.clear();
  wait_for_all();
  for (shared_group& g : groups_) check_exceptions(g);
  groups_.clear();
  if (program_.fresh) return;
  while (queued_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  arenas_.clear();
  get_futures();
}

void execution::after_the_end() {
  late_threads_.clear();
  if (program_.futures_outlive) get_futures();
  if (queued_ != 0 && !program_.ends_early) fail("a runtime ended before its tasks");
}

std::optional<std::string> execution::verdict() {
  keepers_.clear();
  check_runtimes();
  const counted counts{{begun_.begin(), begun_.end()}, {dropped_.begin(), dropped_.end()}};
  const std::vector<times> expected = expected_times(program_, counts);
  for (std::size_t i = 0; i < begun_.size(); ++i) {
    const std::int64_t n = begun_[i];
    if (n < expected[i].least || n > expected[i].most) {
      fail(
          "block " + std::to_string(i) + " ran " + std::to_string(n) + " times instead of " +
          std::to_string(expected[i].least) +
          (expected[i].least == expected[i].most ? "" : " to " + std::to_string(expected[i].most)));
    }
  }
  return failure_;
}

void execution::fail(const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = what;
}

long execution::run_block(const block& b, const surroundings& around) {
  begun_[at(b.id)].fetch_add(1, std::memory_order_relaxed);
  progress().fetch_add(1, std::memory_order_relaxed);
  for (const step& s : b.steps) run_step(s, around);
  if (b.throws && !mistaken(mistake::lose_exception)) throw thrown{b.id};
  return value_of(b);
}

long execution::run_task(const block& b, int of, const surroundings& around) {
  // A coroutine that cannot return to a stopped runtime calls from the thread where it is.
  if (!any_stops() && this_worker() >= on(of).workers() + on(of).spare_workers())
    fail("this_worker() is none of the workers");
  if (mistaken(mistake::stay_for_ever)) {
    for (;;) std::this_thread::yield();
  }
  gather(of);
  struct inside {
    std::atomic<int>& count;
    ~inside() { count.fetch_sub(1, std::memory_order_relaxed); }
  } const here{ends_[at(of)].inside};
  here.count.fetch_add(1, std::memory_order_relaxed);
  return run_block(b, around);
}

void execution::gather(int of) {
  tasks_[at(of)].gathered.fetch_add(1, std::memory_order_relaxed);
  if (!mistaken(mistake::lose_gathered)) ++gathered_[at(of)].local();
}

// An observer of a runtime that is kept was also told of other programs' tasks, so the number is a
// lower bound.
void execution::check_runtimes() {
  for (std::size_t r = 0; r < runtimes_.size(); ++r) {
    const long sum = gathered_[r].combine(std::plus<>());
    if (sum != tasks_[r].gathered) {
      fail("what the workers gathered comes to " + std::to_string(sum) + " instead of " +
           std::to_string(tasks_[r].gathered));
    }
    watcher& watching = *in_use_[r].watching;
    if (program_.fresh) watching.at_the_end();
    if (const auto wrong = watching.wrong()) fail(*wrong);
    const std::int64_t told = watching.tasks() - told_before_[r];
    if (in_use_[r].tells_of_tasks && told < tasks_[r].taken) {
      fail("an observer was told of " + std::to_string(told) + " tasks where " +
           std::to_string(tasks_[r].taken) + " ran");
    }
  }
}

void execution::run_step(const step& s, const surroundings& around) {
  try {
    act(s, around);
  } catch (const error& e) {
    if (!is_refusal(e)) throw;
  }
}

void execution::act(const step& s, const surroundings& around) {
  switch (s.what) {
    case action::work:
      return around.inside != nullptr ? work_inside(*around.inside, s.amount) : work(s.amount);
    case action::pause:
      if (s.amount == 0) return std::this_thread::yield();
      return std::this_thread::sleep_for(std::chrono::microseconds{s.amount});
    case action::spawn:
      return spawn(s, around);
    case action::scope:
      return scope(s, around);
    case action::wait_group:
      if (is_shared(s.target)) return wait_shared(s);
      return wait_local(*find(s.target, around), s);
    case action::stop_group:
      return stop(s, around);
    case action::ask_stop:
      return ask_stop(around);
    case action::async:
      return publish(futures_[at(s.target)], make(s));
    case action::wait_future:
      return wait_future(s);
    case action::get_future:
      return get_future(futures_[at(s.target)]);
    case action::poll_future:
      return poll_future(futures_[at(s.target)]);
    case action::then_future:
      return continue_shared(s);
    case action::need:
      return;  // made where it is needed
    case action::local_async:
      return local_async(s, around);
    case action::await_future:
    case action::await_made:
    case action::await_all:
    case action::visit:
      return;  // done where coroutines run
    case action::run: {
      if (gives_up(s)) return run_with_limit(s, around);
      const surroundings inside{around.groups, above(around, s.of), s.of,
                                around.where == s.of ? around.inside : nullptr};
      if (s.places != 0) return call(s.inner[0], [&] { return run_in_arena(s, inside); });
      if (s.size == a_coroutine) {
        return call(s.inner[0], [&] {
          auto begins = run_coroutine(s.inner[0], inside);
          if (s.variant == 0) return sync_wait(on(s.of), std::move(begins));
          return on(s.of).run([&] { return sync_wait(std::move(begins)); });
        });
      }
      return call(s.inner[0],
                  [&] { return on(s.of).run([&] { return run_task(s.inner[0], s.of, inside); }); });
    }
    case action::fork:
      return fork(s, around);
    case action::loop:
      return loop(s, around);
    case action::invoke:
      return invoke(s, around);
    case action::compute:
      return compute(s);
    case action::reduce:
      return reduce(s, around);
    case action::graph:
      return graph(s, around);
    case action::pipeline:
      return pipeline(s, around);
    case action::hold:
      return hold(s);
    case action::balance:
      return balance(s);
    case action::strategy:
      return change_strategy(s);
    case action::record:
      return record(s);
    case action::look:
      return look(s);
    case action::outlive:
      return outlive(s);
    case action::thread_end:
      return end_a_thread(s);
    case action::burst:
      return burst(s);
    case action::stream:
      return stream(s);
    case action::hop:
      return hop(s);
    case action::flood:
      return flood(s);
    case action::in_scope:
      return in_scope(s, around);
    case action::meet:
      return meet(s);
    case action::stop_runtime:
      return stop_runtime(s);
    case action::raise_flag:
      return flags_[at(s.target)].store(true, std::memory_order_release);
    case action::await_flag:
      while (!flags_[at(s.target)].load(std::memory_order_acquire)) std::this_thread::yield();
      return;
  }
}

void execution::work(int microseconds) {
  const auto end = clock::now() + std::chrono::microseconds{microseconds};
  while (clock::now() < end) {
  }
}

void execution::wait_for_all() {
  for (int before = -1; before != handed_over_;) {
    before = handed_over_;
    if (!program_.queue_survives) {
      for (shared_future& f : futures_) f.passed ? get_future(f) : await(f);
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) wait_shared({.target = static_cast<int>(g)});
  }
}

void execution::hold(const step& s) {
  auto still = on(s.of).hold();
  const auto sum = [&] {
    const auto loads = still.loads();
    return std::accumulate(loads.begin(), loads.end(), load_type{0});
  };
  load_type before = sum();
  begun_[at(s.inner[0].id)].fetch_add(1, std::memory_order_relaxed);
  for (const step& inner : s.inner[0].steps) {
    if (inner.what == action::balance) {
      static_cast<void>(still.balance());
    } else {
      run_step(inner, {});
    }
    // No task starts, so no task may vanish; other threads may spawn.
    const load_type after = sum();
    if (after < before) fail("tasks vanished while all workers stood still");
    before = after;
  }
  static_cast<void>(still.tasks());
}

void execution::change_strategy(const step& s) {
  try {
    balancer_options marks;
    if (s.low >= 0) marks["low"] = std::to_string(s.low);
    if (s.high >= 0) marks["high"] = std::to_string(s.high);
    on(s.of).use_balancer(s.name, marks, s.transmission);
  } catch (const std::invalid_argument&) {
    // The balancer refuses this number of workers; then nothing has changed.
  }
}

void execution::record(const step& s) {
  on(s.of).start_recording({.memory = 1U << 20U});
  run_block(s.inner[0], {});
  const recording r = [&] {
    try {
      return on(s.of).stop_recording();
    } catch (const error& e) {
      fail(std::string("what was recorded cannot be asked for: ") + e.what());
      return recording();
    }
  }();
  for (const auto& t : r.tasks) {
    if (t.spawned > t.started || t.started > t.ended ||
        t.worker >= on(s.of).workers() + on(s.of).spare_workers()) {
      fail("a recording has a task that cannot be");
    }
    if (t.cost < 1 || t.cost > 65536) fail("a recording has a task of a cost that cannot be");
    if (t.name != recording::none && t.name >= r.names.size()) {
      fail("a recording has a task with a name that is not there");
    }
  }
  for (const auto& part : r.regions) {
    if (part.within >= r.tasks.size() || r.names.at(part.name) != "large" ||
        part.began < r.tasks[part.within].started || part.ended < part.began ||
        part.ended > r.tasks[part.within].ended) {
      fail("a recording has a region that cannot be");
    }
  }
  for (const auto& c : r.counts) {
    if (r.names.at(c.name) != "large" || c.value < 1) fail("a recording has a count of nobody");
  }
}

void execution::look(const step& s) {
  if (s.variant == 2) return fork_a_child();
  if (s.variant == 3) return exit_in_a_child(s);
  if (s.variant == 1) on(s.of).reset_stats();
  if (on(s.of).stats().workers.size() != on(s.of).workers()) fail("stats() lacks workers");
  if (on(s.of).describe().empty()) fail("describe() says nothing");
}

std::atomic<std::uint64_t>& progress() {
  static std::atomic<std::uint64_t> count{0};
  return count;
}

std::optional<std::string> run_and_check(const program& p, runtime_store& store,
                                         const mutation& wrong) {
  auto runtimes = store.acquire(p);
  std::optional<hot_phase> phase;
  if (p.hot_for != 0) phase.emplace(*runtimes[0].rt, std::chrono::microseconds(p.hot_for));
  execution once(p, std::move(runtimes), wrong);
  once.run_threads();
  if (p.fresh) {
    store.end_fresh();
    once.after_the_end();
  }
  return once.verdict();
}

}  // namespace evencube::programs
