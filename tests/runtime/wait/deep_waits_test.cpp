// Waits within waits, 10^5 deep (a tenth of it under a sanitizer). Each task runs on top of the
// task that waits for it, and continues on another stack if the stack has no more room.
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "coroutine_support.hpp"
#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::test::deep_waits_test {
namespace {

constexpr int depth = 100'000 / sanitizer_slowness;

/// Calls `f` on a thread whose stack has `bytes` bytes.
template <typename F>
void on_a_stack_of(std::size_t bytes, F f) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t made{};
  const auto call = [](void* context) -> void* {
    (*static_cast<F*>(context))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&made, &attributes, call, &f), 0);
  pthread_attr_destroy(&attributes);
  ASSERT_EQ(pthread_join(made, nullptr), 0);
}

class deep_waits : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{runtime_options{.workers = GetParam()}};
  deadline deadline_{rt_, std::chrono::seconds{240}};

  // The worker is the same on every stack.
  int wait_for_groups(int level) {
    EXPECT_LT(this_worker(), rt_.workers());
    if (level == depth) return 1;
    int below = 0;
    task_group one(rt_);
    one.spawn([&] { below = wait_for_groups(level + 1); });
    EXPECT_EQ(one.wait(), wait_status::completed);
    return below + 1;
  }
  int wait_for_futures() {
    std::vector<future<int>> all(depth);
    for (int i = depth - 1; i >= 0; --i) {
      all[static_cast<std::size_t>(i)] = rt_.async(
          [i, &all] { return i + 1 < depth ? all[static_cast<std::size_t>(i) + 1].get() + 1 : 1; });
    }
    return all[0].get();
  }
  /// Each level needs another future and waits for the next level.
  int wait_for_trees(int level) {
    if (level == depth / 10) return 1;
    return rt_.async([] { return 1; })
        .then([this, level](int one) { return wait_for_trees(level + 1) + one; })
        .get();
  }
};

TEST_P(deep_waits, for_groups_end) {
  EXPECT_EQ(rt_.run([&] { return wait_for_groups(1); }), depth);
}

TEST_P(deep_waits, for_futures_end) {
  EXPECT_EQ(rt_.run([&] { return wait_for_futures(); }), depth);
}

TEST_P(deep_waits, for_trees_end) {
  EXPECT_EQ(rt_.run([&] { return wait_for_trees(1); }), depth / 10);
}

TEST_P(deep_waits, begin_on_a_small_stack) {
  on_a_stack_of(std::size_t{1} << 20U, [&] {
    EXPECT_EQ(rt_.run([&] { return wait_for_groups(1); }), depth);
    EXPECT_EQ(rt_.run([&] { return wait_for_futures(); }), depth);
  });
}

// The exception of the innermost task passes through all waits.
TEST_P(deep_waits, let_exceptions_through) {
  struct thrown_below {};
  const auto fail_below = [&](const auto& self, int level) -> void {
    if (level == depth / 20) throw thrown_below{};
    task_group one(rt_);
    one.spawn([&, level] { self(self, level + 1); });
    static_cast<void>(one.wait());
  };
  EXPECT_THROW(rt_.run([&] { fail_below(fail_below, 1); }), thrown_below);
}

/// Calls `f` within enough waits that it runs on another stack than the caller, as the same worker.
template <typename F>
void far_below(const F& f) {
  const std::thread::id above = std::this_thread::get_id();
  const auto descend = [&](const auto& self, int level) -> void {
    if (std::this_thread::get_id() != above) return f();
    ASSERT_LT(level, depth) << "never left its stack";
    task_group one;
    one.spawn([&, level] { self(self, level + 1); });
    EXPECT_EQ(one.wait(), wait_status::completed);
  };
  descend(descend, 0);
}

// A thread that holds a runtime, or is in a blocking scope of one, is refused waits for itself. A
// deep wait does not lose this state.
TEST(what_a_thread_is, goes_along_with_a_deep_wait) {
  runtime a{{.workers = 1}};
  runtime b{{.workers = 1}};
  const deadline in_time(a);
  on_a_stack_of(std::size_t{1} << 20U, [&] {
    a.run([&] {
      hold_guard held = b.hold();
      far_below([&] {
        EXPECT_THROW(b.run([] {}), error);
        EXPECT_THROW(static_cast<void>(b.hold()), error);
      });
    });
    EXPECT_EQ(b.run([] { return 1; }), 1);
    a.run([&] {
      blocking([&] { b.run([&] { far_below([&] { EXPECT_THROW(a.stop(), error); }); }); });
    });
  });
}

INSTANTIATE_TEST_SUITE_P(on, deep_waits, testing::Values(1, 2, 5), name_of_workers);

}  // namespace
}  // namespace evencube::test::deep_waits_test
