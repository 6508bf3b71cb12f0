// Workers whose tasks make successors of themselves for as long as something else has not begun:
// whatever nobody else would come to they take in turn.
#include <gtest/gtest.h>

#include <atomic>
#include <evencube/blocking.hpp>
#include <evencube/evencube.hpp>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <tuple>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::endless_work_test {
namespace {

class endless_work : public testing::TestWithParam<std::tuple<unsigned, const char*>> {
 protected:
  // A task on each worker but worker 0, which is followed by others until `end` is set. Returns
  // when all have begun.
  void begin_work(task_group& group) {
    const auto begun = std::make_shared<std::latch>(workers_ - 1);
    for (unsigned k = 1; k < workers_; ++k) {
      group.spawn(
          [this, &group, begun] {
            // None of them can take the place of another.
            begun->arrive_and_wait();
            renew(group);
          },
          {.home = k});
    }
    blocking([&] { begun->wait(); });
  }
  void renew(task_group& group) {
    if (!end) group.spawn([this, &group] { renew(group); });
  }
  // Calls body(group) on one worker while the others do such work, again and again.
  template <typename Body>
  void beside_work(int rounds, Body body) {
    for (int round = 0; round < rounds; ++round) {
      end = false;
      rt_.run([&] {
        task_group group;
        begin_work(group);
        body(group);
        end = true;
        group.wait();
      });
      deadline_.renew();
    }
  }

  unsigned workers_ = std::get<0>(GetParam());
  runtime rt_{{.workers = workers_, .balancer = std::get<1>(GetParam())}};
  test::deadline deadline_{rt_};
  std::atomic<bool> end{false};
};

TEST_P(endless_work, lets_tasks_from_outside_begin) {
  for (int round = 0; round < test::repetitions(2); ++round) {
    end = false;
    std::latch begun(1);
    std::thread inside([&] {
      rt_.run([&] {
        task_group group;
        begin_work(group);
        begun.count_down();
        group.wait();
      });
    });
    begun.wait();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(rt_.async([i] { return i; }).get(), i);
    rt_.async([this] { end = true; }).get();
    inside.join();
    deadline_.renew();
  }
}

// One at a time: of several that move at once, one may come to lie beneath those that go on for
// ever. So may a single one with `locality`, whose rounds put older tasks beneath newer ones.
using endless_work_and_one_task = endless_work;

TEST_P(endless_work_and_one_task, lets_begin_what_a_worker_left_that_blocks) {
  beside_work(test::repetitions(10), [](task_group& group) {
    const auto ran = std::make_shared<std::latch>(1);
    group.spawn([ran] { ran->count_down(); });
    blocking([&ran] { ran->wait(); });
  });
}

TEST_P(endless_work, lets_begin_what_is_sent_to_a_worker_that_blocks) {
  beside_work(test::repetitions(2), [this](task_group&) {
    for (int i = 0; i < 10; ++i) {
      blocking([&] { EXPECT_EQ(rt_.async([i] { return i; }, {.home = 0U}).get(), i); });
    }
  });
}

std::string name_of(const testing::TestParamInfo<std::tuple<unsigned, const char*>>& c) {
  return std::to_string(std::get<0>(c.param)) + "_" + std::get<1>(c.param);
}
const auto workers = testing::Values(2U, 3U, 8U);

INSTANTIATE_TEST_SUITE_P(on, endless_work,
                         testing::Combine(workers, testing::Values("oem", "random_stealing",
                                                                   "locality", "none")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(on, endless_work_and_one_task,
                         testing::Combine(workers,
                                          testing::Values("oem", "random_stealing", "none")),
                         name_of);

}  // namespace
}  // namespace evencube::endless_work_test
