// If the system makes no more threads, the error names the purpose of the thread, and nothing is
// left.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <evencube/evencube.hpp>
#include <string>
#include <system_error>

#include "deadline.hpp"
#include "threads_of_process.hpp"

namespace {

/// The number of calls before a refusal; negative: none is refused.
std::atomic<int> calls_until_refusal{-1};

}  // namespace

extern "C" int pthread_create(pthread_t* made, const pthread_attr_t* how, void* (*what)(void*),
                              void* with) {
  int left = calls_until_refusal.load();
  while (left >= 0 && !calls_until_refusal.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 0) return EAGAIN;
  static const auto real =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return real(made, how, what, with);
}

namespace evencube {
namespace {

std::string refusal_of(const runtime_options& options) {
  try {
    const runtime rt(options);
  } catch (const std::system_error& refused) {
    EXPECT_EQ(refused.code(), std::errc::resource_unavailable_try_again);
    return refused.what();
  }
  return "";
}

TEST(refused_threads, of_each_worker_leave_nothing_and_are_named) {
  const std::size_t before = test::threads_of_process();
  // The first thread of all tries whether the strategy can serve this cube.
  calls_until_refusal = 0;
  std::string said = refusal_of({.workers = 8});
  EXPECT_NE(said.find("the thread of the balancer's first plan could not be made"),
            std::string::npos)
      << said;
  for (int k = 1; k < 8; ++k) {
    calls_until_refusal = k;
    said = refusal_of({.workers = 8, .mode = balancer_mode::on_idle});
    EXPECT_NE(said.find("the thread of worker " + std::to_string(k) + " of 8 could not be made"),
              std::string::npos)
        << said;
    EXPECT_EQ(calls_until_refusal, -1);
    EXPECT_LE(test::threads_of_process(before), before);
  }
  calls_until_refusal = 8;
  said = refusal_of({.workers = 8, .mode = balancer_mode::thread});
  EXPECT_NE(said.find("the thread of the balancer could not be made"), std::string::npos) << said;
  EXPECT_LE(test::threads_of_process(before), before);
}

TEST(refused_threads, of_spare_workers_are_named) {
  const std::size_t before = test::threads_of_process();
  for (int k = 0; k < 2; ++k) {
    calls_until_refusal = 2 + k;
    const std::string said =
        refusal_of({.workers = 2, .spare_workers = 2, .mode = balancer_mode::on_idle});
    EXPECT_NE(said.find("the thread of spare worker " + std::to_string(k) + " of 2"),
              std::string::npos)
        << said;
    EXPECT_LE(test::threads_of_process(before), before);
  }
}

TEST(refused_threads, of_worker_0_refuse_the_task_that_needs_it_and_nothing_else) {
  runtime rt({.workers = 2});
  task_group group(rt);
  calls_until_refusal = 0;
  EXPECT_THROW(group.spawn([] { ADD_FAILURE(); }), std::system_error);
  calls_until_refusal = 0;
  EXPECT_THROW(static_cast<void>(rt.async([] { ADD_FAILURE(); })), std::system_error);
  EXPECT_EQ(group.wait(), wait_status::completed);
  EXPECT_EQ(rt.run([] { return 3; }), 3);
  EXPECT_EQ(rt.async([] { return 4; }).get(), 4);
}

/// Returns the future of a task that the only worker leaves behind when it goes. The thread that
/// would run the task is refused twice: the second time when the next thread requests it.
future<int> leave_to_refused_thread(runtime& rt) {
  future<int> left;
  rt.run([&] {
    left = rt.async([] { return 1; });
    calls_until_refusal = 0;
  });
  EXPECT_EQ(calls_until_refusal, -1);
  calls_until_refusal = 0;
  return left;
}

TEST(refused_threads, are_asked_for_again_by_who_waits) {
  runtime rt({.workers = 1});
  const test::deadline deadline(rt);
  future<int> left = leave_to_refused_thread(rt);
  EXPECT_THROW(left.wait(), std::system_error);
  EXPECT_EQ(left.get(), 1);
}

TEST(refused_threads, let_stop_be_called_again) {
  runtime rt({.workers = 1});
  future<int> left = leave_to_refused_thread(rt);
  EXPECT_THROW(rt.stop(), std::system_error);
  EXPECT_TRUE(rt.stopped());
  rt.stop();
  EXPECT_THROW(left.get(), error);
}

}  // namespace
}  // namespace evencube
