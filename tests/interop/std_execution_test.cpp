// The scheduler for libraries of senders, with a small library of the tests' own.
#include <gtest/gtest.h>

#include <atomic>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <latch>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <vector>

#include "interop/stand_in_senders.hpp"
#include "runtime/failing_new.hpp"

namespace {

using stand_in::completion_signatures;
using stand_in::scheduler;
using stand_in::set_stopped_t;
using stand_in::set_value_t;
using stand_in::sync_wait;
using stand_in::then;

evencube::runtime_options workers(unsigned n) {
  evencube::runtime_options options;
  options.workers = n;
  return options;
}

/// How an operation ended.
enum class ending { none, value, error, stopped };

struct stoppable_env {
  [[nodiscard]] std::stop_token query(stand_in::get_stop_token_t) const noexcept { return token; }
  std::stop_token token;
};
struct noting_receiver {
  using receiver_concept = stand_in::receiver_tag;
  void set_value() && noexcept { note(ending::value); }
  void set_error(const std::exception_ptr&) && noexcept { note(ending::error); }
  void set_stopped() && noexcept { note(ending::stopped); }
  [[nodiscard]] stoppable_env get_env() const noexcept { return {token}; }

  void note(ending how) const noexcept {
    to->store(how);
    to->notify_all();
  }
  std::atomic<ending>* to;
  std::stop_token token{};
};
struct plain_receiver {
  using receiver_concept = stand_in::receiver_tag;
  void set_value() && noexcept { to->count_down(); }
  std::latch* to;
};

TEST(StdExecution, DescribesItself) {
  evencube::runtime rt(workers(2));
  evencube::runtime other(workers(1));
  const scheduler on(rt);
  EXPECT_EQ(on, scheduler(rt));
  EXPECT_FALSE(on == scheduler(other));
  EXPECT_FALSE(on == scheduler(rt, evencube::priority::low));
  EXPECT_EQ(on.query(stand_in::get_forward_progress_guarantee_t{}),
            stand_in::forward_progress_guarantee::parallel);
  const auto sender = on.schedule();
  EXPECT_EQ(stand_in::get_env(sender).query(stand_in::get_completion_scheduler_t<set_value_t>{}),
            on);
  static_assert(std::is_same_v<stand_in::completion_signatures_of<decltype(sender)>,
                               completion_signatures<set_value_t(), set_stopped_t()>>);
  static_assert(
      std::is_same_v<stand_in::completion_signatures_of<decltype(sender), stand_in::empty_env>,
                     completion_signatures<set_value_t()>>);
  static_assert(std::is_same_v<scheduler::scheduler_concept, stand_in::scheduler_tag>);
  EXPECT_THROW(scheduler(rt, static_cast<evencube::priority>(7)), std::invalid_argument);
}

TEST(StdExecution, CompletesInATaskOfTheRuntime) {
  evencube::runtime rt(workers(2));
  const auto values = sync_wait(then(
      scheduler(rt).schedule(), [&] { return evencube::this_task::runtime() == &rt ? 7 : 0; }));
  EXPECT_EQ(std::get<0>(values.value()), 7);
}

TEST(StdExecution, AStopBeforeTheStartIsSeen) {
  evencube::runtime rt(workers(1));
  std::stop_source source;
  source.request_stop();
  std::atomic<ending> end{ending::none};
  auto operation =
      stand_in::connect(scheduler(rt).schedule(), noting_receiver{&end, source.get_token()});
  operation.start();
  EXPECT_EQ(end.load(), ending::stopped);  // by `start` itself
}

TEST(StdExecution, AStopBeforeTheTaskIsSeen) {
  evencube::runtime rt(workers(1));
  std::stop_source source;
  std::atomic<ending> end{ending::none};
  auto operation =
      stand_in::connect(scheduler(rt).schedule(), noting_receiver{&end, source.get_token()});
  rt.run([&] {
    operation.start();  // the only worker runs it later
    source.request_stop();
  });
  end.wait(ending::none);
  EXPECT_EQ(end.load(), ending::stopped);
}

TEST(StdExecution, ARuntimeThatWasStoppedRefuses) {
  evencube::runtime rt(workers(1));
  const scheduler on(rt);
  std::atomic<ending> end{ending::none};
  auto operation = stand_in::connect(on.schedule(), noting_receiver{&end});
  rt.stop();
  operation.start();
  EXPECT_EQ(end.load(), ending::stopped);
  EXPECT_THROW(static_cast<void>(stand_in::connect(on.schedule(), noting_receiver{&end})),
               evencube::error);
}

TEST(StdExecution, ARuntimeThatIsGoneRefuses) {
  auto rt = std::make_unique<evencube::runtime>(workers(1));
  const scheduler on(*rt);
  rt.reset();
  std::atomic<ending> end{ending::none};
  EXPECT_THROW(static_cast<void>(stand_in::connect(on.schedule(), noting_receiver{&end})),
               evencube::error);
}

// More operations than the injector holds, while the only worker makes no room.
TEST(StdExecution, StartNeverWaitsForRoom) {
  evencube::runtime_options options = workers(1);
  options.injection_capacity = 1;
  evencube::runtime rt(options);
  constexpr int many = 1000;
  std::latch begun(1);
  std::latch all_started(1);
  std::latch ended(many);
  evencube::task_group group(rt);
  group.spawn([&] {
    begun.count_down();
    all_started.wait();
  });
  begun.wait();
  using operation = decltype(stand_in::connect(scheduler(rt).schedule(), plain_receiver{&ended}));
  std::vector<std::unique_ptr<operation>> operations;
  for (int i = 0; i < many; ++i) {
    operations.emplace_back(
        new operation(stand_in::connect(scheduler(rt).schedule(), plain_receiver{&ended})));
    operations.back()->start();
  }
  all_started.count_down();
  ended.wait();
  group.wait();
}

TEST(StdExecution, ScheduleAllocatesNothing) {
  using evencube::test::failing_new;
  evencube::runtime rt(workers(1));
  const auto start_in_task = [&] {
    std::latch ended(1);
    auto operation = stand_in::connect(scheduler(rt).schedule(), plain_receiver{&ended});
    const bool allocated = rt.run([&] {
      failing_new::begin(0, failing_new::kind::all_from);
      operation.start();
      return failing_new::end();
    });
    ended.wait();
    return allocated;
  };
  const auto start_outside = [&] {
    std::latch ended(1);
    auto operation = stand_in::connect(scheduler(rt).schedule(), plain_receiver{&ended});
    failing_new::begin(0, failing_new::kind::all_from);
    operation.start();
    ended.wait();  // until the worker has run it
    return failing_new::end();
  };
  EXPECT_FALSE(start_in_task());
  static_cast<void>(sync_wait(scheduler(rt).schedule()));  // makes the thread of the worker
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(start_in_task());
    EXPECT_FALSE(start_outside());
  }
}

