// Coroutines and all that they wait for: futures hold up no worker, several run at once, whoever
// waits reaches what nobody has begun (runtime/src/wait/waiting.md), and runtimes are left and come
// back to.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "coroutine_support.hpp"
#include "repetitions.hpp"

namespace evencube::test::coroutine_waiting_test {
namespace {

using coroutine_waits = coroutines_on;

TEST_P(coroutine_waits, take_the_results_of_futures) {
  int global = 1;
  const auto await_all_kinds = [&]() -> evencube::task<int> {
    int sum = co_await rt_.async([] { return 1; });
    auto named = rt_.async([] { return 2; });
    sum += co_await named;
    EXPECT_FALSE(named.valid());
    auto moved = rt_.async([] { return std::make_unique<int>(4); });
    sum += *co_await std::move(moved);
    co_await rt_.async([] {});
    (co_await rt_.async([&]() -> int& { return global; })) = 5;
    sum += co_await make_ready_future(8);
    sum += co_await rt_.async([] { return 15; }).then([](int i) { return i + 1; });
    try {
      co_await rt_.async([]() -> int { throw failure_of_test{32}; });
    } catch (const failure_of_test& f) {
      sum += f.number;
    }
    evencube::future<int> none;
    EXPECT_THROW(co_await none, error);
    co_return sum;
  };
  EXPECT_EQ(sync_wait(rt_, await_all_kinds()), 63);
  EXPECT_EQ(start(rt_, await_all_kinds()).get(), 63);
  EXPECT_EQ(global, 5);
}

// What a worker would run while it waited blocked for a future stands above on its stack, and ends
// first: all could not be inside at once.
TEST(coroutine_wait, for_a_future_holds_up_no_worker) {
  constexpr int many = 1000;
  runtime rt{{.workers = 1}};
  const deadline limit{rt, std::chrono::seconds{60}};
  int inside = 0;
  int most = 0;
  std::vector<future<void>> ends;
  const auto enter = [&](future<void> gate) -> evencube::task<> {
    most = std::max(most, ++inside);
    co_await gate;
    --inside;
  };
  rt.run([&] {
    std::vector<future<void>> gates;
    for (int i = 0; i < many; ++i) gates.push_back(rt.async([] {}));
    for (auto& gate : gates) ends.push_back(start(rt, enter(std::move(gate))));
  });
  // The newest first: all have begun before any gate opens.
  for (auto& end : ends) end.get();
  EXPECT_EQ(most, many);
  EXPECT_EQ(inside, 0);
}

TEST_P(coroutine_waits, run_several_at_once) {
  int global = 3;
  const auto refer = [&]() -> evencube::task<int&> { co_return global; };
  const auto nothing = []() -> evencube::task<> { co_return; };
  const auto all = [&]() -> evencube::task<> {
    auto [a, b, c] = co_await when_all(give(1), refer(), nothing());
    static_assert(std::is_same_v<decltype(c), std::monostate>);
    EXPECT_EQ(a, 1);
    EXPECT_EQ(&b, &global);
    static_assert(std::is_void_v<
                  decltype(when_all(nothing(), nothing()).operator co_await().await_resume())>);
    co_await when_all(nothing(), nothing());
    std::vector<evencube::task<int>> many;
    for (int i = 0; i < 1000; ++i) many.push_back(give(i));
    const std::vector<int> results = co_await when_all(std::move(many));
    EXPECT_EQ(results.size(), 1000U);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)], i);
    EXPECT_TRUE((co_await when_all(std::vector<evencube::task<int>>())).empty());
  };
  sync_wait(rt_, all());
}

TEST_P(coroutine_waits, for_several_end_when_all_have_whatever_they_throw) {
  for (int n = repetitions(100); n > 0; --n) {
    std::atomic<int> ended{0};
    const auto one = [&](int i) -> evencube::task<int> {
      if (i % 3 == 0) co_await rt_.async([] {});
      ++ended;
      if (i % 4 == 1) throw failure_of_test{i};
      co_return i;
    };
    const auto all = [&]() -> evencube::task<> {
      std::vector<evencube::task<int>> many;
      for (int i = 0; i < 20; ++i) many.push_back(one(i));
      try {
        co_await when_all(std::move(many));
        ADD_FAILURE() << "nothing was thrown";
      } catch (const failure_of_test& f) {
        EXPECT_EQ(f.number % 4, 1);
      }
      EXPECT_EQ(ended, 20);
    };
    sync_wait(rt_, all());
    deadline_.renew();
  }
}

