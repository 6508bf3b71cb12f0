// A future used to read its runtime's freed memory when the runtime was gone. It is as usable as a
// std::future whose thread has ended.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <evencube/evencube.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::regression_future_outlives_its_runtime_test {
namespace {

class future_outlives_its_runtime : public testing::TestWithParam<unsigned> {
 protected:
  [[nodiscard]] runtime_options options() const { return {.workers = GetParam()}; }
  test::deadline deadline_{std::vector<const runtime*>{}};
};

/// What the runtime's memory is likely to become next.
void write_over_freed_memory() {
  std::vector<std::unique_ptr<std::vector<unsigned char>>> blocks;
  for (std::size_t size = 16; size <= 1U << 16; size += size / 2) {
    for (int i = 0; i < 32; ++i) {
      blocks.push_back(std::make_unique<std::vector<unsigned char>>(size, 0xA5));
    }
  }
}

TEST_P(future_outlives_its_runtime, with_its_value) {
  for (int n = test::repetitions(20); n > 0; --n) {
    auto f = [&] {
      runtime rt(options());
      return rt.async([] { return std::string(100, 'x'); });
    }();
    write_over_freed_memory();
    EXPECT_TRUE(f.ready());
    f.wait();
    EXPECT_EQ(f.get(), std::string(100, 'x'));
    EXPECT_THROW(f.wait(), error);
    deadline_.renew();
  }
}

TEST_P(future_outlives_its_runtime, with_its_exception) {
  auto f = [&] {
    runtime rt(options());
    return rt.async([]() -> int { throw std::runtime_error("kept"); });
  }();
  write_over_freed_memory();
  f.wait();
  EXPECT_THROW(f.get(), std::runtime_error);
}

TEST_P(future_outlives_its_runtime, and_is_dropped) {
  std::optional<future<std::string>> f;
  {
    runtime rt(options());
    f.emplace(rt.async([] { return std::string(100, 'x'); }));
  }
  write_over_freed_memory();
  f.reset();
}

// In a task of another runtime, where a thread has workers' roles to look through.
TEST_P(future_outlives_its_runtime, and_is_asked_in_another_one) {
  runtime other(options());
  auto f = [&] {
    runtime rt(options());
    return rt.async([] { return 5; });
  }();
  write_over_freed_memory();
  EXPECT_EQ(other.run([&] { return f.get(); }), 5);
}

TEST_P(future_outlives_its_runtime, while_threads_are_inside_its_wait) {
  for (int n = test::repetitions(50); n > 0; --n) {
    auto rt = std::make_unique<runtime>(options());
    std::atomic<int> waiting{0};
    std::atomic<bool> go{false};
    future<int> f = rt->async([&] {
      while (!go) std::this_thread::yield();
      return 8;
    });
    constexpr int threads = 3;
    std::vector<std::jthread> waiters;
    for (int k = 0; k < threads; ++k) {
      waiters.emplace_back([&] {
        ++waiting;
        f.wait();
      });
    }
    while (waiting < threads) std::this_thread::yield();
    if (n % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    std::jthread opener([&] { go = true; });
    rt.reset();
    write_over_freed_memory();
    waiters.clear();
    EXPECT_EQ(f.get(), 8);
    deadline_.renew();
  }
}

// Several at once, some of which begin to wait when the runtime is gone already.
TEST_P(future_outlives_its_runtime, while_threads_get_one_after_another) {
  for (int n = test::repetitions(50); n > 0; --n) {
    auto rt = std::make_unique<runtime>(options());
    constexpr int count = 20;
    std::vector<future<int>> made;
    for (int i = 0; i < count; ++i) made.push_back(rt->async([i] { return i; }));
    std::jthread getter([&] {
      for (int i = 0; i < count; ++i) EXPECT_EQ(made[static_cast<std::size_t>(i)].get(), i);
    });
    rt.reset();
    write_over_freed_memory();
    getter.join();
    deadline_.renew();
  }
}

INSTANTIATE_TEST_SUITE_P(workers, future_outlives_its_runtime, testing::Values(1, 2, 5),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::regression_future_outlives_its_runtime_test
