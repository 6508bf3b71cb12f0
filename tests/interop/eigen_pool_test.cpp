// Eigen's interface to a pool of threads on a runtime: what is scheduled, from wherever, runs once,
// on a worker, and not later than the pool ends.
#include <gtest/gtest.h>

#include <atomic>
#include <evencube/evencube.hpp>
#include <evencube/interop/eigen.hpp>
#include <memory>
#include <thread>
#include <vector>

namespace evencube {
namespace {

class eigen_pools : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{runtime_options{.workers = GetParam(), .pin_to = pinning::none}};
};

TEST_P(eigen_pools, run_what_threads_outside_and_tasks_schedule) {
  std::atomic<int> ran{0};
  std::atomic<int> misnumbered{0};
  auto owned = std::make_unique<eigen_pool>(rt_);
  eigen_pool& pool = *owned;
  EXPECT_EQ(pool.NumThreads(), static_cast<int>(GetParam()));
  EXPECT_EQ(pool.CurrentThreadId(), -1);
  const auto work = [&] {
    ++ran;
    if (pool.CurrentThreadId() < 0 || pool.CurrentThreadId() >= pool.NumThreads()) ++misnumbered;
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        pool.Schedule([&] {
          work();
          pool.ScheduleWithHint(work, 0, 1);
        });
      }
    });
  }
  rt_.run([&] {
    for (int i = 0; i < 200; ++i) pool.Schedule(work);
  });
  for (std::thread& thread : threads) thread.join();
  owned.reset();  // waits
  EXPECT_EQ(ran, 3 * 200 * 2 + 200);
  EXPECT_EQ(misnumbered, 0);
}

TEST_P(eigen_pools, let_a_thread_wait_by_eigens_means) {
  eigen_pool pool(rt_);
  for (int n = 0; n < 50; ++n) {
    std::atomic<int> ran{0};
    Eigen::Barrier all(20);
    for (int i = 0; i < 20; ++i) {
      pool.Schedule([&] {
        ++ran;
        all.Notify();
      });
    }
    all.Wait();
    ASSERT_EQ(ran, 20);
  }
}

TEST_P(eigen_pools, are_waited_for_in_a_task_that_lends_its_place) {
  runtime rt({.workers = GetParam(), .spare_workers = 1, .pin_to = pinning::none});
  eigen_pool pool(rt);
  EXPECT_EQ(pool.NumThreads(), static_cast<int>(GetParam()) + 1);
  rt.run([&] {
    blocking([&] {
      Eigen::Notification done;
      pool.Schedule([&] { done.Notify(); });
      done.Wait();
    });
  });
}

TEST_P(eigen_pools, show_to_other_workers_what_a_busy_task_has_scheduled) {
  if (GetParam() == 1) GTEST_SKIP() << "one worker";
  eigen_pool pool(rt_);
  Eigen::Notification done;
  pool.Schedule([&] {
    std::atomic<bool> ran{false};
    pool.Schedule([&] { ran = true; });
    while (!ran) std::this_thread::yield();  // without a call that the runtime would see
    done.Notify();
  });
  done.Wait();
}

TEST_P(eigen_pools, begin_nothing_more_when_they_are_cancelled) {
  std::atomic<int> ran{0};
  {
    eigen_pool pool(rt_);
    pool.Cancel();
    pool.Schedule([&] { ++ran; });
  }
  EXPECT_EQ(ran, 0);
}

TEST_P(eigen_pools, are_refused_in_a_task) {
  rt_.run([&] { EXPECT_THROW(eigen_pool{rt_}, error); });
}

INSTANTIATE_TEST_SUITE_P(on, eigen_pools, testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace evencube
