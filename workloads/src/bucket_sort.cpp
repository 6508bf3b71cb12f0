#include <evencube/workloads/bucket_sort.hpp>

#include "random_bits.hpp"

namespace evencube::workloads {

std::vector<sort_record> make_records(std::size_t count, std::uint64_t seed) {
  random_stream random{mix_bits(seed)};
  std::vector<sort_record> records;
  records.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double even = random.fraction();
    records.push_back({static_cast<std::uint64_t>(even * even * even * 0x1p64), random.next()});
  }
  return records;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  lines.reserve(static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1);
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::uint64_t fingerprint(const sort_record& record) noexcept {
  return mix_bits(mix_bits(record.key) ^ record.value);
}

std::uint64_t fingerprint(std::string_view line) noexcept {
  std::uint64_t hash = line.size();
  for (const char letter : line) hash = mix_bits(hash ^ static_cast<unsigned char>(letter));
  return mix_bits(hash);
}

std::vector<std::uint64_t> place_blocks(std::vector<bucket_places>& blocks) {
  std::vector<std::uint64_t> begins;
  begins.reserve(sort_buckets + 1);
  std::uint64_t next = 0;
  for (std::size_t bucket = 0; bucket < sort_buckets; ++bucket) {
    begins.push_back(next);
    for (auto& block : blocks) {
      const auto count = block[bucket];
      block[bucket] = next;
      next += count;
    }
  }
  begins.push_back(next);
  return begins;
}

}  // namespace evencube::workloads
