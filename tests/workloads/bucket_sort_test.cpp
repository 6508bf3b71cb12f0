// Buckets are in the order of what they hold, and lose nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <evencube/workloads/bucket_sort.hpp>

namespace evencube::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <typename Item>
std::vector<Item> through_buckets(const std::vector<Item>& items, std::size_t block) {
  const auto count = (items.size() + block - 1) / block;
  const auto part = [&](std::size_t index) {
    return std::span{items}.subspan(index * block, std::min(block, items.size() - index * block));
  };
  std::vector<bucket_places> blocks(count);
  for (std::size_t i = 0; i < count; ++i) count_block<Item>(part(i), blocks[i]);
  const auto begins = place_blocks(blocks);
  EXPECT_EQ(begins.size(), sort_buckets + 1);
  EXPECT_EQ(begins.back(), items.size());
  std::vector<Item> made(items.size());
  for (std::size_t i = count; i-- > 0;) scatter_block<Item>(part(i), blocks[i], made);
  for (std::size_t bucket = 0; bucket < sort_buckets; ++bucket) {
    for (auto at = begins[bucket]; at < begins[bucket + 1]; ++at) {
      EXPECT_EQ(bucket_of(made[at]), bucket);
    }
  }
  return made;
}

TEST(buckets, keep_everything_and_the_order_within_them) {
  const auto records = make_records(5000, 7);
  const auto made = through_buckets(records, 333);
  auto expected = records;
  std::ranges::stable_sort(expected, {}, [](const auto& record) { return bucket_of(record); });
  EXPECT_EQ(made, expected);
}

TEST(buckets, follow_the_order_of_lines_by_bytes) {
  const std::string text = "beta\n\xff\xfe\nalpha\n\nBeta\nbet";
  auto made = through_buckets(lines_of(text), 2);
  EXPECT_TRUE(std::ranges::is_sorted(made, {}, [](auto line) { return bucket_of(line); }));
  std::ranges::sort(made);
  EXPECT_THAT(made, ElementsAre("", "Beta", "alpha", "bet", "beta", "\xff\xfe"));
}

TEST(lines, end_with_or_without_a_line_feed) {
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of("a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of("a\r\nb\n"), ElementsAre("a\r", "b"));
}

TEST(records, have_uneven_keys) {
  const auto records = make_records(20'000, 1);
  const auto below = [&](std::uint64_t part) {
    return std::ranges::count_if(records, [&](const auto& one) { return one.key >> 61 < part; });
  };
  EXPECT_NEAR(static_cast<double>(below(1)), 10'000, 300);  // an eighth has half
  EXPECT_EQ(records, make_records(20'000, 1));
  EXPECT_NE(records, make_records(20'000, 2));
}

TEST(fingerprints, tell_items_apart) {
  EXPECT_NE(fingerprint(sort_record{1, 2}), fingerprint(sort_record{2, 1}));
  EXPECT_NE(fingerprint(std::string_view{"ab"}), fingerprint(std::string_view{"ba"}));
  EXPECT_NE(fingerprint(std::string_view{""}), fingerprint(std::string_view{"\0", 1}));
}

}  // namespace
}  // namespace evencube::workloads
