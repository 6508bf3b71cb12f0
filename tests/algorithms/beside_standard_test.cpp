// Compares every algorithm with its counterpart in the standard library. Sizes, elements, kinds of
// iterators and the places of exceptions are drawn at random.
#include <algorithm>
#include <atomic>
#include <compare>
#include <cstdint>
#include <deque>
#include <evencube/algorithms.hpp>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>
// clang rejects libstdc++'s views before version 16.
#if !defined(__clang__) || __clang_major__ >= 16
#include <ranges>
#define EVENCUBE_TEST_VIEWS 1
#endif

#include "support.hpp"

namespace evencube::beside_standard_test {
namespace {

/// Draws other cases with --gtest_shuffle, which prints how to repeat them.
class beside_the_standard : public test::on_workers {
 protected:
  std::mt19937 random_{1U + static_cast<unsigned>(testing::UnitTest::GetInstance()->random_seed())};

  std::size_t below(std::size_t n) { return random_() % n; }
  std::vector<std::size_t> sizes(std::size_t most) {
    return {0, 1, 2, 3, below(64), 511, 512, 513, 1025, below(5000), below(most)};
  }
  template <typename T>
  std::vector<T> drawn(std::size_t n);
};

/// x -> a x + b: composition is associative and does not commute.
struct line {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  friend auto operator<=>(const line&, const line&) = default;
};
struct then {
  line operator()(const line& f, const line& g) const { return {f.a * g.a, f.b * g.a + g.b}; }
  std::string operator()(const std::string& a, const std::string& b) const {
    return (a + b).substr(0, 40);
  }
};
/// A type that can only be moved.
struct owned {
  std::unique_ptr<std::uint32_t> number;
  friend bool operator<(const owned& a, const owned& b) { return *a.number % 64 < *b.number % 64; }
};

line one_of(std::mt19937& random, const line&) {
  const auto a = static_cast<std::uint32_t>(random());
  return {a, static_cast<std::uint32_t>(random() % 100)};
}
std::string one_of(std::mt19937& random, const std::string&) {
  return std::to_string(random() % 1000) + (random() % 4 == 0 ? " is too long to lie inside" : "");
}
int one_of(std::mt19937& random, const int&) { return static_cast<int>(random() % 2000) - 1000; }
owned one_of(std::mt19937& random, const owned&) {
  return {std::make_unique<std::uint32_t>(static_cast<std::uint32_t>(random()))};
}

line limit_of(const line&) { return {~0U / 8, 0}; }
std::string limit_of(const std::string&) { return "1"; }
int limit_of(int) { return -900; }

template <typename T>
std::vector<T> beside_the_standard::drawn(std::size_t n) {
  std::vector<T> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(one_of(random_, T{}));
  return all;
}

/// Calls check(first, last) with iterators of every kind over the same elements. `check` may write
/// to the elements.
template <typename T, typename Check>
void in_every_container(const std::vector<T>& all, const Check& check) {
  std::vector<T> vector = all;
  check(vector.begin(), vector.end());
  std::deque<T> deque(all.begin(), all.end());
  check(deque.begin(), deque.end());
  std::vector<T> array = all;
  check(array.data(), array.data() + array.size());
  std::vector<T> viewed = all;
  const std::span<T> span(viewed);
  check(span.begin(), span.end());
  std::vector<T> reversed(all.rbegin(), all.rend());
  check(reversed.rbegin(), reversed.rend());
}

/// Compares all algorithms that read [first, last) and return something.
template <typename Iterator>
void compare_readers(runtime& rt, Iterator first, Iterator last) {
  using value = std::iter_value_t<Iterator>;
  const std::vector<value> all(first, last);
  const auto chosen = [](const value& v) { return v < limit_of(value{}); };
  const auto found =
      static_cast<std::ptrdiff_t>(std::find_if(all.begin(), all.end(), chosen) - all.begin());
  const auto count = std::count_if(all.begin(), all.end(), chosen);
  EXPECT_EQ(parallel_find_if(rt, first, last, chosen) - first, found);
  EXPECT_EQ(parallel_count_if(rt, first, last, chosen), static_cast<std::size_t>(count));
  EXPECT_EQ(parallel_any_of(rt, first, last, chosen), count != 0);
  EXPECT_EQ(parallel_none_of(rt, first, last, chosen), count == 0);
  EXPECT_EQ(parallel_all_of(rt, first, last, chosen),
            static_cast<std::size_t>(count) == all.size());
}

/// Compares all algorithms that combine values by `combine`, which does not commute.
template <typename Iterator, typename Combine>
void compare_sums(runtime& rt, Iterator first, Iterator last, const Combine& combine) {
  using value = std::iter_value_t<Iterator>;
  const std::vector<value> all(first, last);
  const auto same = [](const value& v) { return v; };
  const value init = all.empty() ? value{} : all.back();
  const value sum = std::accumulate(all.begin(), all.end(), init, combine);
  EXPECT_EQ(parallel_reduce(rt, first, last, init, same, combine), sum);
  EXPECT_EQ(parallel_deterministic_reduce(rt, first, last, init, same, combine), sum);
  EXPECT_EQ(parallel_deterministic_reduce(rt, first, last, init, same, combine, {.grain = 7}), sum);

  std::vector<value> expected(all.size());
  std::vector<value> sums(all.size());
  std::deque<value> elsewhere(all.size());
  std::inclusive_scan(all.begin(), all.end(), expected.begin(), combine);
  EXPECT_EQ(parallel_inclusive_scan(rt, first, last, sums.begin(), combine), sums.end());
  EXPECT_EQ(sums, expected);
  std::inclusive_scan(all.begin(), all.end(), expected.begin(), combine, init);
  EXPECT_EQ(parallel_inclusive_scan(rt, first, last, elsewhere.begin(), combine, init),
            elsewhere.end());
  EXPECT_TRUE(std::equal(elsewhere.begin(), elsewhere.end(), expected.begin()));
  std::exclusive_scan(all.begin(), all.end(), expected.begin(), init, combine);
  EXPECT_EQ(parallel_exclusive_scan(rt, first, last, sums.begin(), init, combine), sums.end());
  EXPECT_EQ(sums, expected);
  if constexpr (std::is_lvalue_reference_v<std::iter_reference_t<Iterator>>) {
    EXPECT_EQ(parallel_exclusive_scan(rt, first, last, first, init, combine), last);
    EXPECT_TRUE(std::equal(first, last, expected.begin()));
  }
}

/// Compares all algorithms that write to [first, last).
template <typename Iterator>
void compare_writers(runtime& rt, Iterator first, Iterator last) {
  using value = std::iter_value_t<Iterator>;
  std::vector<value> all(first, last);
  const auto check = [&](const char* what) {
    EXPECT_TRUE(std::equal(first, last, all.begin(), all.end())) << what << " of " << all.size();
  };
  const auto twice = [](const value& v) { return then{}(v, v); };
  std::transform(all.begin(), all.end(), all.begin(), twice);
  EXPECT_EQ(parallel_transform(rt, first, last, first, twice), last);
  check("transform");
  std::vector<value> others(all.rbegin(), all.rend());
  std::transform(all.begin(), all.end(), others.begin(), all.begin(), then{});
  EXPECT_EQ(parallel_transform(rt, first, last, others.begin(), first, then{}, {.grain = 3}), last);
  check("transform of two");
  const auto change = [](value& v) { v = then{}(v, value{}); };
  std::for_each(all.begin(), all.end(), change);
  parallel_for(rt, first, last, change);
  check("parallel_for");
  const auto later = [](const value& a, const value& b) { return b < a; };
  std::stable_sort(all.begin(), all.end(), later);
  parallel_sort(rt, first, last, later);
  check("sort");
  std::stable_sort(all.begin(), all.end());
  parallel_stable_sort(rt, first, last);
  check("stable_sort");
}

TEST_P(beside_the_standard, lines_and_texts_come_out_alike) {
  for (const std::size_t n : sizes(100'000)) {
    SCOPED_TRACE(n);
    in_every_container(drawn<line>(n), [&](auto first, auto last) {
      compare_sums(rt_, first, last, then{});
      compare_readers(rt_, first, last);
      compare_writers(rt_, first, last);
    });
  }
  for (const std::size_t n : sizes(2000)) {
    SCOPED_TRACE(n);
    const auto texts = drawn<std::string>(n);
    std::deque<std::string> deque(texts.begin(), texts.end());
    compare_sums(rt_, deque.begin(), deque.end(), then{});
    compare_readers(rt_, deque.begin(), deque.end());
    compare_writers(rt_, deque.begin(), deque.end());
  }
}

TEST_P(beside_the_standard, what_iterators_make_up_comes_out_alike) {
  const auto larger = [](int a, int b) { return a > b ? a : b; };
  for (const std::size_t n : sizes(100'000)) {
    SCOPED_TRACE(n);
    const auto end = static_cast<int>(n);
    const test::numbers numbers(-1, end - 1);
    compare_readers(rt_, numbers.begin(), numbers.end());
    compare_sums(rt_, numbers.begin(), numbers.end(), larger);
#ifdef EVENCUBE_TEST_VIEWS
    const auto counted = std::views::iota(-1, end - 1);
    compare_readers(rt_, counted.begin(), counted.end());
    compare_sums(rt_, counted.begin(), counted.end(), larger);
    const std::vector<int> drawn_ones = drawn<int>(n);
    const auto halves = drawn_ones | std::views::transform([](int i) { return i / 2; });
    compare_readers(rt_, halves.begin(), halves.end());
    compare_sums(rt_, halves.begin(), halves.end(), larger);
    EXPECT_EQ(parallel_reduce(rt_, halves, 0, std::identity{}, std::plus<>{}),
              std::reduce(halves.begin(), halves.end()));
    EXPECT_EQ(parallel_find_if(rt_, halves, [](int i) { return i == 3; }) - halves.begin(),
              std::find(halves.begin(), halves.end(), 3) - halves.begin());
#endif
    std::vector<bool> bits;
    for (std::size_t i = 0; i < n; ++i) bits.push_back(below(3) == 0);
    EXPECT_EQ(parallel_find_if(rt_, bits, std::identity{}),
              std::find(bits.begin(), bits.end(), true));
    EXPECT_EQ(parallel_reduce(
                  rt_, bits, 0L, [](bool b) { return b ? 1L : 0L; }, std::plus<>{}),
              std::count(bits.begin(), bits.end(), true));
  }
}

TEST_P(beside_the_standard, for_each_takes_what_can_only_be_gone_through) {
  for (const std::size_t n : sizes(5000)) {
    SCOPED_TRACE(n);
    const std::vector<int> all = drawn<int>(n);
    const long expected = std::accumulate(all.begin(), all.end(), 0L);
    const auto sum_of = [&](auto first, auto last) {
      std::atomic<long> sum{0};
      parallel_for_each(rt_, first, last, [&](const int& i) { sum += i; });
      rt_.run([&] { evencube::for_each(first, last, [&](int i) { sum += i; }); });
      return sum.load();
    };
    std::list<int> list(all.begin(), all.end());
    EXPECT_EQ(sum_of(list.begin(), list.end()), 2 * expected);
    const std::forward_list<int> forward(all.begin(), all.end());
    EXPECT_EQ(sum_of(forward.begin(), forward.end()), 2 * expected);
    std::stringstream text;
    for (const int i : all) text << i << ' ';
    std::atomic<long> sum{0};
    parallel_for_each(rt_, std::istream_iterator<int>(text), std::istream_iterator<int>(),
                      [&](int i) { sum += i; });
    EXPECT_EQ(sum, expected);
    // A function that writes to an element of a list writes to the list itself.
    parallel_for_each(rt_, list, [](int& i) { i = -i; });
    EXPECT_EQ(std::accumulate(list.begin(), list.end(), 0L), -expected);
#ifdef EVENCUBE_TEST_VIEWS
    sum = 0;
    parallel_for_each(rt_, all | std::views::filter([](int i) { return i > 0; }),
                      [&](int i) { sum += i; });
    EXPECT_EQ(sum, std::accumulate(all.begin(), all.end(), 0L,
                                   [](long a, int i) { return i > 0 ? a + i : a; }));
#endif
  }
}

TEST_P(beside_the_standard, what_can_only_be_moved_is_sorted_alike) {
  for (const std::size_t n : sizes(30'000)) {
    SCOPED_TRACE(n);
    std::vector<owned> all = drawn<owned>(n);
    std::vector<std::uint32_t*> expected;
    for (const owned& one : all) expected.push_back(one.number.get());
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto* a, const auto* b) { return *a % 64 < *b % 64; });
    std::deque<owned> sorted;
    for (owned& one : all) sorted.push_back(std::move(one));
    parallel_stable_sort(rt_, sorted);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i].number.get(), expected[i]) << i;
    std::vector<owned> moved(n);
    parallel_transform(rt_, sorted, moved.begin(), [](owned& one) { return std::move(one); });
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(moved[i].number.get(), expected[i]) << i;
  }
}

struct thrown {};
/// Counts its objects, so that a lost object or a double destruction is noticed. Copies may throw.
struct counted {
  static inline std::atomic<long> alive{0};
  /// The number of copies before one throws; below 0: none throws.
  static inline std::atomic<long> until_throw{-1};

