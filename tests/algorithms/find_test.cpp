#include <algorithm>
#include <atomic>
#include <cstddef>
#include <evencube/algorithms.hpp>
#include <functional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <vector>

#include "support.hpp"

namespace evencube::find_test {
namespace {

using searches = test::on_workers;

TEST_P(searches, find_the_first_of_many) {
  std::mt19937 random(GetParam());
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 2, 511, 512, 513, 2049, 20'000}) {
    for (int repetition = 0; repetition < 20; ++repetition) {
      std::vector<int> numbers(n, 0);
      const std::size_t matches = random() % 4;
      std::size_t first = n;
      for (std::size_t m = 0; n != 0 && m < matches; ++m) {
        const std::size_t at = random() % n;
        numbers[at] = 1;
        first = std::min(first, at);
      }
      const auto one = [](int x) { return x == 1; };
      const auto found = parallel_find_if(rt_, numbers, one);
      ASSERT_EQ(static_cast<std::size_t>(found - numbers.begin()), first) << n;
      rt_.run([&] {
        ASSERT_EQ(parallel_find_if(numbers.begin(), numbers.end(), one), found);
        EXPECT_EQ(parallel_any_of(numbers, one), first != n);
        EXPECT_EQ(parallel_none_of(numbers, one), first == n);
        EXPECT_EQ(parallel_all_of(numbers, [](int x) { return x == 0; }), first == n);
      });
      EXPECT_EQ(parallel_count_if(rt_, numbers, one),
                static_cast<std::size_t>(std::count(numbers.begin(), numbers.end(), 1)));
      EXPECT_EQ(parallel_any_of(rt_, numbers.begin(), numbers.end(), one), first != n);
    }
  }
}

TEST_P(searches, of_nothing_find_nothing) {
  const std::vector<int> none;
  const auto yes = [](int) { return true; };
  EXPECT_EQ(parallel_find_if(rt_, none, yes), none.end());
  EXPECT_FALSE(parallel_any_of(rt_, none, yes));
  EXPECT_TRUE(parallel_all_of(rt_, none, yes));
  EXPECT_TRUE(parallel_none_of(rt_, none, yes));
  EXPECT_EQ(parallel_count_if(rt_, none, yes), 0U);
}

struct part {
  int number;
  bool broken;
  [[nodiscard]] bool whole() const { return !broken; }
};

TEST_P(searches, ask_for_what_a_projection_returns) {
  std::vector<part> parts(3000, part{1, false});
  parts[2000] = {7, true};
  parts[2001] = {7, true};
  const auto seven = [](int number) { return number == 7; };
  EXPECT_EQ(parallel_find_if(rt_, parts, seven, &part::number) - parts.begin(), 2000);
  EXPECT_EQ(parallel_find_if(rt_, parts.begin(), parts.end(), seven, &part::number)->number, 7);
  EXPECT_EQ(parallel_find_if(rt_, std::stop_token(), parts, seven, &part::number),
            parts.begin() + 2000);
  EXPECT_TRUE(parallel_any_of(rt_, parts, seven, &part::number));
  EXPECT_FALSE(parallel_all_of(rt_, parts, seven, &part::number));
  EXPECT_FALSE(parallel_none_of(rt_, parts, seven, &part::number));
  EXPECT_EQ(parallel_count_if(rt_, parts, seven, &part::number), 2U);
  EXPECT_EQ(parallel_count_if(rt_, parts, std::logical_not<>(), &part::whole), 2U);
}

TEST_P(searches, throw_what_the_predicate_throws) {
  EXPECT_THROW(static_cast<void>(parallel_any_of(rt_, test::numbers(0, 1000),
                                                 [](int x) {
                                                   if (x == 700) throw std::runtime_error("!");
                                                   return false;
                                                 })),
               std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(on, searches, testing::Values(1, 2, 3, 8, 64), test::workers_name);

// One worker goes upwards, so that what is behind the first match is hardly looked at.
// It is the only one, so that no block far behind ends early by itself.
TEST(a_search, stops_early) {
  runtime rt{{.workers = 1}};
  std::atomic<std::size_t> looks{0};
  const test::numbers numbers(0, 10'000'000);
  const auto is_1000 = [&](int x) {
    ++looks;
    return x == 1000;
  };
  EXPECT_EQ(*parallel_find_if(rt, numbers, is_1000), 1000);
  EXPECT_LT(looks, 20'000U);
  looks = 0;
  EXPECT_TRUE(parallel_any_of(rt, numbers, is_1000));
  EXPECT_LT(looks, 20'000U);
  looks = 0;
  EXPECT_FALSE(parallel_all_of(rt, numbers, [&](int x) {
    ++looks;
    return x != 1000;
  }));
  EXPECT_LT(looks, 20'000U);
}

// The other worker is behind the first match when it is found: it gives up within a block's part.
TEST(a_search, stops_the_others) {
  runtime rt{{.workers = 2}};
  constexpr int n = 4'000'000;
  std::atomic<std::size_t> looks{0};
  const test::numbers numbers(0, n);
  EXPECT_EQ(*parallel_find_if(rt, numbers,
                              [&](int x) {
                                looks.fetch_add(1, std::memory_order_relaxed);
                                return x == 100 || x == n - 1;
                              }),
            100);
  EXPECT_LT(looks, static_cast<std::size_t>(n));
}

template <typename Range>
constexpr bool findable = requires(Range&& r) {
  evencube::parallel_find_if(std::forward<Range>(r), [](int) { return true; });
};

template <typename Range>
constexpr bool findable_until_stopped = requires(runtime& rt, std::stop_token token, Range&& r) {
  evencube::parallel_find_if(token, std::forward<Range>(r), [](int) { return true; });
  evencube::parallel_find_if(rt, token, std::forward<Range>(r), [](int) { return true; });
};

TEST(a_search_in_a_temporary, does_not_compile) {
  static_assert(findable<std::vector<int>&> && findable<const std::vector<int>&>);
  static_assert(!findable<std::vector<int>>);
  static_assert(findable_until_stopped<std::vector<int>&>);
  static_assert(!findable_until_stopped<std::vector<int>>);
}

}  // namespace
}  // namespace evencube::find_test
