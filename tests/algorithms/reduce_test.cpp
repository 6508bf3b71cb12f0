#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <evencube/algorithms.hpp>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "support.hpp"

namespace evencube::reduce_test {
namespace {

using reductions = test::on_workers;

std::vector<std::string> words(std::size_t n) {
  std::vector<std::string> some;
  for (std::size_t i = 0; i < n; ++i) some.push_back(std::to_string(i) + ' ');
  return some;
}

constexpr auto itself = [](const auto& x) { return x; };
constexpr auto joined = [](std::string a, const std::string& b) { return std::move(a) + b; };

// Strings do not commute: a piece folded out of place would show.
TEST_P(reductions, of_elements_keep_their_order) {
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 2, 31, 2048, 2049, 5000}) {
    const std::vector<std::string> some = words(n);
    const std::string expected = std::accumulate(some.begin(), some.end(), std::string("begin "));
    const std::string begin = "begin ";
    EXPECT_EQ(parallel_reduce(rt_, some, begin, itself, joined), expected);
    EXPECT_EQ(parallel_reduce(rt_, some, begin, itself, joined, {.grain = 7}), expected);
    EXPECT_EQ(parallel_reduce(rt_, some.begin(), some.end(), begin, itself, joined), expected);
    EXPECT_EQ(parallel_deterministic_reduce(rt_, some, begin, itself, joined), expected);
    EXPECT_EQ(parallel_deterministic_reduce(rt_, some, begin, itself, joined, {.grain = 7}),
              expected);
    rt_.run([&] {
      EXPECT_EQ(parallel_deterministic_reduce(some.begin(), some.end(), begin, itself, joined),
                expected);
      EXPECT_EQ(parallel_deterministic_reduce(
                    0, n, begin, [&](std::size_t i) { return some[i]; }, joined),
                expected);
    });
  }
}

using matrix = std::array<std::uint32_t, 4>;
matrix product(const matrix& a, const matrix& b) {
  return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
          a[2] * b[1] + a[3] * b[3]};
}

TEST_P(reductions, over_blocks_combine_them_in_their_order) {
  std::vector<matrix> factors;
  for (std::uint32_t i = 0; i < 3000; ++i) factors.push_back({i, i + 1, 2 * i + 1, 3});
  const matrix one{1, 0, 0, 1};
  const matrix expected = std::accumulate(factors.begin(), factors.end(), one, product);
  for (const std::size_t grain : std::vector<std::size_t>{0, 1, 64, 10000}) {
    const auto folded = parallel_reduce_blocks(
        rt_, blocked_range(std::size_t{0}, factors.size(), grain), one,
        [&](const auto& block, matrix value) {
          for (auto i = block.begin(); i < block.end(); ++i) value = product(value, factors[i]);
          return value;
        },
        product);
    EXPECT_EQ(folded, expected);
  }
  EXPECT_EQ(
      parallel_reduce_blocks(
          rt_, blocked_range(0, 0), one, [](const auto&, matrix) { return matrix{}; }, product),
      one);
}

TEST_P(reductions, over_blocks_of_two_dimensions_count_every_cell) {
  const long sum = parallel_reduce_blocks(
      rt_, blocked_range_2d(0, 100, 0, 70), 0L,
      [](const auto& block, long value) {
        for (int r = block.rows().begin(); r < block.rows().end(); ++r) {
          for (int c = block.columns().begin(); c < block.columns().end(); ++c) value += r * c;
        }
        return value;
      },
      std::plus<>{});
  EXPECT_EQ(sum, 4950L * 2415L);
}

using list = std::unique_ptr<std::vector<int>>;

TEST_P(reductions, of_values_that_are_movable_only) {
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto one = [](int x) { return std::make_unique<std::vector<int>>(1, x); };
  const auto append = [](list a, list b) {
    a->insert(a->end(), b->begin(), b->end());
    return a;
  };
  const list all = parallel_reduce(rt_, numbers, std::make_unique<std::vector<int>>(), one, append);
  EXPECT_EQ(*all, numbers);
  const list again = parallel_deterministic_reduce(
      rt_, numbers, std::make_unique<std::vector<int>>(), one, append, {.grain = 5});
  EXPECT_EQ(*again, numbers);
}

