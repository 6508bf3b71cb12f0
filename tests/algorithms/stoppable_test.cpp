#include <atomic>
#include <cstddef>
#include <evencube/algorithms.hpp>
#include <forward_list>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "support.hpp"

namespace evencube::stoppable_test {
namespace {

using stoppable_loops = test::on_workers;

/// A token that says so from the beginning.
std::stop_token stopped_already() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

// What nobody stops is what it is without a token.
TEST_P(stoppable_loops, do_everything_if_nobody_stops_them) {
  const std::stop_source source;
  for (const std::stop_token& token : {std::stop_token(), source.get_token()}) {
    std::vector<std::atomic<int>> calls(5000);
    const auto call = [&](std::size_t i) { ++calls[i]; };
    ASSERT_EQ(parallel_for(on(rt_, token), 0U, calls.size(), call), wait_status::completed);
    ASSERT_EQ(parallel_for(on(rt_, token), 0U, calls.size(), call, loop_options{.grain = 7}),
              wait_status::completed);
    ASSERT_EQ(parallel_for_blocks(on(rt_, token), std::size_t{0}, calls.size(),
                                  [&](std::size_t first, std::size_t last) {
                                    for (; first != last; ++first) call(first);
                                  }),
              wait_status::completed);
    ASSERT_EQ(parallel_for(on(rt_, token), blocked_range<std::size_t>(0, calls.size()),
                           [&](const auto& block) {
                             for (std::size_t i = block.begin(); i < block.end(); ++i) call(i);
                           }),
              wait_status::completed);
    ASSERT_EQ(parallel_for(on(rt_, token), calls, [](std::atomic<int>& n) { ++n; }),
              wait_status::completed);
    ASSERT_EQ(parallel_for_each(on(rt_, token), calls, [](std::atomic<int>& n) { ++n; }),
              wait_status::completed);
    for (const auto& n : calls) ASSERT_EQ(n, 6);

    std::forward_list<int> list{1, 2, 3};
    std::atomic<int> sum{0};
    ASSERT_EQ(parallel_for_each(on(rt_, token), list, [&](int n) { sum += n; }),
              wait_status::completed);
    ASSERT_EQ(sum, 6);
    ASSERT_EQ(parallel_for_each(on(rt_, token), list,
                                [&](int n, feeder<int>& feed) {
                                  sum += n;
                                  if (n > 1) feed.add(n - 1);
                                }),
              wait_status::completed);
    ASSERT_EQ(sum, 6 + 1 + 3 + 6);
    ASSERT_EQ(parallel_for(on(rt_, token), 5, 3, [](int) { FAIL(); }), wait_status::completed);
  }
}

TEST_P(stoppable_loops, reduce_in_order_if_nobody_stops_them) {
  const std::stop_source source;
  const std::stop_token token = source.get_token();
  const auto concatenate = [](std::vector<int> a, std::vector<int> b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const auto one = [](int i) { return std::vector<int>{i}; };
  std::vector<int> expected(3000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(parallel_reduce(on(rt_, token), 0, 3000, std::vector<int>(), one, concatenate),
            expected);
  EXPECT_EQ(parallel_reduce(on(rt_, token), expected, std::vector<int>(), one, concatenate,
                            loop_options{.grain = 3}),
            expected);
  EXPECT_EQ(parallel_reduce(
                on(rt_, token), blocked_range<int>(0, 3000), std::vector<int>(),
                [&](const auto& block, std::vector<int> so_far) {
                  for (int i = block.begin(); i < block.end(); ++i) so_far.push_back(i);
                  return so_far;
                },
                concatenate),
            expected);
  // A value that can only be moved.
  const auto owned = parallel_reduce(
      on(rt_, token), 0, 100, std::unique_ptr<int>(),
      [](int i) { return std::make_unique<int>(i); },
      [](std::unique_ptr<int> a, std::unique_ptr<int> b) {
        if (a == nullptr) return b;
        *a += *b;
        return a;
      });
  ASSERT_TRUE(owned.has_value() && *owned != nullptr);
  EXPECT_EQ(**owned, 4950);
  EXPECT_EQ(parallel_find_if(rt_, token, expected, [](int i) { return i >= 2000; }),
            expected.begin() + 2000);
  EXPECT_EQ(parallel_find_if(rt_, token, expected, [](int i) { return i < 0; }), expected.end());
}

// As without a token, and as without a runtime.
TEST_P(stoppable_loops, take_options_in_braces) {
  const std::stop_token token;
  const loop_options named{.grain = 16};
  std::vector<std::atomic<int>> calls(100);
  const auto call = [&](std::size_t i) { ++calls[i]; };
  const auto blocks = [&](std::size_t first, std::size_t last) {
    for (; first != last; ++first) call(first);
  };
  const auto count = [](std::atomic<int>& n) { ++n; };
  ASSERT_EQ(parallel_for(on(rt_, token), 0U, calls.size(), call, {.grain = 7}),
            wait_status::completed);
  ASSERT_EQ(parallel_for(on(rt_, token), 0U, calls.size(), call, named), wait_status::completed);
  ASSERT_EQ(parallel_for_blocks(on(rt_, token), 0U, calls.size(), blocks, {.grain = 7}),
            wait_status::completed);
  ASSERT_EQ(parallel_for(on(rt_, token), calls.begin(), calls.end(), count, {.grain = 7}),
            wait_status::completed);
  ASSERT_EQ(parallel_for(on(rt_, token), calls, count, {.grain = 7}), wait_status::completed);
  ASSERT_EQ(parallel_for(on(rt_, token), calls, count, named), wait_status::completed);
  for (const auto& n : calls) ASSERT_EQ(n, 6);

  std::vector<int> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto itself = [](int i) { return i; };
  const std::plus<> add;
  EXPECT_EQ(parallel_reduce(on(rt_, token), 0, 100, 0, itself, add, {.grain = 7}), 4950);
  EXPECT_EQ(parallel_reduce(on(rt_, token), 0, 100, 0, itself, add, named), 4950);
  EXPECT_EQ(parallel_reduce(on(rt_, token), numbers.begin(), numbers.end(), 0, itself, add, {}),
            4950);
  EXPECT_EQ(parallel_reduce(on(rt_, token), numbers, 0, itself, add, {.grain = 7}), 4950);
  EXPECT_EQ(parallel_reduce(on(rt_, token), numbers, 0, itself, add, named), 4950);
}

TEST_P(stoppable_loops, begin_nothing_once_they_are_stopped) {
  const std::stop_token token = stopped_already();
  std::vector<int> elements(1000);
  const std::forward_list<int> list{1, 2, 3};
  const auto never = [](int) { FAIL(); };
  EXPECT_EQ(parallel_for(on(rt_, token), 0, 1000, never), wait_status::stopped);
  EXPECT_EQ(parallel_for(on(rt_, token), 0, 1, never), wait_status::stopped);
  EXPECT_EQ(parallel_for(on(rt_, token), 0, 10, [](int, int) { FAIL(); }), wait_status::stopped);
  EXPECT_EQ(parallel_for(on(rt_, token), elements, never), wait_status::stopped);
  EXPECT_EQ(parallel_for(on(rt_, token), blocked_range<int>(0, 10), [](const auto&) { FAIL(); }),
            wait_status::stopped);
  EXPECT_EQ(parallel_for_each(on(rt_, token), elements, never), wait_status::stopped);
  EXPECT_EQ(parallel_for_each(on(rt_, token), list, never), wait_status::stopped);
  EXPECT_EQ(parallel_for_each(on(rt_, token), list, [](int, feeder<int>&) { FAIL(); }),
            wait_status::stopped);
  const auto plus = [](int a, int b) { return a + b; };
  const auto fails = [](int) {
    ADD_FAILURE();
    return 0;
  };
  EXPECT_EQ(parallel_reduce(on(rt_, token), 0, 1000, 0, fails, plus), std::nullopt);
  EXPECT_EQ(parallel_reduce(on(rt_, token), elements, 0, fails, plus), std::nullopt);
  EXPECT_EQ(parallel_find_if(rt_, token, elements, [](int) { return true; }), std::nullopt);
  // Where there is nothing to do nothing is left out.
  EXPECT_EQ(parallel_for(on(rt_, token), 0, 0, never), wait_status::completed);
  EXPECT_EQ(parallel_reduce(on(rt_, token), 3, 3, 5, fails, plus), 5);
}

// The loop would never end by itself in any time that a test has.
TEST_P(stoppable_loops, end_within_a_chunk) {
  constexpr std::size_t endless = std::size_t{1} << 62;
  std::stop_source source;
  const std::stop_token token = source.get_token();
  std::atomic<std::size_t> calls{0};
  EXPECT_EQ(parallel_for(on(rt_, token), std::size_t{0}, endless,
                         [&](std::size_t) {
                           if (++calls == 10'000) source.request_stop();
                         }),
            wait_status::stopped);
  EXPECT_GE(calls, 10'000U);

  std::stop_source outside;
  std::atomic<bool> begun{false};
  std::thread stops([&] {
    while (!begun) std::this_thread::yield();
    outside.request_stop();
  });
  EXPECT_EQ(parallel_reduce(
                rt_, outside.get_token(), std::size_t{0}, endless, std::size_t{0},
                [&](std::size_t i) {
                  begun = true;
                  return i;
                },
                [](std::size_t a, std::size_t b) { return a ^ b; }),
            std::nullopt);
  stops.join();

  // Fed for ever.
  std::stop_source feeding;
  std::atomic<int> fed{0};
  const std::vector<int> seeds{1, 2, 3};
  EXPECT_EQ(parallel_for_each(on(rt_, feeding.get_token()), seeds,
                              [&](int n, feeder<int>& feed) {
                                if (++fed == 1000) feeding.request_stop();
                                feed.add(n);
                              }),
            wait_status::stopped);
}

TEST_P(stoppable_loops, are_stopped_by_the_group_whose_token_they_have) {
  task_group group(rt_);
  const std::stop_token token = group.stop_token();
  std::optional<wait_status> ended;
  group.spawn([&] {
    ended = parallel_for(token, std::size_t{0}, std::size_t{1} << 62, [&](std::size_t i) {
      if (i == 100) group.request_stop();
    });
  });
  EXPECT_EQ(group.wait(), wait_status::stopped);
  EXPECT_EQ(ended, wait_status::stopped);
}

// One inside another: each ends by its own token alone.
TEST_P(stoppable_loops, nest) {
  const std::stop_token inner = stopped_already();
  std::atomic<int> stopped{0};
  EXPECT_EQ(parallel_for(rt_, std::stop_token(), 0, 100,
                         [&](int) {
                           if (parallel_for(inner, 0, 10, [](int) {}) == wait_status::stopped) {
                             ++stopped;
                           }
                         }),
            wait_status::completed);
  EXPECT_EQ(stopped, 100);
}

TEST_P(stoppable_loops, throw_what_the_body_throws) {
  const std::stop_source source;
  const auto throws = [](int i) {
    if (i == 500) throw std::runtime_error("!");
  };
  EXPECT_THROW(static_cast<void>(parallel_for(on(rt_, source.get_token()), 0, 1000, throws)),
               std::runtime_error);
  EXPECT_THROW(static_cast<void>(parallel_for_each(on(rt_, source.get_token()),
                                                   std::forward_list<int>{500}, throws)),
               std::runtime_error);
  EXPECT_THROW(static_cast<void>(parallel_for(std::stop_token(), 0, 10, [](int) {})), error);
}

INSTANTIATE_TEST_SUITE_P(workers, stoppable_loops, testing::Values(1U, 2U, 3U, 8U),
                         test::workers_name);

}  // namespace
}  // namespace evencube::stoppable_test