  counted() : counted(0) {}
  explicit counted(int n) : number(n) { ++alive; }
  counted(const counted& other) : number(other.number) {
    if (--until_throw == 0) throw thrown{};
    ++alive;
  }
  counted(counted&& other) noexcept : number(other.number) { ++alive; }
  counted& operator=(const counted& other) {
    if (--until_throw == 0) throw thrown{};
    number = other.number;
    return *this;
  }
  counted& operator=(counted&& other) noexcept {
    number = other.number;
    return *this;
  }
  ~counted() { --alive; }
  int number;
};

/// Each algorithm, which calls `at(number)` for every element that it visits.
using elements = std::vector<counted>;
using algorithm = std::function<void(elements&)>;
std::vector<std::pair<const char*, algorithm>> all_algorithms(runtime& rt,
                                                              const std::function<void(int)>& at) {
  const auto sum = [&at](const counted&, const counted& b) {
    at(b.number);
    return counted(b.number);
  };
  const auto value = [&at](const counted& c) {
    at(c.number);
    return counted(c.number);
  };
  const auto second = [](counted, const counted& b) { return b; };
  return {
      {"for", [&](elements& v) { parallel_for(rt, v, [&](counted& c) { at(c.number); }); }},
      {"for_each of a list",
       [&](elements& v) {
         std::list<counted> list(v.begin(), v.end());
         parallel_for_each(rt, list, [&](counted& c) { at(c.number); });
       }},
      {"transform", [&, value](elements& v) { parallel_transform(rt, v, v.begin(), value); }},
      {"reduce",
       [&, value, second](elements& v) {
         static_cast<void>(parallel_reduce(rt, v, counted(), value, second));
       }},
      {"deterministic_reduce",
       [&, value, second](elements& v) {
         static_cast<void>(parallel_deterministic_reduce(rt, v, counted(), value, second));
       }},
      {"inclusive_scan",
       [&, sum](elements& v) {
         parallel_inclusive_scan(rt, v.begin(), v.end(), v.begin(), sum, counted());
       }},
      {"exclusive_scan",
       [&, sum](elements& v) {
         elements out(v.size());
         parallel_exclusive_scan(rt, v.begin(), v.end(), out.begin(), counted(), sum);
       }},
      {"find_if",
       [&](elements& v) {
         static_cast<void>(parallel_find_if(rt, v, [&](const counted& c) {
           at(c.number);
           return false;
         }));
       }},
      {"all_of",
       [&](elements& v) {
         static_cast<void>(parallel_all_of(rt, v, [&](const counted& c) {
           at(c.number);
           return true;
         }));
       }},
      {"count_if",
       [&](elements& v) {
         static_cast<void>(parallel_count_if(rt, v, [&](const counted& c) {
           at(c.number);
           return true;
         }));
       }},
      {"sort",
       [&](elements& v) {
         parallel_sort(rt, v, [&](const counted& a, const counted& b) {
           at(a.number);
           at(b.number);
           return a.number > b.number;
         });
       }},
      {"stable_sort",
       [&](elements& v) {
         parallel_stable_sort(rt, v, [&](const counted& a, const counted& b) {
           at(a.number);
           at(b.number);
           return a.number > b.number;
         });
       }},
  };
}

TEST_P(beside_the_standard, what_throws_at_any_element_throws_out_of_it_and_loses_nothing) {
  std::atomic<int> bad{-1};
  const std::function<void(int)> at = [&](int number) {
    if (number == bad) throw thrown{};
  };
  for (const auto& [name, run] : all_algorithms(rt_, at)) {
    for (const std::size_t n : std::vector<std::size_t>{2, 3, 17, 600, 2 + below(20'000)}) {
      std::vector<counted> all;
      for (std::size_t i = 0; i < n; ++i) all.emplace_back(static_cast<int>(i));
      const std::vector<counted> before = all;
      const long alive = counted::alive;
      // The last element is no part of the sum of any other element, so scans may skip it.
      bad = static_cast<int>(below(n));
      EXPECT_THROW(run(all), thrown) << name << " of " << n << " at " << bad;
      EXPECT_EQ(counted::alive, alive) << name << " of " << n << " at " << bad;
      // The algorithm works when it is called again.
      bad = -1;
      all = before;
      EXPECT_NO_THROW(run(all)) << name;
      EXPECT_EQ(counted::alive, alive) << name;
    }
  }
}

TEST_P(beside_the_standard, copies_that_throw_lose_nothing) {
  const std::function<void(int)> nothing = [](int) {};
  for (const auto& [name, run] : all_algorithms(rt_, nothing)) {
    for (const std::size_t n : std::vector<std::size_t>{1, 17, 600, 1 + below(5000)}) {
      std::vector<counted> all(n);
      const long alive = counted::alive;
      counted::until_throw = static_cast<long>(1 + below(2 * n));
      try {
        run(all);
      } catch (const thrown&) {
      }
      counted::until_throw = -1;
      EXPECT_EQ(counted::alive, alive) << name << " of " << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(on, beside_the_standard, testing::Values(1, 2, 3, 5, 8),
                         test::workers_name);

}  // namespace
}  // namespace evencube::beside_standard_test
