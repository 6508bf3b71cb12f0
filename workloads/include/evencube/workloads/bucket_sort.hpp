#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace evencube::workloads {

/// A key and its value.
struct sort_record {
  std::uint64_t key;
  std::uint64_t value;

  friend auto operator<=>(const sort_record&, const sort_record&) = default;
};

/// Makes records whose keys follow a power law, floor(2^64 u^3) for uniform u: half of the keys lie
/// in the lowest eighth of the range. The keys depend only on `count` and `seed`.
[[nodiscard]] std::vector<sort_record> make_records(std::size_t count, std::uint64_t seed);

/// Returns the lines of `text` without their line endings. The last line need not end with one.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

inline constexpr std::size_t sort_buckets = 256;

/// Returns the bucket of an item. Items in a lower bucket sort before items in a higher one.
[[nodiscard]] constexpr std::size_t bucket_of(const sort_record& record) noexcept {
  return record.key >> 56;
}
[[nodiscard]] constexpr std::size_t bucket_of(std::string_view line) noexcept {
  return line.empty() ? 0 : static_cast<unsigned char>(line.front());
}

/// Returns a 64-bit hash of an item. The sum of all items' hashes does not depend on their order.
[[nodiscard]] std::uint64_t fingerprint(const sort_record& record) noexcept;
[[nodiscard]] std::uint64_t fingerprint(std::string_view line) noexcept;

/// For each bucket, the number of a block's items in it; after place_blocks(), the index in the
/// result at which the block's share of the bucket begins.
using bucket_places = std::array<std::uint64_t, sort_buckets>;

/// Replaces the counts of all blocks by indices into the result, which is ordered by bucket, then
/// by block. Returns the first index of each bucket, followed by the number of items.
[[nodiscard]] std::vector<std::uint64_t> place_blocks(std::vector<bucket_places>& blocks);

/// Counts a block's items in each bucket.
template <typename Item>
void count_block(std::span<const Item> block, bucket_places& counts) {
  counts.fill(0);
  for (const Item& item : block) ++counts[bucket_of(item)];
}

/// Copies a block's items, in their order, to their indices in `into`, and advances these indices.
template <typename Item>
void scatter_block(std::span<const Item> block, bucket_places& places, std::vector<Item>& into) {
  for (const Item& item : block) into[places[bucket_of(item)]++] = item;
}

}  // namespace evencube::workloads
