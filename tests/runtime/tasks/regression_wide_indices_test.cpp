// Indices of 128 bits gave wrong results: only their lower halves were counted. They are refused,
// or right. Compiled with the compiler's extensions, without which no concept takes them.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <evencube/evencube.hpp>
#include <type_traits>

#include "deadline.hpp"

namespace evencube {
namespace {

__extension__ using wide = __int128;

template <typename Index>
concept taken_by_for = requires(Index i) { parallel_for(i, i, [](Index) {}); };

template <typename Index>
concept taken_by_reduce = requires(Index i) {
  parallel_reduce(i, i, 0, [](Index) { return 0; }, [](int a, int b) { return a + b; });
};

static_assert(taken_by_for<int> && taken_by_reduce<std::uint64_t>);
static_assert(!taken_by_for<double> && !taken_by_reduce<float>);

/// Templates, so that what is refused is not compiled.
template <typename Index>
void loop_beyond_64_bits(runtime& rt) {
  if constexpr (taken_by_for<Index>) {
    const Index first = static_cast<Index>(~std::uint64_t{0}) - 500;
    constexpr int count = 1000;
    std::atomic<int> right{0};
    std::atomic<int> calls{0};
    rt.run([&] {
      parallel_for(first, static_cast<Index>(first + count), [&](Index i) {
        ++calls;
        if (i >= first && i < first + count) ++right;
      });
    });
    EXPECT_EQ(calls, count);
    EXPECT_EQ(right, count);
  }
}

template <typename Index>
void fold_beyond_64_bits(runtime& rt) {
  if constexpr (taken_by_reduce<Index>) {
    const Index first = static_cast<Index>(~std::uint64_t{0}) - 500;
    const Index last = first + 1000;
    const Index sum = rt.run([&] {
      return parallel_reduce(
          first, last, Index{0}, [](Index i) { return i; }, [](Index a, Index b) { return a + b; });
    });
    EXPECT_TRUE(sum == (first + last - 1) * 500);
  }
}

TEST(wide_indices, are_refused_or_right) {
  runtime rt({.workers = 3});
  const test::deadline deadline(rt);
  loop_beyond_64_bits<wide>(rt);
  fold_beyond_64_bits<wide>(rt);
  loop_beyond_64_bits<std::make_unsigned_t<wide>>(rt);
  fold_beyond_64_bits<std::make_unsigned_t<wide>>(rt);
}

}  // namespace
}  // namespace evencube
