// Coroutines that go to and fro between two runtimes: from either side, for nobody waits; refused
// where a worker would be kept waiting in a cycle.
#include <gtest/gtest.h>

#include <evencube/coroutine.hpp>
#include <evencube/error.hpp>
#include <evencube/evencube.hpp>
#include <latch>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::hopping_coroutines_test {
namespace {

task<int> to_and_fro(runtime& here, runtime& there, int times) {
  int visits = 0;
  for (int i = 0; i < times; ++i) {
    co_await here.schedule();
    ++visits;
    co_await there.schedule();
    ++visits;
  }
  co_return visits;
}

task<int> asks(runtime& other) {
  co_return 1 + co_await other.async([] { return 1; });
}

// Calls `body` on one worker of `rt` while all its others block, so that what `body` starts is not
// done before `body` waits for it.
template <class Body>
void run_alone(runtime& rt, Body body) {
  rt.run([&] {
    std::latch blocked(rt.workers() - 1);
    std::latch done(1);
    task_group others;
    for (unsigned k = 1; k < rt.workers(); ++k) {
      others.spawn([&] {
        const blocking_scope scope;
        blocked.count_down();
        done.wait();
      });
    }
    blocking([&] { blocked.wait(); });
    body();
    done.count_down();
    others.wait();
  });
}

class hopping_coroutines : public testing::TestWithParam<std::pair<unsigned, unsigned>> {
 protected:
  runtime a_{{.workers = GetParam().first}};
  runtime b_{{.workers = GetParam().second}};
  test::deadline deadline_{a_};
};

TEST_P(hopping_coroutines, are_started_in_either_runtime) {
  EXPECT_EQ(start(a_, to_and_fro(a_, b_, 100)).get(), 200);
  EXPECT_EQ(start(b_, to_and_fro(a_, b_, 100)).get(), 200);
  EXPECT_EQ(start(a_, asks(b_)).get(), 2);
  EXPECT_EQ(start(b_, asks(a_)).get(), 2);
}

TEST_P(hopping_coroutines, go_both_ways_at_once) {
  for (int round = 0; round < test::repetitions(10); ++round) {
    std::vector<future<int>> started;
    for (int i = 0; i < 20; ++i) {
      started.push_back(start(a_, to_and_fro(b_, a_, 10)));
      started.push_back(start(b_, to_and_fro(a_, b_, 10)));
    }
    for (future<int>& one : started) EXPECT_EQ(one.get(), 20);
    deadline_.renew();
  }
}

TEST_P(hopping_coroutines, are_not_waited_for_inside_once_both_ways_are_known) {
  EXPECT_EQ(start(a_, to_and_fro(a_, b_, 1)).get(), 2);
  EXPECT_EQ(start(b_, to_and_fro(a_, b_, 1)).get(), 2);
  future<int> outside = start(a_, to_and_fro(a_, b_, 10));
  run_alone(
      a_, [&] { EXPECT_THROW(static_cast<void>(start(a_, to_and_fro(a_, b_, 10)).get()), error); });
  EXPECT_EQ(outside.get(), 20);
  run_alone(
      b_, [&] { EXPECT_THROW(static_cast<void>(start(b_, to_and_fro(a_, b_, 1)).get()), error); });
}

TEST_P(hopping_coroutines, go_one_way_where_they_are_waited_for_inside) {
  run_alone(a_, [&] { EXPECT_EQ(start(a_, to_and_fro(a_, b_, 10)).get(), 20); });
  EXPECT_THROW(static_cast<void>(start(b_, to_and_fro(a_, b_, 1)).get()), error);
  EXPECT_EQ(start(a_, to_and_fro(a_, b_, 10)).get(), 20);
}

TEST_P(hopping_coroutines, are_forgotten_with_their_runtime) {
  for (int i = 0; i < 3; ++i) {
    runtime c{{.workers = 1}};
    EXPECT_EQ(start(a_, to_and_fro(a_, c, 1)).get(), 2);
    EXPECT_EQ(start(c, to_and_fro(a_, c, 1)).get(), 2);
  }
  runtime d{{.workers = 1}};
  EXPECT_EQ(start(a_, to_and_fro(a_, d, 1)).get(), 2);
  a_.run([&] { EXPECT_EQ(start(a_, to_and_fro(a_, d, 1)).get(), 2); });
}

INSTANTIATE_TEST_SUITE_P(workers, hopping_coroutines,
                         testing::Values(std::pair{1U, 1U}, std::pair{1U, 2U}, std::pair{3U, 2U},
                                         std::pair{8U, 8U}, std::pair{64U, 5U}),
                         [](const auto& c) {
                           return std::to_string(c.param.first) + "_and_" +
                                  std::to_string(c.param.second) + "_workers";
                         });

}  // namespace
}  // namespace evencube::hopping_coroutines_test
