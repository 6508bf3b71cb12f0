// A task of one runtime waits for tasks of another: one of its workers sleeps meanwhile, and is
// there for what its own runtime may have for it.
#include <gtest/gtest.h>

#include <atomic>
#include <evencube/evencube.hpp>
#include <string>

#include "deadline.hpp"

namespace evencube::regression_runtime_inside_runtime_test {
namespace {

class inside_another : public testing::TestWithParam<unsigned> {
 protected:
  runtime outer_{{.workers = GetParam()}};
  runtime inner_{{.workers = GetParam()}};
  test::deadline deadline_{outer_};
};

TEST_P(inside_another, runs_give_their_results) {
  EXPECT_EQ(outer_.run([&] { return inner_.run([&] { return inner_.run([] { return 7; }); }); }),
            7);
  EXPECT_EQ(outer_.run([&] { return outer_.run([&] { return inner_.run([] { return 7; }); }); }),
            7);
}

TEST_P(inside_another, groups_and_futures_end) {
  constexpr int tasks = 10'000;  // more than may wait for a worker
  std::atomic<int> ran{0};
  outer_.run([&] {
    task_group made_here;
    task_group group(inner_);
    for (int i = 0; i < tasks; ++i) group.spawn([&] { ++ran; });
    group.wait();
    EXPECT_EQ(ran, tasks);
    EXPECT_EQ(inner_.async([] { return 5; }).get(), 5);
    // Spawning into the outer one is no wait; and who waits there is woken by it.
    inner_
        .async([&] {
          made_here.spawn([&] { ++ran; });
          EXPECT_THROW(made_here.wait(), error);  // another task made it
        })
        .get();
    made_here.wait();
  });
  EXPECT_EQ(ran, tasks + 1);
}

TEST_P(inside_another, a_task_knows_whose_it_is) {
  outer_.run([&] {
    inner_.run([&] {
      EXPECT_THROW(static_cast<void>(inner_.hold()), error);
      EXPECT_EQ(outer_.hold().loads().size(), outer_.workers());
    });
    EXPECT_THROW(static_cast<void>(outer_.hold()), error);
    const hold_guard still = inner_.hold();
    EXPECT_EQ(still.loads().size(), inner_.workers());
  });
}

INSTANTIATE_TEST_SUITE_P(workers, inside_another, testing::Values(1, 2, 5),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::regression_runtime_inside_runtime_test
