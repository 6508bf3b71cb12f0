// A program can ask, from anywhere and without risk, whether it is inside a task, of which runtime,
// on which worker and among how many workers.
#include <gtest/gtest.h>

#include <atomic>
#include <evencube/evencube.hpp>
#include <optional>
#include <string>
#include <thread>

#include "deadline.hpp"

namespace evencube::this_task_test {
namespace {

class this_task_of : public testing::TestWithParam<unsigned> {
 protected:
  void expect_inside(const runtime& of) const {
    EXPECT_EQ(this_task::runtime(), &of);
    EXPECT_EQ(this_task::workers(), of.workers());
    ASSERT_TRUE(this_task::worker().has_value());
    EXPECT_LT(*this_task::worker(), of.workers());
    EXPECT_EQ(*this_task::worker(), this_worker());
  }
  static void expect_outside() {
    EXPECT_EQ(this_task::runtime(), nullptr);
    EXPECT_EQ(this_task::worker(), std::nullopt);
    EXPECT_EQ(this_task::workers(), 0U);
  }

  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_};
};

static_assert(noexcept(this_task::runtime()));
static_assert(noexcept(this_task::worker()));
static_assert(noexcept(this_task::workers()));

TEST_P(this_task_of, a_thread_outside_is_nothing) {
  expect_outside();
  rt_.run([] { std::jthread([] { expect_outside(); }); });
  expect_outside();
}

TEST_P(this_task_of, whatever_runs_tasks_is_known) {
  rt_.run([&] {
    expect_inside(rt_);
    EXPECT_EQ(this_task::worker(), 0U);  // the caller is worker 0
    fork_join([&] { expect_inside(rt_); }, [&] { expect_inside(rt_); });
    parallel_for(0, 100, [&](int) { expect_inside(rt_); });
  });
  task_group group(rt_);
  for (int i = 0; i < 100; ++i) group.spawn([&] { expect_inside(rt_); });
  group.wait();
  rt_.async([&] { expect_inside(rt_); }).get();
}

TEST_P(this_task_of, the_inner_one_of_two_runtimes_is_known) {
  runtime other({.workers = GetParam() + 1});
  rt_.run([&] {
    // It runs on a worker of the other runtime, while this worker waits.
    other.run([&] { expect_inside(other); });
    expect_inside(rt_);
  });
}

TEST_P(this_task_of, a_destructor_of_the_function_is_inside) {
  struct asks {
    const runtime* of;
    explicit asks(const runtime& rt) : of(&rt) {}
    asks(asks&& other) noexcept : of(std::exchange(other.of, nullptr)) {}
    asks& operator=(asks&&) = delete;
    ~asks() {
      if (of != nullptr) {
        EXPECT_EQ(this_task::runtime(), of);
      }
    }
    void operator()() const {}
  };
  rt_.async(asks(rt_)).get();
}

INSTANTIATE_TEST_SUITE_P(workers, this_task_of, testing::Values(1, 2, 3, 8),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::this_task_test
