// Runtimes that call one another, each with few workers: a worker that waits for a task of another
// runtime is still there for its own, which that task may need.
#include <gtest/gtest.h>

#include <atomic>
#include <evencube/evencube.hpp>
#include <string>

#include "deadline.hpp"

namespace evencube {
namespace {

class inside_another : public testing::TestWithParam<unsigned> {
 protected:
  runtime outer_{{.workers = GetParam()}};
  runtime inner_{{.workers = GetParam()}};
  test::deadline deadline_{outer_};
};

TEST_P(inside_another, runs_give_their_results) {
  const int result = outer_.run([&] {
    return inner_.run([&] {
      return outer_.run([&] {
        const unsigned here = this_worker();
        return inner_.run([&] { return outer_.run([&] { return this_worker() <= here + 64; }); })
                   ? 7
                   : 0;
      });
    });
  });
  EXPECT_EQ(result, 7);
}

TEST_P(inside_another, groups_and_futures_end) {
  constexpr int tasks = 10'000;  // more than may wait for a worker
  std::atomic<int> ran{0};
  outer_.run([&] {
    task_group made_here;
    inner_.run([&] {
      task_group group(outer_);
      for (int i = 0; i < tasks; ++i) group.spawn([&] { ++ran; });
      group.wait();
      EXPECT_EQ(ran, tasks);
      EXPECT_EQ(outer_.async([] { return 5; }).get(), 5);
      made_here.spawn([&] { ++ran; });
      EXPECT_THROW(made_here.wait(), error);  // another task made it
    });
    made_here.wait();
  });
  EXPECT_EQ(ran, tasks + 1);
}

TEST_P(inside_another, a_task_knows_whose_it_is) {
  outer_.run([&] {
    inner_.run([&] {
      outer_.async([&] { EXPECT_THROW(static_cast<void>(outer_.hold()), error); }).get();
      EXPECT_THROW(static_cast<void>(inner_.hold()), error);
      EXPECT_EQ(outer_.hold().loads().size(), outer_.workers());
    });
    const hold_guard still = inner_.hold();
    EXPECT_EQ(still.loads().size(), inner_.workers());
  });
}

INSTANTIATE_TEST_SUITE_P(workers, inside_another, testing::Values(1, 2, 5),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube
