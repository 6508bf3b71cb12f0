// Pipelines: every value passes every stage once, serial stages see one at a time and, where that
// is wished, in order; no more values are under way than there are tokens; an exception ends it;
// one worker is enough.
#include <atomic>
#include <evencube/parallel_pipeline.hpp>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/repetitions.hpp"
#include "support.hpp"

namespace evencube::pipeline_test {
namespace {

using pipelines = test::on_workers;

/// Gives 0 to n - 1.
auto count_to(int n) {
  return [n, i = 0]() mutable { return i < n ? std::optional<int>(i++) : std::nullopt; };
}

TEST_P(pipelines, keep_the_order_where_it_is_wished) {
  for (const std::size_t tokens : {1U, 2U, 7U, 64U}) {
    std::vector<int> out;
    const auto status = parallel_pipeline(
        rt_, tokens, count_to(2000), parallel_stage([](int i) { return 2 * i; }),
        serial_in_order([last = -2](int i) mutable {
          EXPECT_EQ(i, std::exchange(last, i) + 2);
          return i;
        }),
        parallel_stage([](int i) { return std::to_string(i / 2); }),
        serial_in_order([&](const std::string& text) { out.push_back(std::stoi(text)); }));
    EXPECT_EQ(status, wait_status::completed);
    std::vector<int> expected(2000);
    std::iota(expected.begin(), expected.end(), 0);
    ASSERT_EQ(out, expected);
    deadline_.renew();
  }
}

TEST_P(pipelines, call_serial_stages_one_at_a_time_and_have_no_more_values_than_tokens) {
  constexpr int tokens = 5;
  std::atomic<int> inside{0};
  std::atomic<int> under_way{0};
  std::atomic<int> most{0};
  std::vector<int> seen(3000, 0);
  rt_.run([&] {
    parallel_pipeline(
        tokens,
        [&, i = 0]() mutable -> std::optional<int> {
          if (i == 3000) return std::nullopt;
          const int now = ++under_way;
          most = std::max(most.load(), now);  // one call at a time
          return i++;
        },
        parallel_stage([](int i) { return std::make_unique<int>(i); }),
        serial_out_of_order([&](std::unique_ptr<int> i) {
          EXPECT_EQ(++inside, 1);
          ++seen[static_cast<std::size_t>(*i)];
          --inside;
          return i;
        }),
        parallel_stage([&](std::unique_ptr<int>) { --under_way; }));
  });
  EXPECT_LE(most, tokens);
  for (const int count : seen) ASSERT_EQ(count, 1);
}

TEST_P(pipelines, may_have_nothing_to_do) {
  int calls = 0;
  EXPECT_EQ(parallel_pipeline(rt_, 3, count_to(0), parallel_stage([&](int) { ++calls; })),
            wait_status::completed);
  EXPECT_EQ(calls, 0);
  EXPECT_THROW(parallel_pipeline(rt_, 0, count_to(1), parallel_stage([](int) {})),
               std::invalid_argument);
  EXPECT_THROW(parallel_pipeline(rt_, ~std::size_t{0}, count_to(1), parallel_stage([](int) {})),
               std::invalid_argument);
}

TEST_P(pipelines, end_with_an_exception_of_any_stage) {
  for (int thrower = 0; thrower < 4; ++thrower) {
    for (int n = test::repetitions(30); n > 0; --n) {
      const auto held = std::make_shared<int>(0);
      const auto at = [&](int stage, int i) {
        if (stage == thrower && i == 100) throw std::runtime_error("at 100");
      };
      const auto run = [&] {
        parallel_pipeline(
            4,
            [&, i = 0]() mutable -> std::optional<std::pair<int, std::shared_ptr<int>>> {
              at(0, i);
              return std::pair(i++, held);
            },
            parallel_stage([&](auto value) {
              at(1, value.first);
              return value;
            }),
            serial_out_of_order([&](auto value) {
              at(2, value.first);
              return value;
            }),
            serial_in_order([&](auto value) { at(3, value.first); }));
      };
      EXPECT_THROW(rt_.run(run), std::runtime_error);
      ASSERT_EQ(held.use_count(), 1);
      deadline_.renew();
    }
  }
}

TEST_P(pipelines, run_within_one_another) {
  std::atomic<int> sum{0};
  parallel_pipeline(rt_, 3, count_to(20), parallel_stage([&](int) {
                      parallel_pipeline(2, count_to(20), serial_in_order([](int i) { return i; }),
                                        parallel_stage([&](int i) { sum += i; }));
                    }));
  EXPECT_EQ(sum, 20 * 190);
}

TEST_P(pipelines, are_stopped_with_the_group_above) {
  task_group group(rt_);
  std::atomic<int> calls{0};
  group.spawn([&] {
    EXPECT_EQ(parallel_pipeline(
                  2, [i = 0]() mutable { return std::optional<int>(i++); },  // without end
                  serial_in_order([&](int i) {
                    ++calls;
                    if (i == 50) group.request_stop();
                  })),
              wait_status::stopped);
  });
  EXPECT_EQ(group.wait(), wait_status::stopped);
  EXPECT_GE(calls, 51);
}

TEST_P(pipelines, are_refused_to_who_holds_the_runtime) {
  int calls = 0;
  {
    const auto held = rt_.hold();
    EXPECT_THROW(parallel_pipeline(rt_, 2, count_to(3), serial_in_order([&](int) { ++calls; })),
                 error);
  }
  EXPECT_EQ(calls, 0);
}

INSTANTIATE_TEST_SUITE_P(on, pipelines, testing::Values(1, 2, 3, 8), test::workers_name);

}  // namespace
}  // namespace evencube::pipeline_test
