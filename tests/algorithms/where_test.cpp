// The first argument of loops and reductions: where they run and until when.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <evencube/algorithms.hpp>
#include <evencube/evencube.hpp>
#include <functional>
#include <list>
#include <numeric>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <vector>

#include "runtime/deadline.hpp"

namespace {

using evencube::arena;
using evencube::on;
using evencube::parallel_deterministic_reduce;
using evencube::parallel_for;
using evencube::parallel_for_blocks;
using evencube::parallel_for_each;
using evencube::parallel_reduce;
using evencube::parallel_reduce_blocks;
using evencube::runtime;
using evencube::wait_status;

evencube::runtime_options workers(unsigned n) {
  evencube::runtime_options options;
  options.workers = n;
  return options;
}

/// Counts the calls, and how many of them run at once.
class counting {
 public:
  void operator()(int) const {
    const int now = running_.fetch_add(1) + 1;
    int seen = most_.load();
    while (seen < now && !most_.compare_exchange_weak(seen, now)) {
    }
    calls_.fetch_add(1);
    running_.fetch_sub(1);
  }
  [[nodiscard]] int calls() const { return calls_.exchange(0); }
  [[nodiscard]] int most() const { return most_.load(); }

 private:
  mutable std::atomic<int> running_{0};
  mutable std::atomic<int> most_{0};
  mutable std::atomic<int> calls_{0};
};

class places : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{workers(GetParam())};
  evencube::test::deadline deadline_{rt_};
  arena lane_{rt_, {.workers = 1}};
  std::stop_source source_;
  std::vector<int> numbers_ = [] {
    std::vector<int> made(1000);
    std::iota(made.begin(), made.end(), 0);
    return made;
  }();
};

// Every form, in any place: nothing is returned without a token, and `completed` with one.
TEST_P(places, are_taken_by_every_form_of_a_loop) {
  const counting call;
  const auto blocks = [&](int first, int last) {
    for (int i = first; i < last; ++i) call(i);
  };
  const auto range = [&](const evencube::blocked_range<int>& block) {
    blocks(block.begin(), block.end());
  };
  const std::list<int> list(numbers_.begin(), numbers_.end());
  const auto all = [&](auto&& where) {
    const auto check = [&](auto&& loop) {
      if constexpr (std::is_void_v<decltype(loop())>) {
        loop();
      } else {
        EXPECT_EQ(loop(), wait_status::completed);
      }
      EXPECT_EQ(call.calls(), 1000);
    };
    check([&] { return parallel_for(where, 0, 1000, call); });
    check([&] { return parallel_for(where, 0, 1000, call, {.grain = 7}); });
    check([&] { return parallel_for(where, 1999, -1, -2, call); });
    check([&] { return parallel_for(where, numbers_.begin(), numbers_.end(), call); });
    check([&] { return parallel_for(where, numbers_, call, {.grain = 7}); });
    check([&] { return parallel_for(where, evencube::blocked_range<int>(0, 1000), range); });
    check([&] { return parallel_for_blocks(where, 0, 1000, blocks); });
    check([&] { return parallel_for_blocks(where, 0, 1000, blocks, {.grain = 7}); });
    check([&] { return parallel_for_each(where, numbers_, call); });
    check([&] { return parallel_for_each(where, list.begin(), list.end(), call); });
  };
  const std::stop_token token = source_.get_token();
  all(rt_);
  all(on(rt_, token));
  rt_.run([&] { all(token); });
  const int before = call.most();
  EXPECT_LE(before, static_cast<int>(GetParam()));
  const counting within;
  parallel_for(lane_, 0, 1000, within);
  EXPECT_EQ(parallel_for(on(lane_, token), 0, 1000, within), wait_status::completed);
  EXPECT_EQ(within.most(), 1);
  all(lane_);
  all(on(lane_, token));
}

TEST_P(places, are_taken_by_every_form_of_a_reduction) {
  const auto itself = [](int i) { return i; };
  const auto fold = [](const evencube::blocked_range<int>& block, int sum) {
    for (int i = block.begin(); i < block.end(); ++i) sum += i;
    return sum;
  };
  const auto all = [&](auto&& where) {
    EXPECT_EQ(parallel_reduce(where, 0, 1000, 0, itself, std::plus<>{}), 499500);
    EXPECT_EQ(parallel_reduce(where, numbers_.begin(), numbers_.end(), 0, itself, std::plus<>{}),
              499500);
    EXPECT_EQ(parallel_reduce(where, numbers_, 0, itself, std::plus<>{}, {.grain = 3}), 499500);
    EXPECT_EQ(parallel_reduce_blocks(where, evencube::blocked_range<int>(0, 1000), 0, fold,
                                     std::plus<>{}),
              499500);
    EXPECT_EQ(parallel_deterministic_reduce(where, 0, 1000, 0, itself, std::plus<>{}), 499500);
    EXPECT_EQ(parallel_deterministic_reduce(where, numbers_.begin(), numbers_.end(), 0, itself,
                                            std::plus<>{}),
              499500);
    EXPECT_EQ(
        parallel_deterministic_reduce(where, numbers_, 0, itself, std::plus<>{}, {.grain = 3}),
        499500);
  };
  all(rt_);
  all(lane_);
  all(on(rt_, source_.get_token()));
  all(on(lane_, source_.get_token()));
  rt_.run([&] { all(source_.get_token()); });
  static_assert(
      std::is_same_v<int, decltype(parallel_reduce(rt_, 0, 1, 0, itself, std::plus<>{}))>);
  static_assert(
      std::is_same_v<std::optional<int>, decltype(parallel_reduce(on(rt_, source_.get_token()), 0,
                                                                  1, 0, itself, std::plus<>{}))>);
}

