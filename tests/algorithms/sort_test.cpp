#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <evencube/algorithms.hpp>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

namespace evencube {
namespace {

using sorts = test::on_workers;

const std::vector<std::size_t> sizes{0,    1,    2,    24,   25,   32,     33,    64,
                                     2047, 2048, 2049, 4097, 8193, 16'400, 50'000};

struct record {
  int key = 0;
  std::size_t place = 0;
  friend bool operator==(const record&, const record&) = default;
};

/// Records with keys drawn from `keys` different ones.
std::vector<record> records(std::size_t n, int keys, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<record> some(n);
  for (std::size_t i = 0; i < n; ++i) some[i] = {static_cast<int>(random() % unsigned(keys)), i};
  return some;
}

std::vector<std::vector<int>> patterns(std::size_t n) {
  std::vector<std::vector<int>> all(6, std::vector<int>(n));
  std::mt19937 random(static_cast<unsigned>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const int x = static_cast<int>(i);
    all[0][i] = static_cast<int>(random());
    all[1][i] = x;
    all[2][i] = -x;
    all[3][i] = 7;
    all[4][i] = x % 2 == 0 ? x : -x;
    all[5][i] = std::min(x, static_cast<int>(n) - x);
  }
  return all;
}

TEST_P(sorts, give_what_the_standard_gives) {
  for (const std::size_t n : sizes) {
    for (const std::vector<int>& pattern : patterns(n)) {
      std::vector<int> expected = pattern;
      std::sort(expected.begin(), expected.end());
      std::vector<int> numbers = pattern;
      parallel_sort(rt_, numbers);
      ASSERT_EQ(numbers, expected) << n;
      // The comparison is not std::less, so the standard library's sort is not used.
      numbers = pattern;
      parallel_sort(rt_, numbers.begin(), numbers.end(), [](int a, int b) { return a < b; });
      ASSERT_EQ(numbers, expected) << n;
      numbers = pattern;
      rt_.run([&] { parallel_stable_sort(numbers); });
      ASSERT_EQ(numbers, expected) << n;
      parallel_sort(rt_, numbers, std::greater<>{});
      std::reverse(expected.begin(), expected.end());
      ASSERT_EQ(numbers, expected) << n;
    }
  }
}

TEST_P(sorts, that_are_stable_keep_equal_elements_in_order) {
  for (const std::size_t n : sizes) {
    for (const int keys : {1, 2, 10, 100'000}) {
      std::vector<record> some = records(n, keys, GetParam());
      std::vector<record> expected = some;
      std::stable_sort(expected.begin(), expected.end(),
                       [](const record& a, const record& b) { return a.key < b.key; });
      parallel_stable_sort(rt_, some, std::less<>{}, &record::key);
      ASSERT_EQ(some, expected) << n << " of " << keys;
    }
  }
}

// The comparison can be given in braces, as without a runtime.
TEST_P(sorts, take_the_usual_comparison_in_braces) {
  std::vector<record> expected = records(5000, 50, 1);
  std::vector<record> some = expected;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const record& a, const record& b) { return a.key < b.key; });
  parallel_sort(rt_, some.begin(), some.end(), {}, &record::place);
  parallel_stable_sort(rt_, some.begin(), some.end(), {}, &record::key);
  EXPECT_EQ(some, expected);
  parallel_sort(rt_, some, {}, &record::place);
  parallel_stable_sort(rt_, some, {}, &record::key);
  EXPECT_EQ(some, expected);
}

TEST_P(sorts, move_what_cannot_be_copied) {
  std::vector<record> some = records(20'000, 500, 3);
  std::deque<std::unique_ptr<record>> pointers;
  for (const record& r : some) pointers.push_back(std::make_unique<record>(r));
  parallel_stable_sort(rt_, pointers.begin(), pointers.end(), std::less<>{},
                       [](const auto& p) { return p->key; });
  std::stable_sort(some.begin(), some.end(),
                   [](const record& a, const record& b) { return a.key < b.key; });
  for (std::size_t i = 0; i < some.size(); ++i) ASSERT_EQ(*pointers[i], some[i]);
  parallel_sort(rt_, pointers, std::less<>{}, [](const auto& p) { return p->place; });
  for (std::size_t i = 0; i < some.size(); ++i) ASSERT_EQ(pointers[i]->place, i);
}

/// Allows a limited number of comparisons; the next one throws.
struct limited_less {
  bool operator()(const std::unique_ptr<record>& a, const std::unique_ptr<record>& b) const {
    if (left->fetch_sub(1) <= 0) throw std::runtime_error("no more comparisons");
    return a->key < b->key;
  }
  std::shared_ptr<std::atomic<long>> left;
};

TEST_P(sorts, lose_nothing_when_a_comparison_throws) {
  for (const std::size_t n : std::vector<std::size_t>{2, 20, 100, 3000, 30'000}) {
    for (const bool stable : {false, true}) {
      const auto all = static_cast<double>(n) * 16;
      for (const double part : {0.0, 0.001, 0.02, 0.1, 0.3, 0.5, 0.7}) {
        std::vector<std::unique_ptr<record>> pointers;
        for (const record& r : records(n, 1000, 5)) pointers.push_back(std::make_unique<record>(r));
        const limited_less less{std::make_shared<std::atomic<long>>(static_cast<long>(all * part))};
        bool thrown = false;
        try {
          if (stable) {
            parallel_stable_sort(rt_, pointers, less);
          } else {
            parallel_sort(rt_, pointers, less);
          }
        } catch (const std::runtime_error&) {
          thrown = true;
        }
        EXPECT_TRUE(thrown || part > 0.02) << n << " after " << all * part;
        std::vector<bool> seen(n, false);
        for (const auto& p : pointers) {
          ASSERT_NE(p, nullptr) << n << " after " << all * part;
          ASSERT_FALSE(seen[p->place]);
          seen[p->place] = true;
        }
      }
    }
  }
}

TEST_P(sorts, by_nonsense_give_a_permutation) {
  for (const std::size_t n : std::vector<std::size_t>{100, 20'000}) {
    for (const int kind : {0, 1, 2}) {
      std::vector<int> numbers(n);
      for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<int>(i);
      const auto nonsense = [kind](int a, int b) {
        return kind == 0 || (kind == 2 && (static_cast<unsigned>(a * 31 + b * 17) >> 3U) % 2 == 0);
      };
      parallel_sort(rt_, numbers, nonsense);
      parallel_stable_sort(rt_, numbers, nonsense);
      parallel_sort(rt_, numbers);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(numbers[i], static_cast<int>(i));
    }
  }
}

/// A type that is copied and not moved, and whose copies may throw.
struct throwing_move {
  explicit throwing_move(int n) : number(n) {}
  throwing_move(const throwing_move& other) : number(other.number) {}
  throwing_move& operator=(const throwing_move& other) {
    number = other.number;
    return *this;
  }
  ~throwing_move() = default;
  int number;
};

TEST_P(sorts, take_elements_whose_moves_may_throw) {
  std::vector<throwing_move> elements;
  for (int i = 0; i < 5000; ++i) elements.emplace_back((i * 7919) % 5000);
  parallel_sort(rt_, elements, std::less<>{}, &throwing_move::number);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(elements[static_cast<std::size_t>(i)].number, i);
  parallel_stable_sort(rt_, elements, std::greater<>{}, &throwing_move::number);
  EXPECT_EQ(elements.front().number, 4999);
}

INSTANTIATE_TEST_SUITE_P(on, sorts, testing::Values(1, 2, 3, 8, 64), test::workers_name);

TEST(a_sort, of_a_bad_order_for_quicksort_stays_quick) {
  runtime rt{{.workers = 1}};
  // Each choice of a pivot meets equal and ordered elements.
  std::vector<int> numbers(2000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<int>(i % 2 == 0 ? i : numbers.size() - i);
  }
  long comparisons = 0;
  parallel_sort(rt, numbers, [&](int a, int b) {
    ++comparisons;
    return a < b;
  });
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_LT(comparisons, 2000 * 11 * 5);
}

TEST(the_heap_behind_quicksort, sorts) {
  std::mt19937 random(1);
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 2, 3, 10, 1000}) {
    std::vector<int> numbers(n);
    for (int& x : numbers) x = static_cast<int>(random() % 100);
    detail::heap_sort(numbers.begin(), n, std::less<>{});
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  }
}

TEST(sorts_outside, are_refused_without_a_runtime) {
  std::vector<int> none;
  EXPECT_THROW(parallel_sort(none), error);
  EXPECT_THROW(parallel_stable_sort(none), error);
}

template <typename Range>
constexpr bool sortable = requires(Range& r) { evencube::parallel_sort(r); };

TEST(sorts_of_what_is_not_there, do_not_compile) {
  static_assert(sortable<std::vector<int>> && sortable<std::deque<std::string>>);
  static_assert(!sortable<std::vector<bool>> && !sortable<const std::vector<int>>);
  static_assert(!sortable<test::numbers> && !sortable<std::vector<record>>);
}

template <typename Compare>
constexpr bool sortable_by = requires(std::vector<record>& v, const Compare& compare) {
  evencube::parallel_sort(v, compare);
  evencube::parallel_stable_sort(v.begin(), v.end(), compare);
};

// The sort compares an element that it keeps aside as a const element, on either side.
TEST(a_comparison, takes_const_elements) {
  const auto by_const = [](const record& a, const record& b) { return a.key < b.key; };
  const auto by_value = [](record a, record b) { return a.key < b.key; };
  const auto changes_left = [](record& a, const record& b) { return a.key < b.key; };
  const auto changes_right = [](const record& a, record& b) { return a.key < b.key; };
  static_assert(sortable_by<decltype(by_const)> && sortable_by<decltype(by_value)>);
  static_assert(!sortable_by<decltype(changes_left)> && !sortable_by<decltype(changes_right)>);
}

}  // namespace
}  // namespace evencube
