// A task of one runtime calls another one, whose task calls the first again. Nobody waits for
// himself, but all workers of the first may sit in waits for the second: they hung one time in
// three.
#include <gtest/gtest.h>

#include <atomic>
#include <evencube/evencube.hpp>
#include <string>
#include <utility>
#include <vector>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube {
namespace {

// Workers of the first and of the second.
class calling_one_another : public testing::TestWithParam<std::pair<unsigned, unsigned>> {
 protected:
  template <typename Program>
  void repeat(int usual, const Program& program) {
    const unsigned most = std::max(a_.workers(), b_.workers());
    for (int n = test::repetitions(most > 8 ? usual / 10 : usual); n > 0; --n) {
      ASSERT_EQ(program(), 7);
      deadline_.renew();
    }
  }

  runtime a_{{.workers = GetParam().first}};
  runtime b_{{.workers = GetParam().second}};
  test::deadline deadline_{{&a_, &b_}};
};

TEST_P(calling_one_another, by_futures) {
  repeat(500, [&] {
    return a_
        .async([&] { return b_.async([&] { return a_.async([] { return 7; }).get(); }).get(); })
        .get();
  });
}

TEST_P(calling_one_another, by_futures_inside_run) {
  repeat(500, [&] {
    return a_.run([&] { return b_.async([&] { return a_.async([] { return 7; }).get(); }).get(); });
  });
}

TEST_P(calling_one_another, by_run) {
  repeat(500,
         [&] { return a_.run([&] { return b_.run([&] { return a_.run([] { return 7; }); }); }); });
}

TEST_P(calling_one_another, by_groups) {
  repeat(500, [&] {
    std::atomic<int> result{0};
    task_group outermost(a_);
    outermost.spawn([&] {
      task_group middle(b_);
      middle.spawn([&] {
        task_group innermost(a_);
        innermost.spawn([&] { result = 7; });
        innermost.wait();
      });
      middle.wait();
    });
    outermost.wait();
    return result.load();
  });
}

// As many as there are workers, and more, so that all of them sit in waits.
TEST_P(calling_one_another, by_many_tasks_at_once) {
  repeat(100, [&] {
    const unsigned tasks = 2 * a_.workers() + 1;
    std::vector<future<int>> made;
    for (unsigned i = 0; i < tasks; ++i) {
      made.push_back(a_.async([&] {
        return b_
            .async([&] { return a_.async([&] { return b_.async([] { return 7; }).get(); }).get(); })
            .get();
      }));
    }
    int result = 7;
    for (auto& f : made) {
      if (f.get() != 7) result = 0;
    }
    return result;
  });
}

INSTANTIATE_TEST_SUITE_P(of, calling_one_another,
                         testing::Values(std::pair{1U, 1U}, std::pair{1U, 2U}, std::pair{2U, 1U},
                                         std::pair{2U, 2U}, std::pair{3U, 5U}, std::pair{4U, 4U},
                                         std::pair{8U, 8U}, std::pair{64U, 3U}),
                         [](const auto& c) {
                           return std::to_string(c.param.first) + "_and_" +
                                  std::to_string(c.param.second) + "_workers";
                         });

}  // namespace
}  // namespace evencube
