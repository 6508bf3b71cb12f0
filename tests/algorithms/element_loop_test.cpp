#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <evencube/algorithms.hpp>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "support.hpp"

namespace evencube::element_loop_test {
namespace {

using element_loops = test::on_workers;

TEST_P(element_loops, change_every_element_once) {
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 2, 31, 32, 33, 5000}) {
    std::vector<int> numbers(n, 1);
    const auto twice = [](int& x) { x *= 2; };
    rt_.run([&] {
      parallel_for(numbers.begin(), numbers.end(), twice);
      parallel_for(numbers, twice);
      parallel_for(numbers, twice, {.grain = 3});
      parallel_for(numbers.data(), numbers.data() + n, twice);
    });
    parallel_for(rt_, numbers, twice);
    parallel_for(rt_, numbers.begin(), numbers.end(), twice, {.grain = 100});
    EXPECT_EQ(numbers, std::vector<int>(n, 64));
  }
}

TEST_P(element_loops, take_arrays_views_and_move_only_elements) {
  int plain[] = {1, 2, 3};
  std::array<int, 3> array{4, 5, 6};
  std::deque<std::unique_ptr<int>> pointers;
  for (int i = 0; i < 100; ++i) pointers.push_back(std::make_unique<int>(i));
  std::atomic<int> sum{0};
  rt_.run([&] {
    parallel_for(plain, [&](int x) { sum += x; });
    parallel_for(std::span(array), [&](const int& x) { sum += x; });
    parallel_for(test::numbers(0, 100), [&](int x) { sum += x; });  // gives values
    parallel_for(pointers, [&](std::unique_ptr<int>& p) { sum += *p; });
    const std::vector<bool> bits(64, true);
    parallel_for(bits, [&](bool bit) { sum += bit ? 1 : 0; });
  });
  EXPECT_EQ(sum, 6 + 15 + 2 * 4950 + 64);
}

int plus_one(int x) { return x + 1; }

/// Bodies that a worker may copy, and such as it may not, by why not.
struct small {
  int by;
  int operator()(int x) const { return x + by; }
};
struct large : small {
  std::array<int, 64> rest{};
};
struct counted : small {  // at its address
  explicit counted(int n) : small{n} {}
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  int operator()(int x) const {
    calls.fetch_add(1, std::memory_order_relaxed);
    return small::operator()(x);
  }
  mutable std::atomic<int> calls{0};
};
/// Of which a loop is told the base alone.
template <typename Derived>
struct base_of {
  int operator()(int x) const { return x + static_cast<const Derived&>(*this).by; }
};
struct derived : base_of<derived> {
  int by = 1;
};
struct copied_on_purpose : small {
  explicit copied_on_purpose(int n) : small{n} {}
  explicit copied_on_purpose(const copied_on_purpose&) = default;
};
static_assert(detail::as_good_copied<small>);
static_assert(!detail::as_good_copied<base_of<derived>>);
static_assert(!detail::as_good_copied<copied_on_purpose>);
static_assert(detail::as_good_copied<int (*)(int)>);
static_assert(!detail::as_good_copied<large>);
static_assert(!detail::as_good_copied<counted>);
static_assert(!detail::as_good_copied<std::string>);
static_assert(!detail::as_good_copied<int(int)>);

/// Every kind of loop over n numbers with a body that adds one.
template <typename Body>
void loop_with(const Body& body, int n) {
  const std::size_t size = static_cast<std::size_t>(n);
  std::vector<std::atomic<int>> made(size);
  const std::stop_token never;
  const auto all_are = [&](int what) {
    for (std::atomic<int>& each : made) ASSERT_EQ(each.exchange(0), what);
  };
  const auto store = [&made, &body](int i) { made[static_cast<std::size_t>(i)] += body(i) - i; };
  parallel_for(0, n, store);
  parallel_for(0, n, 1, store);
  parallel_for(n - 1, -1, -1, store, {.grain = 7});
  EXPECT_EQ(parallel_for(never, 0, n, store), wait_status::completed);
  parallel_for(test::numbers(0, n), store);
  EXPECT_EQ(parallel_for(never, test::numbers(0, n), store), wait_status::completed);
  all_are(6);

  std::vector<int> out(size);
  std::vector<int> expected(size);
  for (int i = 0; i < n; ++i) expected[static_cast<std::size_t>(i)] = i + 1;
  parallel_transform(test::numbers(0, n), out.begin(), body);
  EXPECT_EQ(out, expected);
  std::ranges::fill(out, 0);
  const auto numbers = test::numbers(0, n);
  parallel_transform(numbers.begin(), numbers.end(), numbers.begin(), out.begin(),
                     [&body](int x, int y) { return body(x) + y - x; });
  EXPECT_EQ(out, expected);

  const std::int64_t sum = std::int64_t{n} * (n + 1) / 2;
  const auto add = std::plus<>{};
  EXPECT_EQ(parallel_reduce(0, n, std::int64_t{0}, body, add), sum);
  EXPECT_EQ(parallel_reduce(numbers, std::int64_t{0}, body, add), sum);
  EXPECT_EQ(parallel_reduce(never, 0, n, std::int64_t{0}, body, add), sum);
  EXPECT_EQ(parallel_reduce(never, numbers, std::int64_t{0}, body, add), sum);
  EXPECT_EQ(parallel_deterministic_reduce(0, n, std::int64_t{0}, body, add), sum);
  EXPECT_EQ(parallel_deterministic_reduce(numbers, std::int64_t{0}, body, add), sum);
  EXPECT_EQ(transform_reduce(numbers.begin(), numbers.end(), numbers.begin(), std::int64_t{0}, add,
                             [&body](int x, int) { return body(x); }),
            sum);
}

