#pragma once

// The same programs for each library of senders: `ex` is its namespace, `scheduler` the scheduler
// for it.

#include <gtest/gtest.h>

#include <atomic>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

evencube::runtime_options workers(unsigned n) {
  evencube::runtime_options options;
  options.workers = n;
  return options;
}

static_assert(ex::scheduler<scheduler>);
static_assert(ex::sender<decltype(std::declval<scheduler>().schedule())>);

class LibraryOfSenders : public testing::TestWithParam<unsigned> {
 protected:
  evencube::runtime rt{workers(GetParam())};
  scheduler on{rt};
};

TEST_P(LibraryOfSenders, Queries) {
  EXPECT_EQ(ex::get_forward_progress_guarantee(on), ex::forward_progress_guarantee::parallel);
  EXPECT_TRUE(ex::get_completion_scheduler<ex::set_value_t>(ex::get_env(ex::schedule(on))) == on);
}

TEST_P(LibraryOfSenders, ChainsAndErrors) {
  const auto [v] = ex::sync_wait(ex::schedule(on) | ex::then([] { return 41; }) |
                                 ex::then([](int i) { return i + 1; }))
                       .value();
  EXPECT_EQ(v, 42);
  EXPECT_THROW(ex::sync_wait(ex::schedule(on) | ex::then([] { throw std::length_error("x"); })),
               std::length_error);
}

TEST_P(LibraryOfSenders, SeveralAtOnce) {
  const auto inside = [&](int i) { return evencube::this_task::runtime() == &rt ? i : 0; };
  const auto [a, b] =
      ex::sync_wait(ex::when_all(ex::starts_on(on, ex::just(1) | ex::then(inside)),
                                 ex::just(2) | ex::continues_on(on) | ex::then(inside)))
          .value();
  EXPECT_EQ(a + b, 3);
}

TEST_P(LibraryOfSenders, Bulk) {
  std::vector<int> values(10000, 0);
  const auto [sum] =
      ex::sync_wait(
          ex::schedule(on) | ex::then([] { return 3; }) |
          ex::bulk(ex::par, values.size(), [&](std::size_t i, int by) { values[i] += by; }) |
          ex::bulk_chunked(ex::par, values.size(),
                           [&](std::size_t first, std::size_t last, int by) {
                             for (; first != last; ++first) values[first] += by;
                           }) |
          ex::bulk_unchunked(ex::par, values.size(),
                             [&](std::size_t i, int by) { values[i] += by; }) |
          ex::then([&](int) { return std::accumulate(values.begin(), values.end(), 0); }))
          .value();
  EXPECT_EQ(sum, 90000);
}

// A program of stdexec's issue 1305: a task of the pool waits for another one.
TEST_P(LibraryOfSenders, AWaitInsideOfATaskEnds) {
  int inner = 0;
  ex::sync_wait(ex::schedule(on) |
                ex::then([&] { ex::sync_wait(ex::schedule(on) | ex::then([&] { inner = 1; })); }));
  EXPECT_EQ(inner, 1);
  const int values = rt.run([&] {
    const auto twice = [&] {
      return std::get<0>(ex::sync_wait(ex::when_all(ex::schedule(on) | ex::then([] { return 1; }),
                                                    ex::schedule(on) | ex::then([] { return 2; })) |
                                       ex::continues_on(on) |
                                       ex::then([](int a, int b) { return a + b; }))
                             .value());
    };
    return twice() + twice();
  });
  EXPECT_EQ(values, 6);
}

evencube::task<int> answer(scheduler on) {
  co_await ex::schedule(on);
  co_return co_await (ex::schedule(on) | ex::then([] { return 42; }));
}
TEST_P(LibraryOfSenders, TasksAreSendersAndAwaitThem) {
  EXPECT_EQ(evencube::sync_wait(rt, answer(on)), 42);
  EXPECT_EQ(std::get<0>(ex::sync_wait(answer(on)).value()), 42);
  EXPECT_EQ(std::get<0>(
                ex::sync_wait(ex::starts_on(on, answer(on)) | ex::then([](int i) { return i + 1; }))
                    .value()),
            43);
}

INSTANTIATE_TEST_SUITE_P(Workers, LibraryOfSenders, testing::Values(1U, 2U, 3U));

// EvenCube::parallel_scheduler is linked.
TEST(ParallelScheduler, RunsOnEvenCube) {
  const auto inside = [] { return evencube::this_task::runtime() != nullptr; };
  std::atomic<int> calls{0};
  const auto [is_inside] =
      ex::sync_wait(
          ex::schedule(ex::get_parallel_scheduler()) |
          ex::bulk_unchunked(ex::par, 1000, [&](int) noexcept { calls += inside() ? 1 : 0; }) |
          ex::bulk_chunked(ex::par, 1000,
                           [&](int first, int last) noexcept { calls += last - first; }) |
          ex::then(inside))
          .value();
  EXPECT_TRUE(is_inside);
  EXPECT_EQ(calls.load(), 2000);
}

}  // namespace