// Libraries reserve little room for the operation of a scheduler: stdexec's task_scheduler 72 bytes
// in all.
TEST(StdExecution, TheOperationIsSmall) {
  using operation = decltype(stand_in::connect(std::declval<scheduler>().schedule(),
                                               std::declval<plain_receiver>()));
  static_assert(sizeof(operation) <= 6 * sizeof(void*));
}

class std_execution_with_workers : public testing::TestWithParam<unsigned> {};

// A wait in a task runs what it waits for, even on one worker, at any depth.
TEST_P(std_execution_with_workers, AWaitInATaskEnds) {
  evencube::runtime rt(workers(GetParam()));
  const scheduler on(rt);
  const auto waits = [&](const auto& self, int depth) -> int {
    if (depth == 0) return 1;
    const auto inner = [&, depth] { return self(self, depth - 1); };
    return std::get<0>(sync_wait(then(on.schedule(), inner)).value()) + 1;
  };
  EXPECT_EQ(rt.run([&] { return waits(waits, 20); }), 21);
  EXPECT_EQ(std::get<0>(sync_wait(then(on.schedule(), [&] { return waits(waits, 3); })).value()),
            4);
}

TEST_P(std_execution_with_workers, AWaitInATaskReportsErrorsAndStops) {
  evencube::runtime rt(workers(GetParam()));
  const scheduler on(rt);
  rt.run([&] {
    EXPECT_THROW(sync_wait(then(on.schedule(), []() -> int { throw std::length_error("x"); })),
                 std::length_error);
  });
}

TEST_P(std_execution_with_workers, AWaitForAnotherRuntimeEnds) {
  evencube::runtime rt(workers(GetParam()));
  evencube::runtime other(workers(1));
  const auto there = [&] { return evencube::this_task::runtime() == &other ? 1 : 0; };
  rt.run([&] {
    EXPECT_EQ(std::get<0>(sync_wait(then(scheduler(other).schedule(), there)).value()), 1);
  });
}

