#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <evencube/algorithms.hpp>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/repetitions.hpp"
#include "support.hpp"

namespace evencube::scan_test {
namespace {

using scans = test::on_workers;

const std::vector<std::size_t> sizes{0, 1, 2, 3, 511, 512, 513, 1025, 3000};

// Strings do not commute: a sum put together in another order would show.
TEST_P(scans, of_texts_keep_the_order) {
  const auto join = [](std::string a, const std::string& b) {
    return (std::move(a) + b).substr(0, 200);  // so that the test stays quick
  };
  for (const std::size_t n : sizes) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < n; ++i) words.push_back(std::to_string(i) + ' ');
    std::vector<std::string> expected(n);
    std::vector<std::string> sums(n);
    std::inclusive_scan(words.begin(), words.end(), expected.begin(), join);
    const auto end = parallel_inclusive_scan(rt_, words.begin(), words.end(), sums.begin(), join);
    EXPECT_EQ(end, sums.end());
    EXPECT_EQ(sums, expected) << n;
    const std::string begin = "begin ";
    std::inclusive_scan(words.begin(), words.end(), expected.begin(), join, begin);
    parallel_inclusive_scan(rt_, words.begin(), words.end(), sums.begin(), join, begin);
    EXPECT_EQ(sums, expected) << n;
    std::exclusive_scan(words.begin(), words.end(), expected.begin(), begin, join);
    parallel_exclusive_scan(rt_, words.begin(), words.end(), sums.begin(), begin, join);
    EXPECT_EQ(sums, expected) << n;
  }
}

using matrix = std::array<std::uint32_t, 4>;
matrix product(const matrix& a, const matrix& b) {
  return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
          a[2] * b[1] + a[3] * b[3]};
}

