#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace evencube::fuzz {

/// Ends the program unless `holds`: libFuzzer takes that as a finding.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// The most pixels of a picture whose file is too small to show that it holds them.
inline constexpr std::uint64_t trusted_pixels = std::uint64_t{1} << 24;

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The lines of a text; the last of at most `most` lines has the rest.
inline std::vector<std::string> lines_of(std::string_view text, std::size_t most) {
  std::vector<std::string> lines;
  while (lines.size() + 1 < most) {
    const auto end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
  lines.emplace_back(text);
  return lines;
}

/// The number in `count` bytes, the most significant byte first.
inline std::uint32_t big_endian(const std::uint8_t* bytes, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes[i];
  return value;
}

}  // namespace evencube::fuzz
