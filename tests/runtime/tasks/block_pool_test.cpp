// Blocks that others freed come back to their pool: each once, and none is lost.
#include <evencube/detail/block_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

namespace evencube::detail {
namespace {

std::vector<void*> allocated(block_pool& from, std::size_t size_class, std::size_t count) {
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < count; ++i) blocks.push_back(from.allocate(size_class));
  return blocks;
}

std::set<void*> set_of(const std::vector<void*>& blocks) { return {blocks.begin(), blocks.end()}; }

class block_pool_of : public testing::TestWithParam<std::size_t> {};

// One chunk holds more of any class, so what is new would be another address.
TEST_P(block_pool_of, gives_out_again_what_came_back) {
  for (const std::size_t count : {1U, 2U, 7U, 8U, 9U, 63U, 64U, 65U, 71U, 72U, 200U}) {
    block_pool pool;
    const std::vector<void*> blocks = allocated(pool, GetParam(), count);
    ASSERT_EQ(set_of(blocks).size(), count);
    std::jthread([&] {
      block_returns returns;
      for (void* const each : blocks) returns.add(pool, each, GetParam());
      returns.flush();
      returns.flush();  // there is nothing more
    }).join();
    EXPECT_EQ(set_of(allocated(pool, GetParam(), count)), set_of(blocks)) << count;
  }
}

TEST_P(block_pool_of, gives_out_again_single_ones_and_its_own) {
  block_pool pool;
  const std::vector<void*> blocks = allocated(pool, GetParam(), 20);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    i % 2 == 0 ? pool.take_back(GetParam(), blocks[i]) : pool.release(blocks[i], GetParam());
  }
  EXPECT_EQ(set_of(allocated(pool, GetParam(), 20)), set_of(blocks));
}

TEST_P(block_pool_of, has_blocks_that_can_be_written_all_over) {
  block_pool pool;
  const std::size_t bytes = std::size_t{64} << GetParam();
  for (int round = 0; round < 5; ++round) {
    const std::vector<void*> blocks = allocated(pool, GetParam(), 100);
    std::uint8_t number = 0;
    for (void* const each : blocks) std::fill_n(static_cast<std::uint8_t*>(each), bytes, ++number);
    number = 0;
    for (const void* const each : blocks) {
      const auto* const from = static_cast<const std::uint8_t*>(each);
      ++number;
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(from[i], number) << round;
    }
    block_returns returns;
    for (void* const each : blocks) returns.add(pool, each, GetParam());
    returns.flush();
  }
}

INSTANTIATE_TEST_SUITE_P(classes, block_pool_of, testing::Values(0U, 1U, 2U));

// What is for another pool, or of another class, is a batch of its own.
TEST(block_returns, keep_pools_and_classes_apart) {
  block_pool pools[2];
  std::vector<void*> blocks[2][block_pool::classes];
  for (std::size_t p = 0; p < 2; ++p) {
    for (std::size_t c = 0; c < block_pool::classes; ++c) {
      blocks[p][c] = allocated(pools[p], c, 30);
    }
  }
  block_returns returns;
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t c = 0; c < block_pool::classes; ++c) {
        // Runs of different lengths.
        if (i % (p + c + 1) == 0) returns.add(pools[p], blocks[p][c][i], c);
      }
    }
  }
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t c = 0; c < block_pool::classes; ++c) {
        if (i % (p + c + 1) != 0) returns.add(pools[p], blocks[p][c][i], c);
      }
    }
  }
  returns.flush();
  for (std::size_t p = 0; p < 2; ++p) {
    for (std::size_t c = 0; c < block_pool::classes; ++c) {
      EXPECT_EQ(set_of(allocated(pools[p], c, 30)), set_of(blocks[p][c])) << p << ' ' << c;
    }
  }
}

}  // namespace
}  // namespace evencube::detail