TEST_P(coroutine_waits, nest_in_blocking_ones) {
  const auto leaf = [&](int i) -> evencube::task<int> {
    co_await rt_.async([] {});
    co_return i;
  };
  const auto blocking = [&](int i) -> evencube::task<int> {
    const int here = sync_wait(leaf(i));
    int sum = 0;
    task_group group;
    for (int k = 0; k < 4; ++k) spawn(group, leaf(k));
    group.wait();
    for (int k = 0; k < 3; ++k) sum += start(rt_, leaf(k)).get();
    co_return here + sum + co_await start(rt_, leaf(1));
  };
  const auto all = [&]() -> evencube::task<int> {
    std::vector<evencube::task<int>> many;
    for (int i = 0; i < 10; ++i) many.push_back(blocking(i));
    int sum = 0;
    for (const int i : co_await when_all(std::move(many))) sum += i;
    co_return sum;
  };
  EXPECT_EQ(sync_wait(rt_, all()), 45 + 40);
}

// The futures that a wait needs lie in the queue of the only worker, which waits; and a coroutine
// needs one that begins to need another one only later.
TEST_P(coroutine_waits, reach_what_nobody_has_begun) {
  for (int n = repetitions(50); n > 0; --n) {
    const int sum = rt_.run([&] {
      std::vector<future<int>> unbegun;
      for (int i = 0; i < 10; ++i) unbegun.push_back(rt_.async([i] { return i; }));
      const auto need = [&](std::size_t i) -> evencube::task<int> {
        const int first = co_await unbegun[i];
        co_return first + co_await rt_.async([] { return 1; });
      };
      std::vector<future<int>> started;
      for (std::size_t i = 0; i < 10; ++i) started.push_back(start(rt_, need(i)));
      auto all = when_all(std::move(started)).then([](std::vector<future<int>> ended) {
        int total = 0;
        for (auto& e : ended) total += e.get();
        return total;
      });
      const auto last = [&]() -> evencube::task<int> { co_return 1 + co_await std::move(all); };
      return sync_wait(last());
    });
    EXPECT_EQ(sum, 45 + 10 + 1);
    deadline_.renew();
  }
}

TEST_P(coroutine_waits, for_any_of_several_started_ones) {
  const auto one = [&](int i) -> evencube::task<int> {
    co_return co_await rt_.async([i] { return i; });
  };
  rt_.run([&] {
    std::vector<future<int>> started;
    for (int i = 0; i < 5; ++i) started.push_back(start(rt_, one(i)));
    const auto first = [&]() -> evencube::task<int> {
      auto any = co_await when_any(std::move(started));
      int sum = 0;
      for (auto& f : any.futures) sum += co_await f;
      co_return sum;
    };
    EXPECT_EQ(sync_wait(first()), 10);
  });
}

TEST_P(coroutine_waits, with_a_limit_begin_nothing_when_it_is_over) {
  const auto one = [&]() -> evencube::task<int> { co_return co_await rt_.async([] { return 1; }); };
  rt_.run([&] {
    auto f = start(rt_, one());
    while (f.wait_for(std::chrono::milliseconds{1}) != future_status::ready) {
    }
    EXPECT_EQ(f.get(), 1);
  });
}

// -- Cancellation, and the end of the runtime -----------------------------------------------------

TEST_P(coroutine_waits, see_that_their_group_was_stopped) {
  std::stop_source source;
  task_group group(rt_, source.get_token());
  bool before = true;
  bool after = false;
  std::atomic<bool> child{false};  // two of them ask at once
  std::atomic<bool> began{false};
  const auto ask = [&]() -> evencube::task<> {
    child = this_task::stop_requested();
    co_return;
  };
  const auto work = [&]() -> evencube::task<> {
    before = this_task::stop_requested();
    began = true;
    co_await rt_.async([&] { source.request_stop(); });
    after = this_task::stop_requested();
    co_await when_all(ask(), ask());
  };
  spawn(group, work());
  EXPECT_EQ(group.wait(), wait_status::stopped);
  EXPECT_TRUE(began);
  EXPECT_FALSE(before);
  EXPECT_TRUE(after);
  EXPECT_TRUE(child);
}

TEST_P(coroutine_waits, in_a_stopped_group_do_not_begin) {
  const auto held = std::make_shared<int>(1);
  int begun = 0;
  const auto work = [&](std::shared_ptr<int>) -> evencube::task<> {
    ++begun;
    co_return;
  };
  task_group group(rt_);
  group.request_stop();
  for (int i = 0; i < 10; ++i) spawn(group, work(held));
  EXPECT_EQ(group.wait(), wait_status::stopped);
  EXPECT_EQ(begun, 0);
  EXPECT_EQ(held.use_count(), 1);
}

