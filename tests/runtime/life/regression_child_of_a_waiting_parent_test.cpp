// A forked child used to hang in the destructor of the runtime when a thread of the parent was
// waiting for it at the fork: that thread is not in the child, but what it waited on was destroyed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <evencube/evencube.hpp>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "deadline.hpp"
#include "platform_here.hpp"
#include "repetitions.hpp"
#include "threads_of_process.hpp"

namespace evencube::regression_child_of_a_waiting_parent_test {
namespace {

constexpr int all_well = 7;
constexpr unsigned patience = 60;  // seconds until a child that hangs is ended

/// What a child in which `body` runs leaves: its exit code, or 128 + the signal that ended it.
template <typename Body>
int status_of_child(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(patience);
    body();
    ::_exit(all_well);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class child_of_a_waiting_parent : public testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override {
    if (!test::follows_forks()) GTEST_SKIP() << "the platform follows no forks";
  }
  /// Forks while `wait` waits, in a thread of its own, for what ends when `go_` is set. The child
  /// drops everything it has of the runtime.
  template <typename Wait, typename Drop>
  void fork_while(const Wait& wait, const Drop& drop) {
    std::atomic<bool> waits{false};
    std::jthread waiter([&] {
      waits = true;
      wait();
    });
    while (!waits) std::this_thread::yield();
    test::until_others_sleep();
    const int status = status_of_child([&] {
      drop();
      rt_.reset();
    });
    go_ = true;
    go_.notify_all();
    EXPECT_EQ(status, all_well);
  }
  [[nodiscard]] auto lasting() {
    return [this] {
      go_.wait(false);
      return 3;
    };
  }

  std::unique_ptr<runtime> rt_ = std::make_unique<runtime>(runtime_options{.workers = GetParam()});
  std::atomic<bool> go_{false};
  test::deadline deadline_{*rt_, std::chrono::seconds{120}};
};

TEST_P(child_of_a_waiting_parent, in_get) {
  auto f = std::make_unique<future<int>>(rt_->async(lasting()));
  fork_while([&] { EXPECT_EQ(f->get(), 3); }, [&] { f.release(); });
}

TEST_P(child_of_a_waiting_parent, in_the_wait_for_a_future) {
  auto f = std::make_unique<future<int>>(rt_->async(lasting()));
  fork_while([&] { f->wait(); }, [&] { f.reset(); });
}

TEST_P(child_of_a_waiting_parent, in_the_wait_for_a_group) {
  auto group = std::make_unique<task_group>(*rt_);
  group->spawn(lasting());
  fork_while([&] { group->wait(); }, [&] { group.reset(); });
}

TEST_P(child_of_a_waiting_parent, in_run_while_another_thread_is_worker_0) {
  std::atomic<bool> inside{false};
  std::jthread first([&] {
    rt_->run([&] {
      inside = true;
      lasting()();
    });
  });
  while (!inside) std::this_thread::yield();
  fork_while([&] { rt_->run(lasting()); }, [] {});
}

INSTANTIATE_TEST_SUITE_P(workers, child_of_a_waiting_parent, testing::Values(1, 2, 5),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::regression_child_of_a_waiting_parent_test
