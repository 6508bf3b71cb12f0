// What users' code does while a thread of the runtime ends, or in an observer: it counts as outside
// of tasks, and gets a value or an error for all that it begins.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <evencube/evencube.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "deadline.hpp"

namespace evencube {
namespace {

/// Called once at the end of each thread that has run a task since it was set.
std::function<void()> at_the_end;

struct ends {
  bool used = false;
  ~ends() {
    if (used && at_the_end) at_the_end();
  }
};
thread_local ends of_this_thread;

class thread_end : public testing::TestWithParam<unsigned> {
 protected:
  test::deadline deadline_{std::vector<const runtime*>{}};
  std::optional<runtime> rt_;

  /// Every thread of the runtime calls it at its end.
  void end_with(std::function<void()> call, bool stops, unsigned spares = 0) {
    at_the_end = std::move(call);
    rt_.emplace(runtime_options{.workers = GetParam(), .spare_workers = spares});
    for (unsigned k = 0; k < GetParam(); ++k) {
      rt_->async([] { of_this_thread.used = true; }, {.home = k}).wait();
    }
    if (stops) rt_->stop();
    // The object is there until its destructor has returned.
    rt_->~runtime();
    ::new (static_cast<void*>(&*rt_)) runtime({.workers = 1});
    rt_.reset();
    at_the_end = nullptr;
  }
};

TEST_P(thread_end, async_gives_a_value_while_the_runtime_ends) {
  std::atomic<int> ran{0};
  std::atomic<int> gave{0};
  end_with(
      [&] {
        auto f = rt_->async([&] { return ++ran; });
        auto then = std::move(f).then([](int) { return 1; });
        gave += then.get();
        ran += rt_->async([] { return 0; }, {.priority = priority::low}).get();
        rt_->async([] {}, {.home = 0}).get();
      },
      false);
  EXPECT_GE(ran, 1);
  EXPECT_EQ(ran, gave);
}

TEST_P(thread_end, async_gives_an_error_after_a_stop) {
  std::atomic<int> asked{0};
  std::atomic<int> refused{0};
  end_with(
      [&] {
        ++asked;
        auto f = rt_->async([] {});
        try {
          f.get();
        } catch (const error&) {
          ++refused;
        }
      },
      true);
  EXPECT_GE(asked, 1);
  EXPECT_EQ(asked, refused);
}

TEST_P(thread_end, run_loops_and_groups_work_while_the_runtime_ends) {
  std::atomic<int> asked{0};
  std::atomic<int> sum{0};
  end_with(
      [&] {
        ++asked;
        rt_->run([&] { parallel_for(0, 100, [&](int) { ++sum; }); });
        task_group group(*rt_);
        for (int i = 0; i < 10; ++i) {
          group.spawn([&] {
            task_group inner;
            inner.spawn([&] { ++sum; });
            inner.wait();
          });
        }
        group.wait();
      },
      false);
  EXPECT_GE(asked, 1);
  EXPECT_EQ(sum, asked * 110);
}

TEST_P(thread_end, calls_that_would_wait_for_the_thread_itself_are_refused) {
  for (const bool stops : {false, true}) {
    std::atomic<int> asked{0};
    std::atomic<int> refused{0};
    const auto expect_error = [&](const std::function<void()>& call) {
      ++asked;
      try {
        call();
      } catch (const error&) {
        ++refused;
      }
    };
    end_with(
        [&] {
          expect_error([&] { rt_->stop(); });
          expect_error([&] { static_cast<void>(rt_->hold()); });
          expect_error([&] { rt_->start_recording(); });
          if (stops) expect_error([&] { rt_->run([] {}); });
        },
        stops);
    EXPECT_GE(asked, 3);
    EXPECT_EQ(asked, refused);
  }
}

TEST_P(thread_end, destructors_of_thread_specific_values_may_do_the_same) {
  static std::atomic<int> ran{0};
  ran = 0;
  pthread_key_t key{};
  static runtime* of = nullptr;
  ASSERT_EQ(::pthread_key_create(&key, [](void*) { of->async([] { ++ran; }).get(); }), 0);
  {
    auto rt = std::make_unique<runtime>(runtime_options{.workers = GetParam()});
    of = rt.get();
    rt->async([&] { ::pthread_setspecific(key, &key); }).wait();
    rt.reset();
  }
  ::pthread_key_delete(key);
  EXPECT_EQ(ran, 1);
}

INSTANTIATE_TEST_SUITE_P(workers, thread_end, testing::Values(1, 2, 3, 8),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

/// Calls something of the runtime each time that a thread becomes a worker or is none any more.
struct calls_back : observer {
  std::function<void()> call;
  void worker_started(unsigned) override { call(); }
  void worker_stopped(unsigned) override { call(); }
};

TEST(observer_that_calls, gets_errors_instead_of_waits_that_never_end) {
  for (const unsigned workers : {1U, 2U, 3U, 8U}) {
    std::atomic<runtime*> of{nullptr};
    std::atomic<int> asked{0};
    std::atomic<int> answered{0};
    std::atomic<bool> asks{true};
    std::atomic<int> inside{0};
    auto watching = std::make_shared<calls_back>();
    watching->call = [&] {
      runtime* const rt = of;
      ++inside;
      if (rt == nullptr || !asks) {
        --inside;
        return;
      }
      const auto answer = [&](const std::function<void()>& call) {
        ++asked;
        try {
          call();
        } catch (const error&) {
        }
        ++answered;
      };
      answer([&] { rt->stop(); });
      answer([&] { static_cast<void>(rt->hold()); });
      answer([&] { rt->run([] {}); });
      answer([&] { rt->async([] {}).get(); });
      answer([&] {
        task_group group(*rt);
        group.spawn([] {});
        group.wait();
      });
      --inside;
    };
    test::deadline in_time{std::vector<const runtime*>{}};
    auto rt = std::make_unique<runtime>(runtime_options{.workers = workers, .observer = watching});
    of = rt.get();
    for (int i = 0; i < 20; ++i) {
      rt->run([] {});
      rt->async([] {}).get();
    }
    // What is asked brings tasks, for which threads become workers, of which more is asked. A
    // destructor that comes in between finds the runtime in use and leaves it as it is. So all is
    // quiet before, and only threads that end ask again.
    asks = false;
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    while (inside != 0) std::this_thread::yield();
    asks = true;
    rt.reset();
    EXPECT_GE(asked, 1);
    EXPECT_EQ(asked, answered);
  }
}

}  // namespace
}  // namespace evencube