TEST_P(coroutine_waits, throw_to_their_group) {
  task_group group(rt_);
  for (int i = 0; i < 5; ++i) spawn(group, fail(i));
  EXPECT_THROW(group.wait(), failure_of_test);
}

TEST_P(coroutine_waits, end_before_their_runtime) {
  for (int n = repetitions(20); n > 0; --n) {
    std::atomic<int> ended{0};
    // It must outlive its coroutines, which find what it has captured in it.
    const auto work = [&ended](runtime& ending, int steps) -> evencube::task<> {
      for (int i = 0; i < steps; ++i) {
        co_await ending.async([] {});
        co_await ending.schedule();
      }
      ++ended;
    };
    {
      runtime ending{{.workers = GetParam()}};
      for (int i = 0; i < 20; ++i) static_cast<void>(start(ending, work(ending, i)));
    }
    EXPECT_EQ(ended, 20);
    deadline_.renew();
  }
}

// -- Taking turns ---------------------------------------------------------------------------------

/// The order in which three coroutines go on that wait in between as `schedule(level)` says, on one
/// worker that waits for nothing.
std::string turns_of(priority level) {
  runtime rt{{.workers = 1}};
  const test::deadline deadline(rt);
  std::string order;
  const auto work = [&](char name) -> evencube::task<> {
    for (int i = 0; i < 4; ++i) {
      order += name;
      co_await rt.schedule(level);
    }
  };
  std::vector<future<void>> all;
  {
    const hold_guard held = rt.hold();
    for (const char name : {'a', 'b', 'c'}) all.push_back(start(rt, work(name)));
  }
  for (future<void>& one : all) one.get();
  return order;
}

// What the documentation says of each, so that nobody takes the one for the other.
TEST(coroutine_turns, are_taken_by_priority_alone) {
  EXPECT_EQ(turns_of(priority::normal), "aaaabbbbcccc");
  EXPECT_EQ(turns_of(priority::low), "abcabcabcabc");
}

// Where one of several ends, the next goes on in its place: but not before what comes first, and
// each counts as the task that it is.
TEST(coroutine_turns, of_several_awaited_at_once_leave_room_for_what_is_urgent) {
  runtime rt{{.workers = 1}};
  const test::deadline deadline(rt);
  std::string order;
  const auto work = [&](char name) -> evencube::task<> {
    order += name;
    if (name == 'a') {
      static_cast<void>(rt.async([&] { order += '!'; }, {.priority = priority::high}));
    }
    co_return;
  };
  const auto all = [&]() -> evencube::task<> {
    co_await when_all(work('a'), work('b'), work('c'));
  };
  rt.reset_stats();
  start(rt, all()).get();
  EXPECT_EQ(order, "a!bc");
  EXPECT_EQ(rt.stats().workers.front().executed,
            4);  // the beginning with `a`, `b`, `c`, the urgent one
}

// One asks again and again, on a single worker, for what another task does.
TEST_P(coroutine_waits, let_others_go_first_by_low_priority) {
  for (int n = repetitions(20); n > 0; --n) {
    std::atomic<bool> done{false};
    const auto asks = [&]() -> task<int> {
      int times = 0;
      for (; !done; ++times) co_await rt_.schedule(priority::low);
      co_return times;
    };
    auto asking = start(rt_, asks());
    task_group group(rt_);
    group.spawn([&] { done = true; });
    group.wait();
    EXPECT_GE(asking.get(), 0);
    deadline_.renew();
  }
  EXPECT_THROW(static_cast<void>(rt_.schedule(static_cast<priority>(7))), std::invalid_argument);
}

// -- Other runtimes, other threads, other coroutines ----------------------------------------------

TEST_P(coroutine_waits, change_runtimes_and_come_back) {
  runtime other{{.workers = GetParam()}};
  const auto child = [&](int i) -> evencube::task<int> {
    co_await rt_.schedule();
    EXPECT_EQ(this_task::runtime(), &rt_);
    co_return i;
  };
  const auto travel = [&]() -> evencube::task<int> {
    EXPECT_EQ(this_task::runtime(), &rt_);
    co_await other.schedule();
    EXPECT_EQ(this_task::runtime(), &other);
    const auto [a, b] = co_await when_all(child(1), child(2));
    co_await other.get_scheduler().schedule();
    EXPECT_EQ(this_task::runtime(), &other);
    const int c = co_await rt_.async([] { return 4; });
    co_await rt_.schedule();
    EXPECT_EQ(this_task::runtime(), &rt_);
    const int d = co_await other.async([] { return 8; });
    co_return a + b + c + d;
  };
  for (int n = repetitions(50); n > 0; --n) {
    EXPECT_EQ(sync_wait(rt_, travel()), 15);
    EXPECT_EQ(start(rt_, travel()).then([](int i) { return i + 1; }).get(), 16);
    deadline_.renew();
  }
}