TEST_P(element_loops, call_functions_of_every_kind) {
  for (const int n : {1, 20, 3000}) {
    const counted at_its_address(1);
    rt_.run([&] {
      loop_with(small{1}, n);
      loop_with(large{{1}}, n);
      loop_with<base_of<derived>>(derived{}, n);
      loop_with(copied_on_purpose(1), n);
      loop_with(plus_one, n);
      loop_with(&plus_one, n);
      loop_with([](int x) { return x + 1; }, n);
      loop_with(std::function<int(int)>(plus_one), n);
      loop_with(at_its_address, n);
    });
    EXPECT_EQ(at_its_address.calls, 15 * n);
  }
}

/// Counts what its members are called for.
struct item {
  int value = 1;

  void twice() { value *= 2; }
  [[nodiscard]] int square() const { return value * value; }
  /// Goes down to 0 by halves, each as an item of its own.
  void go_down(feeder<item>& feed) {
    if (value > 1) feed.add({value / 2});
    value = 0;
  }
};

TEST_P(element_loops, call_members_of_the_elements) {
  std::vector<item> items(1000);
  const auto values = [&] { return parallel_reduce(rt_, items, 0, &item::value, std::plus<>()); };
  parallel_for(rt_, items, &item::twice);
  rt_.run([&] {
    parallel_for(items.begin(), items.end(), &item::twice);
    parallel_for_each(items, &item::twice);
    static_cast<void>(parallel_for(std::stop_token(), items, &item::twice));
    static_cast<void>(parallel_for_each(std::stop_token(), items, &item::twice));
  });
  EXPECT_EQ(values(), 32 * 1000);
  EXPECT_EQ(parallel_reduce(rt_, items, 0, &item::square, std::plus<>()), 32 * 32 * 1000);
  EXPECT_EQ(parallel_deterministic_reduce(rt_, items, 0, &item::square, std::plus<>()),
            32 * 32 * 1000);

  // Elements that refer to objects.
  std::vector<item*> pointers;
  std::list<std::reference_wrapper<item>> references;
  for (item& one : items) {
    pointers.push_back(&one);
    references.emplace_back(one);
  }
  parallel_for(rt_, pointers, &item::twice);
  parallel_for_each(rt_, references, &item::twice);
  EXPECT_EQ(values(), 128 * 1000);

  parallel_for_each(rt_, items, &item::go_down);
  EXPECT_EQ(values(), 0);
  std::list<item> list(20, item{3});
  static_cast<void>(parallel_for_each(on(rt_, std::stop_token()), list, &item::go_down));
  static_cast<void>(parallel_for_each(on(rt_, std::stop_token()), list, &item::twice));
  for (const item& one : list) EXPECT_EQ(one.value, 0);
}

TEST_P(element_loops, go_by_steps) {
  const auto visited = [&](auto first, auto last, auto step) {
    std::mutex mutex;
    std::multiset<std::int64_t> seen;
    parallel_for(rt_, first, last, step, [&](auto i) {
      const std::lock_guard lock(mutex);
      seen.insert(static_cast<std::int64_t>(i));
    });
    return std::vector<std::int64_t>(seen.begin(), seen.end());
  };
  using list = std::vector<std::int64_t>;
  EXPECT_EQ(visited(0, 10, 3), (list{0, 3, 6, 9}));
  EXPECT_EQ(visited(0, 9, 3), (list{0, 3, 6}));
  EXPECT_EQ(visited(-5, 6U > 0 ? 6 : 0, 5L), (list{-5, 0, 5}));
  EXPECT_EQ(visited(10, 0, -4), (list{2, 6, 10}));
  EXPECT_EQ(visited(10, 10, -1), list{});
  EXPECT_EQ(visited(0, 10, -1), list{});
  EXPECT_EQ(visited(10, 0, 1U), list{});
  EXPECT_EQ(visited(5U, 0U, -2), (list{1, 3, 5}));
  EXPECT_EQ(visited(0, 1, std::numeric_limits<std::int64_t>::max()), (list{0}));
  EXPECT_EQ(visited(0, -1, std::numeric_limits<std::int64_t>::min()), (list{0}));
  using narrow = std::numeric_limits<std::int8_t>;
  EXPECT_EQ(visited(narrow::min(), narrow::max(), 100), (list{-128, -28, 72}));
  using wide = std::numeric_limits<std::int64_t>;
  EXPECT_EQ(visited(wide::min(), wide::max(), wide::max()),
            (list{wide::min(), -1, wide::max() - 1}));
}

TEST_P(element_loops, refuse_steps_that_lead_nowhere) {
  const auto nothing = [](auto) {};
  EXPECT_THROW(parallel_for(rt_, 0, 10, 0, nothing), std::invalid_argument);
  EXPECT_THROW(parallel_for(rt_, -1, 10U, 1, nothing), std::invalid_argument);
}

TEST_P(element_loops, throw_what_the_body_throws) {
  std::vector<int> numbers(1000, 0);
  numbers[700] = 1;
  EXPECT_THROW(parallel_for(rt_, numbers,
                            [](int x) {
                              if (x == 1) throw std::runtime_error("on purpose");
                            }),
               std::runtime_error);
  EXPECT_THROW(parallel_for(rt_, 0, 1000, 10,
                            [](int i) {
                              if (i == 500) throw i;
                            }),
               int);
}

INSTANTIATE_TEST_SUITE_P(on, element_loops, testing::Values(1, 2, 3, 8, 64), test::workers_name);

TEST(element_loops_outside, are_refused_without_a_runtime) {
  std::vector<int> numbers(3);
  EXPECT_THROW(parallel_for(numbers, [](int) {}), error);
  EXPECT_THROW(parallel_for(0, 10, 2, [](int) {}), error);
}

}  // namespace
}  // namespace evencube::element_loop_test