TEST_P(scans, may_write_over_what_they_read) {
  for (int repetition = 0; repetition < 10; ++repetition) {
    std::vector<matrix> factors;
    for (std::uint32_t i = 0; i < 20'000; ++i) factors.push_back({i, i + 1, 2 * i + 1, 3});
    std::vector<matrix> expected(factors.size());
    std::vector<matrix> in_place = factors;
    std::inclusive_scan(factors.begin(), factors.end(), expected.begin(), product);
    parallel_inclusive_scan(rt_, in_place.begin(), in_place.end(), in_place.begin(), product);
    ASSERT_EQ(in_place, expected);
    in_place = factors;
    const matrix one{1, 0, 0, 1};
    std::exclusive_scan(factors.begin(), factors.end(), expected.begin(), one, product);
    rt_.run([&] {
      parallel_exclusive_scan(in_place.begin(), in_place.end(), in_place.begin(), one, product);
    });
    ASSERT_EQ(in_place, expected);
  }
}

TEST_P(scans, sum_up_in_the_type_of_the_first_value) {
  const std::vector<std::uint8_t> ones(1000, 200);
  std::vector<long> sums(1000);
  parallel_exclusive_scan(rt_, ones.begin(), ones.end(), sums.begin(), 0L, std::plus<>{});
  for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_EQ(sums[i], 200 * static_cast<long>(i));
  const test::numbers numbers(1, 101);
  parallel_inclusive_scan(rt_, numbers.begin(), numbers.end(), sums.begin(), std::plus<>{});
  EXPECT_EQ(sums[99], 5050);
}

TEST_P(scans, without_an_operation_add_up_as_those_of_the_standard_do) {
  for (const std::size_t n : sizes) {
    std::vector<std::string> words(n, "ab");
    if (n > 1) words[n / 2] = "c";
    words.resize(std::min<std::size_t>(n, 600));  // so that the test stays quick
    std::vector<std::string> expected(words.size());
    std::vector<std::string> here(words.size());
    std::vector<std::string> outside(words.size());
    std::inclusive_scan(words.begin(), words.end(), expected.begin());
    rt_.run([&] {
      EXPECT_EQ(parallel_inclusive_scan(words.begin(), words.end(), here.begin()), here.end());
    });
    EXPECT_EQ(parallel_inclusive_scan(rt_, words.begin(), words.end(), outside.begin()),
              outside.end());
    EXPECT_EQ(here, expected) << n;
    EXPECT_EQ(outside, expected) << n;
    const std::string begin = "begin";
    std::exclusive_scan(words.begin(), words.end(), expected.begin(), begin);
    rt_.run([&] {
      EXPECT_EQ(parallel_exclusive_scan(words.begin(), words.end(), here.begin(), begin),
                here.end());
    });
    EXPECT_EQ(parallel_exclusive_scan(rt_, words.begin(), words.end(), outside.begin(), begin),
              outside.end());
    EXPECT_EQ(here, expected) << n;
    EXPECT_EQ(outside, expected) << n;
  }
}

TEST_P(scans, take_an_operation_that_gives_one_of_its_arguments) {
  std::vector<std::string> words;
  for (int i = 0; i < 20'000; ++i) words.push_back(std::string(30, 'x') + std::to_string(i));
  std::vector<std::string> largest(words.size());
  std::vector<std::string> expected(words.size());
  std::partial_sum(words.begin(), words.end(), expected.begin(), std::ranges::max);
  for (int round = 0; round < test::repetitions(20); ++round) {
    parallel_inclusive_scan(rt_, words.begin(), words.end(), largest.begin(), std::ranges::max);
    ASSERT_EQ(largest, expected);
  }
}

TEST_P(scans, throw_what_the_operation_throws) {
  std::vector<int> numbers(5000, 1);
  std::vector<int> sums(5000);
  for (const int limit : {1, 300, 4000}) {
    std::atomic<int> calls{0};
    EXPECT_THROW(parallel_inclusive_scan(rt_, numbers.begin(), numbers.end(), sums.begin(),
                                         [&](int a, int b) {
                                           if (++calls == limit) throw std::runtime_error("!");
                                           return a + b;
                                         }),
                 std::runtime_error);
  }
}

INSTANTIATE_TEST_SUITE_P(on, scans, testing::Values(1, 2, 3, 8, 64), test::workers_name);

TEST(a_scan_on_one_worker, combines_once_for_each_element) {
  runtime rt{{.workers = 1}};
  std::vector<int> numbers(5000, 1);
  int calls = 0;
  parallel_inclusive_scan(rt, numbers.begin(), numbers.end(), numbers.begin(), [&](int a, int b) {
    ++calls;
    return a + b;
  });
  EXPECT_EQ(numbers.back(), 5000);
  EXPECT_EQ(calls, 4999);
}

TEST(scans_outside, are_refused_without_a_runtime) {
  std::vector<int> none;
  EXPECT_THROW(parallel_inclusive_scan(none.begin(), none.end(), none.begin(), std::plus<>{}),
               error);
}

template <typename Element, typename Value, typename Output>
constexpr bool scanned = requires(std::vector<Element>& v, std::vector<Output>& out, Value init) {
  evencube::parallel_exclusive_scan(v.begin(), v.end(), out.begin(), init, std::plus<>{});
};
template <typename Element, typename Value, typename Output>
constexpr bool added_up = requires(std::vector<Element>& v, std::vector<Output>& out, Value init) {
  evencube::parallel_exclusive_scan(v.begin(), v.end(), out.begin(), init);
};

TEST(scans_that_would_narrow, do_not_compile) {
  static_assert(scanned<int, int, int> && scanned<int, double, double> && scanned<char, int, int>);
  static_assert(!scanned<double, int, double> && !scanned<std::uint64_t, int, std::uint64_t>);
  static_assert(!scanned<int, int, bool>);
  static_assert(added_up<int, double, double> && !added_up<double, int, double>);
}

}  // namespace
}  // namespace evencube::scan_test