TEST_P(coroutine_waits, of_two_runtimes_for_each_other_are_refused) {
  std::atomic<bool> refused{false};
  runtime other{{.workers = 1}};
  // A task of `other` has waited for one of `rt_`, as `run` always does: no coroutine of `rt_` may
  // need `other`.
  other.run([&] { rt_.run([] {}); });
  const auto there = [&]() -> evencube::task<> {
    EXPECT_THROW(co_await other.schedule(), error);
    EXPECT_EQ(this_task::runtime(), &rt_);
    auto of_other = other.async([&] {
      while (!refused) std::this_thread::yield();
    });
    EXPECT_THROW(of_other.wait(), error);
    refused = true;
  };
  sync_wait(rt_, there());
}

TEST_P(coroutine_waits, are_resumed_by_threads_outside) {
  std::thread made;
  std::thread second;
  const auto inner = [&]() -> evencube::task<int> {
    co_await new_thread{made};
    EXPECT_EQ(this_task::runtime(), nullptr);
    const auto [a, b] = co_await when_all(give(1), give(2));
    co_return a + b;
  };
  const auto outer = [&]() -> evencube::task<int> {
    int sum = co_await inner();
    sum += co_await give(4);
    co_await rt_.schedule();
    EXPECT_EQ(this_task::runtime(), &rt_);
    sum += co_await rt_.async([] { return 8; });
    co_await new_thread{second};
    co_return sum;
  };
  EXPECT_EQ(start(rt_, outer()).then([](int i) { return i + 1; }).get(), 16);
  made.join();
  second.join();
}

// What is continued by a thread that is no worker keeps its priority.
TEST(coroutine_wait, ended_by_a_thread_outside_continues_with_the_priority_asked_for) {
  runtime rt{{.workers = 1}};
  const deadline limit{rt};
  std::thread made;
  std::binary_semaphore left{0};
  std::binary_semaphore go{0};
  const auto leave = [&]() -> evencube::task<> {
    co_await new_thread{made};
    left.release();
    go.acquire();
  };
  std::string order;
  std::atomic<bool> ready{false};
  task_group group(rt);
  future<void> last =
      start(rt, leave()).then([&] { order += "low "; }, {.priority = priority::low});
  group.spawn([&] {
    while (!ready) std::this_thread::yield();
  });
  left.acquire();
  go.release();
  made.join();
  group.spawn([&] { order += "normal "; });
  group.spawn([&] { order += "high "; }, {.priority = priority::high});
  ready = true;
  last.get();
  EXPECT_EQ(order, "high normal low ");
}

// Somebody else's coroutine awaits a million times what ends at once: no stack for that either.
TEST_P(coroutine_waits, may_be_awaited_by_coroutines_of_others) {
  const int often = 100'000 / sanitizer_slowness;
  std::atomic<long> sum{0};
  std::atomic<bool> ended{false};
  const auto foreign = [&]() -> detached {
    for (int i = 0; i < often; ++i) sum += co_await give(1);
    co_await rt_.schedule();
    EXPECT_EQ(this_task::runtime(), &rt_);
    sum += co_await rt_.async([] { return 1; });
    const auto [a, b] = co_await when_all(give(1), give(1));
    sum += a + b;
    ended = true;
    ended.notify_all();
  };
  foreign();
  ended.wait(false);
  EXPECT_EQ(sum, often + 3);
}

// -- A scheduler as std::execution wants it
// --------------------------------------------------------

struct receiver {
  std::atomic<int>* told;
  std::stop_token token;
  std::atomic<unsigned>* count;
  void tell(int what) const noexcept {
    *told = what;
    ++*count;
    count->notify_all();
  }
  void set_value() && noexcept { tell(this_task::runtime() != nullptr ? 1 : -1); }
  void set_error(std::exception_ptr) && noexcept { tell(2); }
  void set_stopped() && noexcept { tell(3); }
  [[nodiscard]] std::stop_token get_stop_token() const noexcept { return token; }
};

