#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <evencube/algorithms.hpp>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

namespace evencube {
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
}  // namespace evencube
