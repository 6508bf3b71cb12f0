// A task of one runtime waits for another one's, which waits for the first: all workers of both may
// then sit in waits for one another, though no task waits for itself. They hung one time in three;
// now the wait that would close the cycle is refused, whoever comes first.
#include <gtest/gtest.h>

#include <atomic>
#include <evencube/evencube.hpp>
#include <string>
#include <utility>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::regression_runtimes_calling_one_another_test {
namespace {

// Workers of the first and of the second.
class calling_one_another : public testing::TestWithParam<std::pair<unsigned, unsigned>> {
 protected:
  runtime a_{{.workers = GetParam().first}};
  runtime b_{{.workers = GetParam().second}};
  test::deadline deadline_{{&a_, &b_}};
};

TEST_P(calling_one_another, one_way_ends) {
  for (int n = test::repetitions(50); n > 0; --n) {
    std::vector<future<int>> made;
    for (unsigned i = 0; i < 2 * a_.workers() + 1; ++i) {
      made.push_back(a_.async([&] {
        task_group group(b_);
        group.spawn([] {});
        group.wait();
        return b_.async([] { return 3; }).get() + b_.run([] { return 4; });
      }));
    }
    for (auto& f : made) ASSERT_EQ(f.get(), 7);
    deadline_.renew();
  }
}

TEST_P(calling_one_another, is_refused_by_every_way_to_wait) {
  for (int n = test::repetitions(20); n > 0; --n) {
    future<int> of_a = a_.async([] { return 7; });
    a_.async([&] {
        b_.run([&] {
          EXPECT_THROW(a_.run([] {}), error);
          EXPECT_THROW(task_group{a_}, error);
          future<int> made = a_.async([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return 1;
          });
          try {
            made.wait();  // unless it has ended
          } catch (const error&) {
          }
        });
      }).get();
    EXPECT_EQ(of_a.get(), 7);
    deadline_.renew();
  }
}

TEST_P(calling_one_another, is_refused_from_the_other_side_if_that_came_first) {
  b_.run([&] { EXPECT_EQ(a_.run([] { return 7; }), 7); });
  a_.run([&] { EXPECT_THROW(b_.run([] {}), error); });
}

TEST_P(calling_one_another, is_forgotten_with_the_runtime) {
  {
    runtime c{{.workers = 1}};
    a_.run([&] { c.run([] {}); });
    b_.run([&] { a_.run([] {}); });
    c.run([&] { EXPECT_THROW(b_.run([] {}), error); });
  }
  runtime d{{.workers = 1}};
  d.run([&] { EXPECT_EQ(b_.run([&] { return a_.run([] { return 7; }); }), 7); });
}

INSTANTIATE_TEST_SUITE_P(workers, calling_one_another,
                         testing::Values(std::pair{1U, 1U}, std::pair{1U, 2U}, std::pair{2U, 2U},
                                         std::pair{3U, 2U}, std::pair{8U, 8U}),
                         [](const auto& c) {
                           return std::to_string(c.param.first) + "_and_" +
                                  std::to_string(c.param.second) + "_workers";
                         });

}  // namespace
}  // namespace evencube::regression_runtimes_calling_one_another_test