TEST_P(places, are_taken_by_every_search) {
  const auto large = [](int i) { return i >= 700; };
  const auto all = [&](auto&& where) {
    const auto at = numbers_.begin() + 700;
    EXPECT_EQ(evencube::parallel_find_if(where, numbers_, large), at);
    EXPECT_EQ(evencube::parallel_find_if(where, numbers_.begin(), numbers_.end(), large), at);
    EXPECT_EQ(evencube::parallel_any_of(where, numbers_, large), true);
    EXPECT_EQ(evencube::parallel_all_of(where, numbers_, large), false);
    EXPECT_EQ(evencube::parallel_none_of(where, numbers_, large), false);
    EXPECT_EQ(evencube::parallel_count_if(where, numbers_, large), 300U);
    EXPECT_EQ(evencube::parallel_count_if(where, at, numbers_.end(), large), 300U);
  };
  all(rt_);
  all(lane_);
  all(on(rt_, source_.get_token()));
  all(on(lane_, source_.get_token()));
  rt_.run([&] { all(source_.get_token()); });
  source_.request_stop();
  const auto until = on(lane_, source_.get_token());
  EXPECT_EQ(evencube::parallel_find_if(until, numbers_, large), std::nullopt);
  EXPECT_EQ(evencube::parallel_any_of(until, numbers_, large), std::nullopt);
  EXPECT_EQ(evencube::parallel_all_of(until, numbers_, large), std::nullopt);
  EXPECT_EQ(evencube::parallel_none_of(until, numbers_, large), std::nullopt);
  EXPECT_EQ(evencube::parallel_count_if(until, numbers_, large), std::nullopt);
}

TEST_P(places, are_taken_by_algorithms_without_a_token) {
  const auto all = [&](auto& in) {
    std::vector<int> numbers(numbers_.rbegin(), numbers_.rend());
    evencube::parallel_sort(in, numbers);
    EXPECT_EQ(numbers, numbers_);
    evencube::sort(in, numbers.begin(), numbers.end(), std::greater<>());
    EXPECT_EQ(numbers.front(), 999);
    evencube::parallel_transform(in, numbers_, numbers.begin(), std::negate<>());
    EXPECT_EQ(numbers.back(), -999);
    evencube::parallel_inclusive_scan(in, numbers_.begin(), numbers_.end(), numbers.begin());
    EXPECT_EQ(numbers.back(), 499500);
    EXPECT_EQ(evencube::reduce(in, numbers_.begin(), numbers_.end()), 499500);
    std::atomic<int> calls{0};
    evencube::parallel_invoke(in, [&] { ++calls; }, [&] { ++calls; }, [&] { ++calls; });
    EXPECT_EQ(calls, 3);
  };
  all(rt_);
  all(lane_);
}

TEST_P(places, with_a_token_say_that_it_ended_the_call) {
  source_.request_stop();
  const auto until = on(lane_, source_.get_token());
  const auto never = [](int) { FAIL(); };
  const auto zero = [](int) { return 0; };
  EXPECT_EQ(parallel_for(until, 0, 1000, never), wait_status::stopped);
  EXPECT_EQ(parallel_for(until, 0, 1000, 2, never), wait_status::stopped);
  EXPECT_EQ(parallel_for(until, numbers_, never), wait_status::stopped);
  EXPECT_EQ(parallel_for_blocks(until, 0, 1000, [](int, int) { FAIL(); }), wait_status::stopped);
  EXPECT_EQ(parallel_for_each(until, numbers_, never), wait_status::stopped);
  EXPECT_EQ(parallel_reduce(until, 0, 1000, 0, zero, std::plus<>{}), std::nullopt);
  EXPECT_EQ(parallel_reduce(until, numbers_, 0, zero, std::plus<>{}), std::nullopt);
  EXPECT_EQ(parallel_reduce_blocks(
                until, evencube::blocked_range<int>(0, 1000), 0,
                [](const auto&, int sum) { return sum; }, std::plus<>{}),
            std::nullopt);
  EXPECT_EQ(parallel_deterministic_reduce(until, 0, 1000, 0, zero, std::plus<>{}), std::nullopt);
  EXPECT_EQ(parallel_deterministic_reduce(until, numbers_, 0, zero, std::plus<>{}), std::nullopt);
  EXPECT_EQ(parallel_deterministic_reduce(until, 3, 3, 5, zero, std::plus<>{}), 5);
  EXPECT_EQ(&until.place(), &lane_);
}

// The body asks for the stop, so some blocks have been folded and others have not.
TEST_P(places, with_a_token_end_a_deterministic_reduction_in_the_middle) {
  std::atomic<int> calls{0};
  const auto count = [&](int i) {
    ++calls;
    if (i == 0) source_.request_stop();
    return i;
  };
  EXPECT_EQ(parallel_deterministic_reduce(on(rt_, source_.get_token()), 0, 100'000, 0, count,
                                          std::plus<>{}, {.grain = 1}),
            std::nullopt);
  EXPECT_GE(calls, 1);
}

// One worker folds the blocks in their order and stops after the first.
TEST(one_worker, begins_no_block_of_a_deterministic_reduction_after_a_stop) {
  runtime one{workers(1)};
  const evencube::test::deadline deadline(one);
  std::stop_source source;
  int calls = 0;
  const auto count = [&](int i) {
    ++calls;
    source.request_stop();
    return i;
  };
  EXPECT_EQ(parallel_deterministic_reduce(on(one, source.get_token()), 0, 1000, 0, count,
                                          std::plus<>{}, {.grain = 10}),
            std::nullopt);
  EXPECT_EQ(calls, 10);
}

INSTANTIATE_TEST_SUITE_P(workers, places, testing::Values(1U, 2U, 4U));

}  // namespace