TEST_P(std_execution_with_workers, BulkIsALoop) {
  evencube::runtime rt(workers(GetParam()));
  const scheduler on(rt);
  for (const int count : {0, 1, 31, 5000}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
    const auto touch = [&](int i) { calls[static_cast<std::size_t>(i)].fetch_add(1); };
    const auto chunk = [&](int first, int last) {
      for (int i = first; i < last; ++i) touch(i);
    };
    sync_wait(stand_in::bulk_unchunked(on.schedule(), stand_in::par, count, touch));
    sync_wait(stand_in::bulk_chunked(on.schedule(), stand_in::par, count, chunk));
    for (const auto& c : calls) EXPECT_EQ(c.load(), 2);
  }
}

TEST_P(std_execution_with_workers, ASequencedBulkStaysOnItsThread) {
  evencube::runtime rt(workers(GetParam()));
  std::set<std::thread::id> threads;
  int calls = 0;
  sync_wait(stand_in::bulk_chunked(scheduler(rt).schedule(), stand_in::seq, 5000, [&](int, int) {
    threads.insert(std::this_thread::get_id());
    ++calls;
  }));
  EXPECT_EQ(threads.size(), 1U);
  EXPECT_EQ(calls, 1);
}

TEST_P(std_execution_with_workers, AnExceptionOfABulkIsAnError) {
  evencube::runtime rt(workers(GetParam()));
  const auto fail = [](int i) {
    if (i == 77) throw std::length_error("77");
  };
  const auto bulk = [&] {
    return stand_in::bulk_unchunked(scheduler(rt).schedule(), stand_in::par, 1000, fail);
  };
  EXPECT_THROW(sync_wait(bulk()), std::length_error);
  rt.run([&] { EXPECT_THROW(sync_wait(bulk()), std::length_error); });
}

evencube::task<int> awaits(scheduler on, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    co_await on.schedule();
    auto added = then(on.schedule(), [i] { return i; });
    sum += co_await std::move(added);
  }
  co_return sum;
}
evencube::task<> awaits_a_failure(scheduler on) {
  auto failing = then(on.schedule(), []() -> int { throw std::length_error("x"); });
  co_await std::move(failing);
}
TEST_P(std_execution_with_workers, CoroutinesAwaitSenders) {
  evencube::runtime rt(workers(GetParam()));
  EXPECT_EQ(evencube::sync_wait(rt, awaits(scheduler(rt), 100)), 4950);
  EXPECT_EQ(evencube::start(rt, awaits(scheduler(rt), 100)).get(), 4950);
  EXPECT_THROW(evencube::sync_wait(rt, awaits_a_failure(scheduler(rt))), std::length_error);
}

TEST_P(std_execution_with_workers, AWaitInAnArenaStaysThere) {
  evencube::runtime rt(workers(GetParam()));
  evencube::arena place(rt, {.workers = 1});
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  place.run([&] {
    sync_wait(stand_in::bulk_unchunked(scheduler(rt).schedule(), stand_in::par, 2000, [&](int) {
      const int now = inside.fetch_add(1) + 1;
      int seen = most.load();
      while (seen < now && !most.compare_exchange_weak(seen, now)) {
      }
      inside.fetch_sub(1);
    }));
  });
  EXPECT_EQ(most.load(), 1);
}

// The wait of one thread and the tasks of others: nothing is lost, however they meet.
TEST_P(std_execution_with_workers, ManyWaitsAtOnce) {
  evencube::runtime rt(workers(GetParam()));
  const scheduler on(rt);
  std::atomic<int> sum{0};
  rt.run([&] {
    evencube::parallel_for(0, 200, [&](int) {
      sum += std::get<0>(sync_wait(then(on.schedule(), [] { return 1; })).value());
    });
  });
  std::vector<std::thread> outside;
  for (int t = 0; t < 4; ++t) {
    outside.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        sum += std::get<0>(sync_wait(then(on.schedule(), [] { return 1; })).value());
      }
    });
  }
  for (std::thread& t : outside) t.join();
  EXPECT_EQ(sum.load(), 400);
}

INSTANTIATE_TEST_SUITE_P(Workers, std_execution_with_workers, testing::Values(1U, 2U, 4U));

}  // namespace
