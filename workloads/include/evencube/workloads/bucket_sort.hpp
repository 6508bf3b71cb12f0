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

/// A number and what belongs to it.
struct sort_record {
  std::uint64_t key;
  std::uint64_t value;

  friend auto operator<=>(const sort_record&, const sort_record&) = default;
};

/// Records with keys of a power law, floor(2^64 u^3) for even u: half of the keys in an eighth of
/// the range. From `seed` alone.
[[nodiscard]] std::vector<sort_record> make_records(std::size_t count, std::uint64_t seed);

/// The lines of a text, without their ends. The last one need not have an end.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

inline constexpr std::size_t sort_buckets = 256;

/// The bucket of an item: buckets are in the order of their items.
[[nodiscard]] constexpr std::size_t bucket_of(const sort_record& record) noexcept {
  return record.key >> 56;
}
[[nodiscard]] constexpr std::size_t bucket_of(std::string_view line) noexcept {
  return line.empty() ? 0 : static_cast<unsigned char>(line.front());
}

/// 64 bits that tell items apart, for sums over all of them that do not depend on the order.
[[nodiscard]] std::uint64_t fingerprint(const sort_record& record) noexcept;
[[nodiscard]] std::uint64_t fingerprint(std::string_view line) noexcept;

/// How many items of a block fall into each bucket; then, where in the result its part of each
/// begins.
using bucket_places = std::array<std::uint64_t, sort_buckets>;

/// Turns the counts of all blocks into places: by buckets first, then by blocks. Returns where each
/// bucket begins, and last the number of items.
[[nodiscard]] std::vector<std::uint64_t> place_blocks(std::vector<bucket_places>& blocks);

/// Counts a block's items.
template <typename Item>
void count_block(std::span<const Item> block, bucket_places& counts) {
  counts.fill(0);
  for (const Item& item : block) ++counts[bucket_of(item)];
}

/// Puts a block's items where they belong, in the order in which they stand; moves its places on.
template <typename Item>
void scatter_block(std::span<const Item> block, bucket_places& places, std::vector<Item>& into) {
  for (const Item& item : block) into[places[bucket_of(item)]++] = item;
}

}  // namespace evencube::workloads