std::uint64_t bits_of(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

// 1 / i^2 for some thousands of numbers: any other grouping rounds otherwise.
std::uint64_t bits_of_a_sum(runtime& rt, int n, std::size_t grain) {
  return bits_of(parallel_deterministic_reduce(rt, 1, n, 0.0,
                                               [](int i) { return 1.0 / (double(i) * double(i)); },
                                               std::plus<>{}, {.grain = grain}));
}

TEST_P(reductions, that_are_deterministic_give_the_bits_of_one_worker) {
  runtime one{{.workers = 1}};
  for (const int n : {2, 100, 2050, 100'000}) {
    for (const std::size_t grain : std::vector<std::size_t>{0, 1, 10}) {
      const std::uint64_t expected = bits_of_a_sum(one, n, grain);
      for (int repetition = 0; repetition < 5; ++repetition) {
        EXPECT_EQ(bits_of_a_sum(rt_, n, grain), expected) << n << " by " << grain;
      }
    }
  }
}

// The sum of [first, last) as text, with a bracket around every two that are combined.
std::string grouped(int first, int last, int grain, int blocks) {
  if (blocks > 1) {
    const int middle = first + blocks / 2 * grain;
    return '(' + grouped(first, middle, grain, blocks / 2) + ' ' +
           grouped(middle, last, grain, blocks - blocks / 2) + ')';
  }
  std::string sum = std::to_string(first);
  for (int i = first + 1; i < last; ++i) sum = '(' + sum + ' ' + std::to_string(i) + ')';
  return sum;
}

// The grouping is a promise, so it is the same in every version, too.
TEST_P(reductions, that_are_deterministic_are_grouped_in_a_balanced_tree_of_blocks) {
  for (const int n : {1, 2, 3, 255, 257, 1100, 2048}) {
    for (const int grain : {1, 3}) {
      const std::string sum = parallel_deterministic_reduce(
          rt_, 0, n, std::string("begin"), [](int i) { return std::to_string(i); },
          [](const std::string& a, const std::string& b) { return '(' + a + ' ' + b + ')'; },
          {.grain = static_cast<std::size_t>(grain)});
      const int blocks = (n - 1) / grain + 1;
      ASSERT_EQ(sum, "(begin " + grouped(0, n, grain, blocks) + ')') << n << " by " << grain;
    }
  }
}

struct tally {
  int sum = 0;
  [[nodiscard]] tally with(const tally& other) const { return {sum + other.sum}; }
};

TEST_P(reductions, combine_by_a_pointer_to_a_member) {
  const std::vector<tally> ones(3000, tally{1});
  EXPECT_EQ(parallel_reduce(rt_, ones, tally{}, std::identity{}, &tally::with).sum, 3000);
  EXPECT_EQ(parallel_deterministic_reduce(rt_, ones, tally{}, std::identity{}, &tally::with).sum,
            3000);
  const auto one = [](int) { return tally{1}; };
  EXPECT_EQ(parallel_reduce(rt_, 0, 3000, tally{}, one, &tally::with).sum, 3000);
}

TEST_P(reductions, throw_what_is_thrown_inside) {
  const std::vector<int> numbers(1000, 1);
  std::atomic<int> calls{0};
  const auto failing = [&](int x) -> int {
    if (++calls == 500) throw std::runtime_error("on purpose");
    return x;
  };
  EXPECT_THROW(static_cast<void>(parallel_reduce(rt_, numbers, 0, failing, std::plus<>{})),
               std::runtime_error);
  calls = 0;
  EXPECT_THROW(
      static_cast<void>(parallel_deterministic_reduce(rt_, numbers, 0, failing, std::plus<>{})),
      std::runtime_error);
  EXPECT_THROW(static_cast<void>(parallel_deterministic_reduce(
                   rt_, numbers, 0, itself,
                   [](int, int) -> int { throw std::runtime_error("on purpose"); })),
               std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(on, reductions, testing::Values(1, 2, 3, 8, 64), test::workers_name);

// The same numbers grouped by tens or by hundreds give other sums, so the test above can fail.
TEST(deterministic_reductions, are_grouped_by_the_grain) {
  runtime rt{{.workers = 2}};
  EXPECT_NE(bits_of_a_sum(rt, 100'000, 10), bits_of_a_sum(rt, 100'000, 100));
}

TEST(reductions_outside, are_refused_without_a_runtime) {
  const std::vector<int> none;
  EXPECT_THROW(static_cast<void>(parallel_reduce(none, 0, itself, std::plus<>{})), error);
  EXPECT_THROW(static_cast<void>(parallel_deterministic_reduce(none, 0, itself, std::plus<>{})),
               error);
}

template <typename Element, typename Value>
constexpr bool sums_up = requires(const std::vector<Element>& v, Value init) {
  evencube::parallel_reduce(v, init, itself, std::plus<>{});
};

TEST(reductions_that_would_narrow, do_not_compile) {
  static_assert(sums_up<int, int> && sums_up<int, long> && sums_up<float, double>);
  static_assert(sums_up<char, int> && sums_up<int, double> && sums_up<long, float>);
  static_assert(sums_up<std::string, std::string>);
  static_assert(!sums_up<double, int> && !sums_up<float, long>);
  static_assert(!sums_up<double, float> && !sums_up<std::uint64_t, int>);
}

}  // namespace
}  // namespace evencube::reduce_test
