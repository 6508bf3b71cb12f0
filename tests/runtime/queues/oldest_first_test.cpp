// Tasks that came to a worker together begin oldest first where they cost alike.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <evencube/evencube.hpp>
#include <mutex>
#include <optional>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::oldest_first_test {
namespace {

/// A bounded queue between tasks that block.
class channel {
 public:
  void push(int value) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return values_.size() < 8; });
    values_.push_back(value);
    changed_.notify_all();
  }
  std::optional<int> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !values_.empty(); });
    if (values_.empty()) return {};
    const int value = values_.front();
    values_.pop_front();
    changed_.notify_all();
    return value;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> values_;
  bool closed_ = false;
};

// The other worker takes the producer together with a consumer. It used to begin the consumer,
// which blocked both workers for ever.
TEST(oldest_first, a_producer_begins_before_the_consumers_taken_with_it) {
  runtime rt({.workers = 2});
  test::deadline deadline(rt);
  for (int i = test::repetitions(50); i-- > 0;) {
    channel between;
    std::atomic<int> sum{0};
    rt.run([&] {
      task_group group;
      group.spawn([&] {
        for (int value = 1; value <= 100; ++value) between.push(value);
        between.close();
      });
      for (int k = 0; k < 2; ++k) {
        group.spawn([&] {
          while (const auto value = between.pop()) sum += *value;
        });
      }
      group.wait();
    });
    ASSERT_EQ(sum, 5050);
    deadline.renew();
  }
}

TEST(oldest_first, tasks_that_were_sent_begin_in_the_order_in_which_they_were_sent) {
  runtime rt({.workers = 2, .balancer = "none"});
  test::deadline deadline(rt);
  std::atomic<bool> go{false};
  std::atomic<bool> busy{false};
  std::vector<int> begun;
  task_group group(rt);
  group.spawn(
      [&] {
        busy = true;
        busy.notify_all();
        go.wait(false);
      },
      {.home = 1});
  busy.wait(false);
  for (int i = 0; i < 100; ++i) group.spawn([&begun, i] { begun.push_back(i); }, {.home = 1});
  go = true;
  go.notify_all();
  group.wait();
  ASSERT_EQ(begun.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(begun[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace evencube::oldest_first_test