TEST_P(coroutine_waits, share_their_scheduler_with_senders) {
  runtime other{{.workers = 1}};
  const runtime_scheduler on = rt_.get_scheduler();
  EXPECT_EQ(on, rt_.get_scheduler());
  EXPECT_NE(on, other.get_scheduler());
  std::atomic<int> told{0};
  std::atomic<unsigned> count{0};
  std::stop_source source;
  auto first = on.schedule().connect(receiver{&told, source.get_token(), &count});
  first.start();
  count.wait(0);
  EXPECT_EQ(told, 1);
  source.request_stop();
  auto second = on.schedule().connect(receiver{&told, source.get_token(), &count});
  rt_.run([&] { second.start(); });
  count.wait(1);
  EXPECT_EQ(told, 3);
}

// -- At random
// --------------------------------------------------------------------------------------

/// Adds up 1 for each of its coroutines, by every way that there is.
class random_tree {
 public:
  random_tree(runtime& here, runtime& there) : here_(here), there_(there) {}

  evencube::task<long> grow(std::uint32_t seed, int depth) {
    std::minstd_rand random(seed);
    long sum = 1;
    for (int step = static_cast<int>(random() % 3); step >= 0; --step) {
      const auto next = static_cast<std::uint32_t>(random());
      if (depth == 0) {
        if (next % 3 == 0) co_await here_.async([] {});
        if (next % 7 == 0) co_await there_.schedule();
        if (next % 5 == 0) co_await here_.schedule();
        continue;
      }
      const bool inside = this_task::runtime() == &here_;
      switch (next % 9) {
        case 0:
          sum += co_await grow(next, depth - 1);
          break;
        case 1: {
          const auto [a, b] = co_await when_all(grow(next, depth - 1), grow(next + 1, depth - 1));
          sum += a + b;
          break;
        }
        case 2: {
          std::vector<evencube::task<long>> many;
          for (std::uint32_t i = 0; i < next % 4; ++i) many.push_back(grow(next + i, depth - 1));
          for (const long one : co_await when_all(std::move(many))) sum += one;
          break;
        }
        case 3:
          sum += co_await start(here_, grow(next, depth - 1));
          break;
        case 4: {
          auto first = start(here_, grow(next, depth - 1));
          auto second = start(here_, grow(next + 1, depth - 1)).then([](long l) { return l; });
          auto [a, b] = co_await when_all(std::move(first), std::move(second));
          sum += a.get() + b.get();
          break;
        }
        case 5:
          if (inside) sum += sync_wait(grow(next, depth - 1));
          break;
        case 6:
          sum += co_await here_.async(
              [this, next, depth] { return sync_wait(grow(next, depth - 1)); });
          break;
        case 7: {
          co_await there_.schedule();
          sum += co_await grow(next, depth - 1);
          co_await here_.schedule();
          break;
        }
        default:
          if (inside) {
            task_group group;
            std::atomic<long> total{0};
            const auto add = [&](std::uint32_t s) -> evencube::task<> {
              total += co_await grow(s, depth - 1);
            };
            spawn(group, add(next));
            spawn(group, add(next + 1));
            group.wait();
            sum += total;
          }
      }
    }
    co_return sum;
  }

 private:
  runtime& here_;
  runtime& there_;
};

TEST_P(coroutine_waits, of_whatever_shape_end) {
  runtime there{{.workers = 2}};
  random_tree tree(rt_, there);
  for (int seed = repetitions(60); seed > 0; --seed) {
    const auto s = static_cast<std::uint32_t>(seed);
    const long expected = start(rt_, tree.grow(s, 3)).get();
    EXPECT_GE(expected, 1);
    EXPECT_GE(sync_wait(rt_, tree.grow(s, 3)), 1);
    deadline_.renew();
  }
}

// A scope belongs to the thread, and who goes on later may do so on another one.
TEST(coroutine_wait, within_a_blocking_scope_is_refused) {
  std::binary_semaphore go{0};
  runtime rt{{.workers = 1, .spare_workers = 1}};
  const deadline limit{rt};
  const auto await_within = [&]() -> evencube::task<bool> {
    auto later = rt.async([&] { go.acquire(); });
    bool refused = false;
    try {
      const blocking_scope here;
      co_await std::move(later);
    } catch (const error&) {
      refused = true;
    }
    go.release();
    co_return refused;
  };
  EXPECT_TRUE(sync_wait(rt, await_within()));
}

INSTANTIATE_TEST_SUITE_P(on, coroutine_waits, coroutine_workers(), name_of_workers);

}  // namespace
}  // namespace evencube::test::coroutine_waiting_test
