#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <evencube/algorithms.hpp>
#include <functional>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "platform/platform.hpp"
#include "support.hpp"

namespace evencube::blocked_loop_test {
namespace {

using blocked_loops = test::on_workers;

TEST_P(blocked_loops, over_two_bounds_meet_every_index_once) {
  for (const int n : {0, 1, 2, 7, 2047, 2048, 2049, 10000}) {
    for (const std::size_t grain : std::vector<std::size_t>{0, 1, 3, 5000, 20000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(n));
      std::atomic<std::size_t> longest{0};
      std::atomic<std::size_t> blocks{0};
      parallel_for_blocks(rt_, -5, n - 5,
                          [&](int first, int last) {
                            EXPECT_LT(first, last);
                            const auto length = static_cast<std::size_t>(last - first);
                            for (std::size_t seen = longest; seen < length;) {
                              if (longest.compare_exchange_weak(seen, length)) break;
                            }
                            ++blocks;
                            for (int i = first; i < last; ++i)
                              ++visits[static_cast<std::size_t>(i + 5)];
                          },
                          {.grain = grain});
      for (const auto& count : visits) ASSERT_EQ(count, 1) << n << " by " << grain;
      if (grain != 0) {
        EXPECT_LE(longest, grain);
      } else {
        EXPECT_LE(blocks, 2048U);
      }
    }
  }
}

TEST_P(blocked_loops, over_a_range_give_parts_of_it) {
  std::vector<std::atomic<int>> visits(1000);
  rt_.run([&] {
    parallel_for(blocked_range(0, visits.size(), 16), [&](const blocked_range<std::size_t>& block) {
      EXPECT_LE(block.size(), 16U);
      EXPECT_EQ(block.grain(), 16U);
      for (std::size_t i = block.begin(); i != block.end(); ++i) ++visits[i];
    });
  });
  for (const auto& count : visits) ASSERT_EQ(count, 1);
}

TEST_P(blocked_loops, over_iterators_give_parts_of_their_container) {
  std::deque<int> numbers(5000, 1);
  parallel_for(rt_, blocked_range(numbers.begin(), numbers.end(), 100), [](const auto& block) {
    for (auto at = block.begin(); at != block.end(); ++at) ++*at;
  });
  EXPECT_EQ(numbers, std::deque<int>(5000, 2));
}

TEST_P(blocked_loops, go_through_blocks_by_range_for) {
  std::vector<int> cells(37 * 53);
  parallel_for(rt_, blocked_range_2d(0U, 37U, 0U, 53U), [&](const auto& block) {
    for (const unsigned row : block.rows().indices()) {
      for (const unsigned column : block.columns().indices()) ++cells[row * 53 + column];
    }
  });
  EXPECT_EQ(cells, std::vector<int>(37 * 53, 1));
  std::deque<int> numbers(5000, 1);
  parallel_for(rt_, blocked_range(numbers.begin(), numbers.end(), 100), [](const auto& block) {
    for (int& number : block) ++number;
  });
  EXPECT_EQ(numbers, std::deque<int>(5000, 2));
}

template <typename T>
std::vector<T> listed(const blocked_range<T>& range) {
  std::vector<T> all;
  for (const T i : range.indices()) all.push_back(i);
  return all;
}

TEST(indices_of_a_blocked_range, are_its_integers) {
  EXPECT_EQ(listed(blocked_range(-2, 3)), (std::vector<int>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(listed(blocked_range(3, 3)), std::vector<int>{});
  EXPECT_EQ(listed(blocked_range(3, -2)), std::vector<int>{});  // the end is before the beginning
  constexpr std::uint8_t most = 255;
  EXPECT_EQ(listed(blocked_range<std::uint8_t>(253, most)), (std::vector<std::uint8_t>{253, 254}));
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(listed(blocked_range(least, least + 2)), (std::vector{least, least + 1}));
  static_assert(std::forward_iterator<index_range<int>::iterator>);
  const auto outlives = blocked_range(0, 4).indices();
  EXPECT_EQ(std::vector<int>(outlives.begin(), outlives.end()), (std::vector<int>{0, 1, 2, 3}));
}

template <typename Range>
constexpr bool has_indices = requires(const Range& range) { range.indices(); };
static_assert(has_indices<blocked_range<int>> && !has_indices<blocked_range<int*>>);

TEST_P(blocked_loops, of_two_dimensions_meet_every_cell_once) {
  for (const auto& size : std::vector<std::pair<int, int>>{
           {0, 5}, {5, 0}, {1, 1}, {1, 3000}, {3000, 1}, {37, 53}, {200, 300}}) {
    const int rows = size.first;
    const int columns = size.second;
    for (const std::size_t row_grain : std::vector<std::size_t>{0, 4}) {
      for (const std::size_t column_grain : std::vector<std::size_t>{0, 7}) {
        const blocked_range_2d<int> all(blocked_range(0, rows, row_grain),
                                        blocked_range(-1, columns - 1, column_grain));
        std::vector<std::atomic<int>> visits(static_cast<std::size_t>(rows * columns));
        parallel_for(rt_, all, [&](const blocked_range_2d<int>& block) {
          if (row_grain != 0) {
            EXPECT_LE(block.rows().size(), row_grain);
          }
          if (column_grain != 0) {
            EXPECT_LE(block.columns().size(), column_grain);
          }
          for (int r = block.rows().begin(); r < block.rows().end(); ++r) {
            for (int c = block.columns().begin(); c < block.columns().end(); ++c) {
              ++visits[static_cast<std::size_t>(r * columns + c + 1)];
            }
          }
        });
        for (const auto& count : visits) ASSERT_EQ(count, 1) << rows << " times " << columns;
      }
    }
  }
}

TEST_P(blocked_loops, take_bodies_that_take_any_block_by_reference) {
  const blocked_range_2d<int> all(blocked_range(0, 10, 2), blocked_range(0, 10, 5));
  std::atomic<std::size_t> met{0};
  parallel_for(rt_, all, [&](auto& block) { met += block.rows().size(); });
  EXPECT_EQ(met, 20U);
  EXPECT_EQ(
      parallel_reduce_blocks(
          rt_, all, std::size_t{0},
          [](auto& block, std::size_t sum) { return sum + block.columns().size(); }, std::plus<>()),
      50U);
  EXPECT_EQ(
      parallel_for(rt_, std::stop_token(), all, [&](auto& block) { met -= block.rows().size(); }),
      wait_status::completed);
  EXPECT_EQ(met, 0U);
}

TEST_P(blocked_loops, of_three_dimensions_meet_every_cell_once) {
  const std::size_t pages = 9;
  const std::size_t rows = 21;
  const std::size_t columns = 34;
  for (const std::size_t grain : std::vector<std::size_t>{0, 2}) {
    std::vector<std::atomic<int>> visits(pages * rows * columns);
    const blocked_range_3d<std::size_t> all(blocked_range(std::size_t{0}, pages),
                                            blocked_range(std::size_t{0}, rows, grain),
                                            blocked_range(std::size_t{0}, columns));
    parallel_for(rt_, all, [&](const auto& block) {
      for (auto p = block.pages().begin(); p < block.pages().end(); ++p) {
        for (auto r = block.rows().begin(); r < block.rows().end(); ++r) {
          for (auto c = block.columns().begin(); c < block.columns().end(); ++c) {
            ++visits[(p * rows + r) * columns + c];
          }
        }
      }
    });
    for (const auto& count : visits) ASSERT_EQ(count, 1);
  }
}

TEST_P(blocked_loops, throw_what_a_block_throws) {
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  EXPECT_THROW(parallel_for(rt_, blocked_range(0, 1000, 10),
                            [&](const auto& block) {
                              ++begun;
                              ++ended;
                              if (block.begin() == 500) throw std::runtime_error("on purpose");
                            }),
               std::runtime_error);
  EXPECT_EQ(begun, ended);
}

INSTANTIATE_TEST_SUITE_P(on, blocked_loops, testing::Values(1, 2, 3, 8, 64), test::workers_name);

TEST(blocked_ranges, have_the_common_type_of_their_bounds) {
  static_assert(std::is_same_v<decltype(blocked_range(0, 10U)), blocked_range<unsigned>>);
  static_assert(
      std::is_same_v<decltype(blocked_range_2d(0, 3L, 0, 4)), blocked_range_2d<long, int>>);
  EXPECT_THROW(blocked_range(-1, 10U), std::invalid_argument);
  EXPECT_EQ(blocked_range(-1, 10).size(), 11U);
  EXPECT_TRUE(blocked_range(5, 3).empty());
  EXPECT_TRUE(blocked_range_2d(0, 3, 4, 4).empty());
  EXPECT_TRUE(blocked_range_3d(0, 3, 4, 5, 2, 1).empty());
  using wide = std::numeric_limits<std::int64_t>;
  EXPECT_EQ(blocked_range(wide::min(), wide::max()).size(), ~std::size_t{0});
}

template <typename T, typename Bound>
std::string refusal(Bound bound) {
  try {
    static_cast<void>(blocked_range<T>(T{}, bound));
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(blocked_ranges, refuse_bounds_that_are_no_values_of_their_type) {
  EXPECT_EQ(refusal<int>(5'000'000'000),
            "blocked_range: the bound 5000000000 is not allowed; at least -2147483648, at most "
            "2147483647");
  EXPECT_EQ(refusal<unsigned>(-1),
            "blocked_range: the bound -1 is not allowed; at least 0, at most 4294967295");
  EXPECT_NE(refusal<int>(3'000'000'000U), "");
  EXPECT_NE(refusal<std::int8_t>(128), "");
  EXPECT_NE(refusal<std::uint8_t>(256), "");
  EXPECT_NE(refusal<std::int64_t>(std::uint64_t{1} << 63U), "");
  EXPECT_NE(refusal<std::uint64_t>(std::int64_t{-1}), "");
  EXPECT_EQ(refusal<int>(2'147'483'647L), "");
  EXPECT_EQ(refusal<std::int8_t>(-128L), "");
  EXPECT_EQ(refusal<char>(100U), "");
  EXPECT_EQ((blocked_range<int>(-5L, std::uint8_t{5}).size()), 10U);
}

TEST(blocked_ranges, of_a_narrow_type_reach_from_end_to_end) {
  runtime rt{{.workers = 2}};
  std::vector<std::atomic<int>> visits(256);
  parallel_for(rt, blocked_range(std::int8_t{-128}, std::int8_t{127}, 10), [&](const auto& block) {
    for (int i = block.begin(); i < block.end(); ++i) ++visits[static_cast<std::size_t>(i + 128)];
  });
  for (std::size_t i = 0; i < 255; ++i) EXPECT_EQ(visits[i], 1);
}

// A picture has about square blocks, however its sides differ.
TEST(blocked_ranges, without_a_grain_are_divided_into_about_squares) {
  runtime rt{{.workers = 1}};
  std::size_t blocks = 0;
  parallel_for(rt, blocked_range_2d(0, 1000, 0, 4000), [&](const auto& block) {
    ++blocks;
    EXPECT_LE(block.columns().size(), 2 * block.rows().size() + 2);
    EXPECT_LE(block.rows().size(), 2 * block.columns().size() + 2);
  });
  EXPECT_GE(blocks, 1000U);
  EXPECT_LE(blocks, 2500U);
}

// The numbers of these blocks are 2^80 and 2^66: as 64 bits they are 0, or whatever is left.
TEST(blocked_ranges, refuse_more_blocks_than_can_be_counted) {
  runtime rt{{.workers = 1}};
  const auto nothing = [](const auto&) {};
  const blocked_range<std::int64_t> side(0, std::int64_t{1} << 40U, 1);
  EXPECT_THROW(parallel_for(rt, blocked_range_2d(side, side), nothing), std::length_error);
  const blocked_range<std::int64_t> edge(0, std::int64_t{1} << 22U, 1);
  EXPECT_THROW(parallel_for(rt, blocked_range_3d(edge, edge, edge), nothing), std::length_error);
  // The grains alone make too many, before a length for the third side is found.
  const blocked_range<std::int64_t> free(0, 1000);
  EXPECT_THROW(parallel_for(rt, blocked_range_3d(side, side, free), nothing), std::length_error);
  const auto sum = [](int a, int b) { return a + b; };
  EXPECT_THROW(static_cast<void>(parallel_reduce_blocks(
                   rt, blocked_range_2d(side, side), 0, [](const auto&, int x) { return x; }, sum)),
               std::length_error);
}

TEST(blocked_loops_outside, leave_the_calling_thread_as_free_as_it_is) {
  runtime rt({.workers = 2});
  const test::deadline deadline(rt);
  const std::thread::id caller = std::this_thread::get_id();
  const std::vector<unsigned> before = detail::thread_affinity();
  for (int k = 0; k < 100; ++k) {
    parallel_for_blocks(rt, 0, 1, [&](int first, int last) {
      EXPECT_EQ(last - first, 1);
      EXPECT_EQ(std::this_thread::get_id(), caller);
      EXPECT_EQ(detail::thread_affinity(), before);
    });
  }
}

TEST(blocked_loops_outside, are_refused_without_a_runtime) {
  const auto nothing = [](const auto&) {};
  EXPECT_THROW(parallel_for(blocked_range(0, 10), nothing), error);
  EXPECT_THROW(parallel_for(blocked_range(0, 0), nothing), error);
  EXPECT_THROW(parallel_for(0, 10, [](int, int) {}), error);
}

}  // namespace
}  // namespace evencube::blocked_loop_test
